/* Puts a .usda file together: the header, the prims, and the values' texts copied from the part. */
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "formats/usd/usd_author.h"
#include "formats/usd/usd_layer.h"
#include "formats/usd/usda_print.h"
#include "formats/usd/usda_sink.h"

typedef struct job {
    rlti_sink *sink;
    rlti_usda_sink_own *own;
    rlti_usd_naming names;
    int *first_child, *next_sibling; /* [prim_count] */
    int first_root;
    rlti_stream *out;
} job;

static void text(job *j, const char *words) {
    rlti_stream_text(j->out, words);
}

static void indent(job *j, int depth) {
    for (int i = 0; i < depth; i++)
        text(j, "    ");
}

/* ---- header ---- */

static void number_line(job *j, const char *key, double value) {
    text(j, "    ");
    text(j, key);
    text(j, " = ");
    rlti_usda_print_double(j->out, value);
    text(j, "\n");
}

static void text_line(job *j, const char *key, const char *value) {
    text(j, "    ");
    text(j, key);
    text(j, " = ");
    rlti_usda_print_quoted(j->out, value);
    text(j, "\n");
}

/* The written name of the root that was declared under this one. */
static const char *root_name(const job *j, const char *declared) {
    for (int i = 0; i < j->sink->prim_count; i++)
        if (j->sink->prims[i].parent < 0 && strcmp(j->sink->prims[i].name, declared) == 0)
            return j->names.prims[i];
    return NULL;
}

static void write_header(job *j) {
    const rlti_sink_def *def = &j->sink->def;
    const char *root = def->default_prim != NULL ? root_name(j, def->default_prim) : NULL;
    text(j, "#usda 1.0\n(\n");
    if (j->sink->fingerprint[0] != '\0') {
        text(j, "    customLayerData = {\n    ");
        text_line(j, "string " RLTI_FINGERPRINT_KEY, j->sink->fingerprint);
        text(j, "    }\n");
    }
    if (root != NULL)
        text_line(j, "defaultPrim", root);
    if (def->title != NULL)
        text_line(j, "doc", def->title);
    if (def->last_time >= def->first_time)
        number_line(j, "endTimeCode", def->last_time);
    if (def->frames_per_second > 0.0)
        number_line(j, "framesPerSecond", def->frames_per_second);
    if (def->metres_per_unit > 0.0)
        number_line(j, "metersPerUnit", def->metres_per_unit);
    if (def->last_time >= def->first_time)
        number_line(j, "startTimeCode", def->first_time);
    if (def->over != NULL) {
        text(j, "    subLayers = [\n        ");
        rlti_usda_print_asset(j->out, def->over);
        text(j, "\n    ]\n");
    }
    number_line(j, "timeCodesPerSecond", def->codes_per_second);
    if (def->up_axis != 0)
        text_line(j, "upAxis", def->up_axis == 'Z' ? "Z" : "Y");
    text(j, ")\n");
}

/* ---- attributes ---- */

static void copy_entry(job *j, int entry) {
    const rlti_usda_entry *e = &j->own->entries[entry];
    rlti_stream_copy(j->out, j->sink->parts, e->offset, e->length);
}

/* "        uniform token[] name" */
static void write_left_side(job *j, int depth, int is_uniform, const char *type_name, const char *name) {
    indent(j, depth);
    if (is_uniform)
        text(j, "uniform ");
    text(j, type_name);
    text(j, " ");
    text(j, name);
}

static void begin_entry(job *j, int depth, int *count, const char *key) {
    if ((*count)++ == 0)
        text(j, " (\n");
    indent(j, depth + 1);
    text(j, key);
    text(j, " = ");
}

/* Metadata in brackets behind a property. */
static void write_metadata(job *j, int depth, const rlti_usd_form *form, const rlti_link *link) {
    int count = 0, is_token;
    if (form != NULL && form->element_size > 0) {
        begin_entry(j, depth, &count, "elementSize");
        rlti_usda_print_double(j->out, form->element_size);
        text(j, "\n");
    }
    if (form != NULL && form->interpolation != NULL) {
        begin_entry(j, depth, &count, "interpolation");
        rlti_usda_print_quoted(j->out, form->interpolation);
        text(j, "\n");
    }
    for (int i = 0; i < RLTI_NOTES && link != NULL; i++)
        if (link->notes.texts[i] != NULL) {
            begin_entry(j, depth, &count, rlti_usd_note_name(i, &is_token));
            rlti_usda_print_quoted(j->out, link->notes.texts[i]);
            text(j, "\n");
        }
    if (link != NULL && link->notes.has_weight) {
        begin_entry(j, depth, &count, "weight");
        rlti_usda_print_double(j->out, link->notes.weight);
        text(j, "\n");
    }
    if (count == 0)
        return;
    indent(j, depth);
    text(j, ")");
}

/* " = </a>", " = [</a>, </b>]" */
static void write_targets(job *j, const rlti_link *link) {
    text(j, " = ");
    if (link->target_count > 1)
        text(j, "[");
    for (int i = 0; i < link->target_count; i++) {
        text(j, i > 0 ? ", <" : "<");
        text(j, link->targets[i]);
        text(j, ">");
    }
    if (link->target_count > 1)
        text(j, "]");
}

static void write_samples(job *j, int depth, const rlti_usda_track *track) {
    text(j, ".timeSamples = {\n");
    for (int e = track->first; e >= 0; e = j->own->entries[e].next) {
        indent(j, depth + 1);
        rlti_usda_print_double(j->out, j->own->entries[e].time);
        text(j, ": ");
        copy_entry(j, e);
        text(j, ",\n");
    }
    indent(j, depth);
    text(j, "}\n");
}

static void write_connections(job *j, int depth, int is_uniform, const char *type_name, const char *name,
                              const rlti_link *link) {
    write_left_side(j, depth, is_uniform, type_name, name);
    text(j, ".connect");
    write_targets(j, link);
    text(j, "\n");
}

/* The statement with the value without a time (which also carries the metadata), and the one with the
 * samples. */
static void write_track(job *j, int depth, const rlti_usda_track *track, int is_uniform,
                        const rlti_usd_form *form, const char *name, const rlti_link *link) {
    int has_metadata = form->interpolation != NULL || form->element_size > 0 || link != NULL;
    if (track->value >= 0 || track->first < 0 || has_metadata) {
        write_left_side(j, depth, is_uniform, form->type_name, name);
        if (track->value >= 0) {
            text(j, " = ");
            copy_entry(j, track->value);
        }
        write_metadata(j, depth, form, link);
        text(j, "\n");
    }
    if (track->first >= 0) {
        write_left_side(j, depth, is_uniform, form->type_name, name);
        write_samples(j, depth, track);
    }
    if (link != NULL && link->target_count > 0)
        write_connections(j, depth, is_uniform, form->type_name, name, link);
}

static void write_transform(job *j, int depth, const rlti_usda_track *track, int resets) {
    rlti_usd_form form = {.type_name = "matrix4d"};
    if (track->value < 0 && track->first < 0)
        return;
    write_track(j, depth, track, 0, &form, "xformOp:transform", NULL);
    indent(j, depth);
    text(j, "uniform token[] xformOpOrder = [");
    text(j, resets ? "\"!resetXformStack!\", " : "");
    text(j, "\"xformOp:transform\"]\n");
}

static void write_attributes(job *j, int depth, int prim) {
    rlti_usd_token tokens[RLTI_USD_TOKENS];
    int count = rlti_usd_prim_tokens(j->sink, &j->names, prim, tokens);
    for (int i = 0; i < count; i++) {
        write_left_side(j, depth, tokens[i].is_uniform, "token", tokens[i].name);
        text(j, " = ");
        rlti_usda_print_quoted(j->out, tokens[i].value);
        text(j, "\n");
    }
    int moves = j->own->transforms[prim].value >= 0 || j->own->transforms[prim].first >= 0;
    for (int i = j->names.first[prim]; i >= 0; i = j->names.next[i]) {
        if (moves && strncmp(j->names.attributes[i], "xformOp", 7) == 0)
            continue; /* the transform stands for them */
        rlti_usd_form form = rlti_usd_attribute_form(&j->sink->attributes[i]);
        if (form.type.arity > 0)
            write_track(j, depth, &j->own->attributes[i], j->sink->attributes[i].is_uniform, &form,
                        j->names.attributes[i],
                        j->names.link_of[i] >= 0 ? &j->sink->links[j->names.link_of[i]] : NULL);
    }
}

/* ---- prims ---- */

/* Relationships, and attributes without a value. */
static void write_links(job *j, int depth, int prim) {
    for (int i = j->names.first_link[prim]; i >= 0; i = j->names.next_link[i]) {
        const rlti_link *link = &j->sink->links[i];
        int is_relationship = link->type_name[0] == '\0';
        indent(j, depth);
        if (link->is_custom)
            text(j, "custom ");
        if (link->is_uniform && !is_relationship)
            text(j, "uniform ");
        text(j, is_relationship ? "rel" : link->type_name);
        text(j, " ");
        text(j, link->name);
        if (is_relationship && link->target_count > 0)
            write_targets(j, link);
        write_metadata(j, depth, NULL, link);
        text(j, "\n");
        if (!is_relationship && link->target_count > 0)
            write_connections(j, depth, link->is_uniform, link->type_name, link->name, link);
    }
}

/* "A B" as ["A", "B"] */
static void write_schemas(job *j, int depth, const char *schemas, int *entries) {
    if (schemas == NULL || schemas[strspn(schemas, " ")] == '\0')
        return;
    begin_entry(j, depth, entries, "prepend apiSchemas");
    text(j, "[");
    int count = 0;
    for (const char *at = schemas + strspn(schemas, " "); *at != '\0'; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        text(j, count++ > 0 ? ", \"" : "\"");
        rlti_stream_write(j->out, at, length);
        text(j, "\"");
        at += length;
    }
    text(j, "]\n");
}

/* Metadata in brackets behind a prim. What a layer over a file says would be the file's own. */
static void write_prim_metadata(job *j, int depth, const rlti_prim *p) {
    int entries = 0, is_over = j->sink->def.over != NULL;
    const char *const notes[2][2] = {{"doc", p->doc}, {"kind", p->model}};
    write_schemas(j, depth, p->api_schemas, &entries);
    for (int i = 0; i < 2 && !is_over; i++)
        if (notes[i][1] != NULL) {
            begin_entry(j, depth, &entries, notes[i][0]);
            rlti_usda_print_quoted(j->out, notes[i][1]);
            text(j, "\n");
        }
    if (entries == 0)
        return;
    indent(j, depth);
    text(j, ")");
}

static void open_prim(job *j, int depth, int prim) {
    const rlti_usda_track *track = &j->own->transforms[prim];
    const rlti_prim *p = &j->sink->prims[prim];
    text(j, "\n");
    indent(j, depth);
    if (j->sink->def.over != NULL) {
        text(j, "over ");
    } else {
        text(j, "def ");
        text(j, rlti_usd_prim_type(p, track->value >= 0 || track->first >= 0));
        text(j, " ");
    }
    rlti_usda_print_quoted(j->out, j->names.prims[prim]);
    write_prim_metadata(j, depth, p);
    text(j, "\n");
    indent(j, depth);
    text(j, "{\n");
    write_transform(j, depth + 1, track, p->resets);
    write_attributes(j, depth + 1, prim);
    write_links(j, depth + 1, prim);
}

static void close_prim(job *j, int depth) {
    indent(j, depth);
    text(j, "}\n");
}

/* All prims, without recursion: a file may nest deeply. */
static void write_prims(job *j) {
    int depth = 0, at = j->first_root;
    while (at >= 0 && j->out->error == 0) {
        open_prim(j, depth, at);
        if (j->first_child[at] >= 0) {
            at = j->first_child[at];
            depth++;
            continue;
        }
        close_prim(j, depth);
        while (at >= 0 && j->next_sibling[at] < 0) {
            at = j->sink->prims[at].parent;
            if (at >= 0)
                close_prim(j, --depth);
        }
        if (at >= 0)
            at = j->next_sibling[at];
    }
}

static int link_prims(job *j) {
    int count = j->sink->prim_count;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(j->first_child, count + 1), RLTI_ITEMS(j->next_sibling, count + 1)))
        return 0;
    for (int i = 0; i < count; i++)
        j->first_child[i] = -1;
    j->first_root = -1;
    for (int i = count - 1; i >= 0; i--) {
        int parent = j->sink->prims[i].parent;
        int *first = parent >= 0 ? &j->first_child[parent] : &j->first_root;
        j->next_sibling[i] = *first;
        *first = i;
    }
    return 1;
}

rlt_status rlti_usda_compose(rlti_sink *sink, rlti_stream *out, rlt_messages *messages) {
    job j = {.sink = sink, .own = sink->own, .out = out};
    rlt_status status = RLT_OK;
    if (!rlti_usd_naming_make(sink, &j.names) || !link_prims(&j))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK) {
        write_header(&j);
        write_prims(&j);
        rlti_sink_seal(sink, out);
    }
    rlti_usd_naming_clear(&j.names);
    RLTI_FREE(j.first_child, j.next_sibling);
    return status;
}
