/* ringlet inspect: what is in a file, and what is wrong with it. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "commands.h"
#include "console.h"

/* Without --all no more lines than these. */
#define PRIM_LINES      100
#define ATTRIBUTE_LINES 24
#define PROBLEM_LINES   40

typedef struct limits {
    int all, as_json;
    int prims, attributes; /* of JSON too */
    args_list variants;
} limits;

static void print_size(char *text, size_t size, long long bytes) {
    if (bytes < 0)
        snprintf(text, size, "cannot be read");
    else if (bytes < 10000)
        snprintf(text, size, "%lld B", bytes);
    else if (bytes < 10000000)
        snprintf(text, size, "%.1f kB", 1e-3 * (double)bytes);
    else
        snprintf(text, size, "%.1f MB", 1e-6 * (double)bytes);
}

static void print_facts(const char *path, const rlt_file_facts *facts) {
    char size[32];
    print_size(size, sizeof size, facts->bytes);
    printf("%s: %s%s%s, %s, %d prims\n", path, facts->format, facts->version[0] ? " " : "", facts->version,
           size, facts->prim_count);
    if (facts->metres_per_unit > 0.0)
        printf("  unit %g m", facts->metres_per_unit);
    else
        printf("  unit not stated");
    if (facts->up_axis)
        printf(", %c up", facts->up_axis);
    else
        printf(", up axis not stated");
    if (facts->codes_per_second == 1.0 && strncmp(facts->format, "usd", 3) != 0)
        printf("; seconds %g to %g", facts->first_time, facts->last_time);
    else
        printf("; time codes %g to %g, %g a second", facts->first_time, facts->last_time,
               facts->codes_per_second);
    if (facts->frames_per_second > 0.0)
        printf(", %g frames/s", facts->frames_per_second);
    printf("\n");
}

static int depth_of(const rlt_file *file, const rlt_file_prim *prim) {
    rlt_file_prim above = *prim;
    int depth = 0;
    while (above.parent >= 0 && rlt_file_get_prim(file, above.parent, &above))
        depth++;
    return depth;
}

static void print_prim(const rlt_file_prim *prim, int depth) {
    printf("%*s%s  %s", 2 + 2 * depth, "", prim->name, prim->kind);
    if (prim->type_name[0] && strcmp(prim->type_name, prim->kind) != 0)
        printf(" (%s)", prim->type_name);
    if (prim->curves >= 0)
        printf(", %lld curves", prim->curves);
    if (prim->faces >= 0)
        printf(", %lld faces", prim->faces);
    if (prim->points >= 0)
        printf(", %lld points", prim->points);
    if (prim->curve_type[0]) {
        printf(", %s", prim->curve_type);
        if (strcmp(prim->curve_type, "cubic") == 0)
            printf(" %s", prim->basis);
        printf(" %s", prim->wrap);
    }
    if (prim->scheme[0] && strcmp(prim->scheme, "none") != 0)
        printf(", cage (%s)", prim->scheme);
    if (prim->left_handed)
        printf(", left-handed");
    if (prim->transform_samples == 0)
        printf(", transform");
    else if (prim->transform_samples > 0)
        printf(", transform with %d samples", prim->transform_samples);
    if (strcmp(prim->purpose, "default") != 0)
        printf(", purpose %s", prim->purpose);
    if (prim->is_hidden)
        printf(", hidden");
    if (prim->links > 0)
        printf(", %d link%s", prim->links, prim->links == 1 ? "" : "s");
    printf("\n");
}

static void print_attribute(const rlt_file_attribute *a, int depth) {
    char size[32];
    print_size(size, sizeof size, a->bytes);
    printf("%*s%-24s %s%s%s%s, %s", 6 + 2 * depth, "", a->name, a->type, a->role[0] ? " (" : "", a->role,
           a->role[0] ? ")" : "", a->interpolation);
    if (a->values >= 0)
        printf(", %lld value%s", a->values, a->values == 1 ? "" : "s");
    if (a->is_indexed)
        printf(", indexed");
    if (a->samples > 0)
        printf(", %d sample%s from %g to %g", a->samples, a->samples == 1 ? "" : "s", a->first_time,
               a->last_time);
    printf(", %s\n", size);
}

static void print_tree(const rlt_file *file, const rlt_file_facts *facts, const limits *limit) {
    rlt_file_prim prim = {.size = sizeof prim};
    for (int i = 0; i < limit->prims && rlt_file_get_prim(file, i, &prim); i++) {
        int depth = depth_of(file, &prim);
        rlt_file_attribute attribute = {.size = sizeof attribute};
        print_prim(&prim, depth);
        for (int a = 0; a < limit->attributes && rlt_file_get_attribute(file, i, a, &attribute); a++)
            print_attribute(&attribute, depth);
        if (prim.attribute_count > limit->attributes)
            printf("%*s... and %d more attributes (--all)\n", 6 + 2 * depth, "",
                   prim.attribute_count - limit->attributes);
    }
    if (facts->prim_count > limit->prims)
        printf("  ... and %d more prims (--all)\n", facts->prim_count - limit->prims);
}

/* ---- as JSON ---- */

static void json_count(json *out, const char *name, long long value) {
    if (value >= 0)
        json_integer(out, name, value);
    else
        json_null(out, name);
}

static void json_attribute(json *out, const rlt_file_attribute *a) {
    json_begin_object(out, NULL);
    json_string(out, "name", a->name);
    json_string(out, "class", a->class_name);
    json_string(out, "type", a->type);
    json_string(out, "role", a->role);
    json_string(out, "interpolation", a->interpolation);
    json_boolean(out, "indexed", a->is_indexed);
    json_boolean(out, "default", a->has_default);
    json_integer(out, "samples", a->samples);
    json_known(out, "first_time", a->first_time, a->samples > 0);
    json_known(out, "last_time", a->last_time, a->samples > 0);
    json_count(out, "values", a->values);
    json_count(out, "bytes", a->bytes);
    json_integer(out, "element_size", a->element_size);
    json_end_object(out);
}

static void json_prim(json *out, const rlt_file *file, int index, const rlt_file_prim *prim,
                      const limits *limit) {
    json_begin_object(out, NULL);
    json_string(out, "path", prim->path);
    json_string(out, "kind", prim->kind);
    json_string(out, "type", prim->type_name);
    json_string(out, "purpose", prim->purpose);
    json_boolean(out, "hidden", prim->is_hidden);
    if (strcmp(prim->kind, "curves") == 0) {
        json_count(out, "curves", prim->curves);
        json_string(out, "curve_type", prim->curve_type);
        json_string(out, "basis", prim->basis);
        json_string(out, "wrap", prim->wrap);
    }
    if (strcmp(prim->kind, "mesh") == 0) {
        json_count(out, "faces", prim->faces);
        json_string(out, "subdivision", prim->scheme);
        json_boolean(out, "left_handed", prim->left_handed);
    }
    json_count(out, "points", prim->points);
    json_count(out, "transform_samples", prim->transform_samples);
    json_integer(out, "links", prim->links);
    json_integer(out, "attribute_count", prim->attribute_count);
    json_begin_array(out, "attributes");
    rlt_file_attribute attribute = {.size = sizeof attribute};
    for (int a = 0; a < limit->attributes && rlt_file_get_attribute(file, index, a, &attribute); a++)
        json_attribute(out, &attribute);
    json_end_array(out);
    json_end_object(out);
}

static void json_file(json *out, const char *path, const rlt_file *file, const limits *limit) {
    rlt_file_facts facts = {.size = sizeof facts};
    rlt_file_prim prim = {.size = sizeof prim};
    rlt_file_get(file, &facts);
    json_string(out, "file", path);
    json_string(out, "format", facts.format);
    json_string(out, "version", facts.version);
    json_integer(out, "bytes", facts.bytes);
    json_known(out, "metres_per_unit", facts.metres_per_unit, facts.metres_per_unit > 0.0);
    char axis[2] = {facts.up_axis, 0};
    json_string(out, "up_axis", facts.up_axis ? axis : NULL);
    json_number(out, "codes_per_second", facts.codes_per_second);
    json_known(out, "frames_per_second", facts.frames_per_second, facts.frames_per_second > 0.0);
    json_number(out, "first_time", facts.first_time);
    json_number(out, "last_time", facts.last_time);
    json_string(out, "default_prim", rlt_file_get_prim(file, facts.default_prim, &prim) ? prim.path : NULL);
    json_integer(out, "prim_count", facts.prim_count);
    json_begin_array(out, "prims");
    for (int i = 0; i < limit->prims && rlt_file_get_prim(file, i, &prim); i++)
        json_prim(out, file, i, &prim, limit);
    json_end_array(out);
}

/* ---- the command ---- */

/* Warnings of opening, as of a reference to a file that is not there, are problems of the file too. */
static int count_warnings(const rlt_messages *messages) {
    int count = 0;
    for (int i = 0; i < rlt_messages_count(messages); i++)
        count += rlt_messages_severity(messages, i) == RLT_WARNING;
    return count;
}

static void print_problems(int count, const rlt_messages *messages, const limits *limit) {
    int listed = 0, problems = 0;
    printf(count == 0 ? "no problems\n" : "%d problem%s\n", count, count == 1 ? "" : "s");
    for (int i = 0; i < rlt_messages_count(messages); i++) {
        problems += rlt_messages_severity(messages, i) != RLT_NOTE;
        if (rlt_messages_severity(messages, i) == RLT_NOTE || (!limit->all && listed == PROBLEM_LINES))
            continue;
        printf("  %s\n", rlt_messages_text(messages, i));
        listed++;
    }
    if (problems > listed)
        printf("  ... and %d more (--all)\n", problems - listed);
}

/* Notes of opening, and all where it failed; its warnings are listed with the problems. */
static void print_opening(const rlt_messages *messages, rlt_status status) {
    if (status != RLT_OK)
        console_messages(messages, 0);
    for (int i = 0; i < rlt_messages_count(messages) && status == RLT_OK; i++)
        if (rlt_messages_severity(messages, i) == RLT_NOTE)
            console_line("note: %s", rlt_messages_text(messages, i));
}

static rlt_status inspect(const char *path, const limits *limit, rlt_messages *messages) {
    char variants[ARGS_VARIANTS];
    rlt_file *file = NULL;
    int as_json = limit->as_json;
    json out = {0};
    rlt_status status = args_join_variants(&limit->variants, variants)
                            ? rlt_file_open_as(path, variants, messages, &file)
                            : RLT_BAD_INPUT;
    int first = rlt_messages_count(messages), problems = count_warnings(messages);
    if (!as_json)
        print_opening(messages, status);
    if (as_json)
        json_begin_object(&out, NULL);
    if (status == RLT_OK && as_json) {
        json_file(&out, path, file, limit);
        problems += rlt_file_problems(file, messages);
        json_integer(&out, "problems", problems);
    } else if (status == RLT_OK) {
        rlt_file_facts facts = {.size = sizeof facts};
        rlt_file_get(file, &facts);
        print_facts(path, &facts);
        print_tree(file, &facts, limit);
        problems += rlt_file_problems(file, messages);
        print_problems(problems, messages, limit);
    } else if (as_json) {
        json_string(&out, "file", path);
    }
    if (as_json)
        status = console_json_end(&out, messages, status);
    /* a tree with values that cannot be read is shown, and is bad all the same */
    for (int i = first; i < rlt_messages_count(messages) && status == RLT_OK; i++)
        if (rlt_messages_severity(messages, i) == RLT_ERROR)
            status = RLT_BAD_INPUT;
    rlt_file_close(file);
    return status;
}

static rlt_status inspect_all(void *context, const args_list *files, rlt_messages *messages) {
    limits *limit = context;
    rlt_status worst = RLT_OK;
    if (limit->all)
        limit->prims = limit->attributes = 1 << 30;
    for (int i = 0; i < files->count; i++) {
        rlt_status status = inspect(files->texts[i], limit, messages);
        rlt_messages_clear(messages);
        if (status != RLT_OK && worst != RLT_FAILED)
            worst = status;
    }
    return worst;
}

int command_inspect(int argc, char **argv) {
    limits limit = {.prims = PRIM_LINES, .attributes = ATTRIBUTE_LINES};
    const args_option options[] = {
        ARGS_VARIANT(&limit.variants),
        {"all", 'a', ARGS_FLAG, &limit.all, NULL, "list every prim, attribute and problem", 0, NULL},
        {"json", 0, ARGS_FLAG, &limit.as_json, NULL, "print one JSON object per file on standard output", 0,
         NULL},
        {0},
    };
    const args_command command = {
        .name = "inspect",
        .usage = "FILE... [options]",
        .summary = "Lists what is in files of hair and meshes (.usda .usdc .usdz .abc .hair .tfx .obj, by "
                   "content): units, times, the tree of prims with their attributes and sizes, and problems: "
                   "counts that do not fit, points that are not finite, strands without length, topology "
                   "that changes, references that lead nowhere. Exit codes: 0 read, 2 cannot be read.",
        .options = options,
        .examples = "  ringlet inspect groom.abc\n"
                    "  ringlet inspect shot.usdc --json --all\n",
        .minimum = 1,
        .maximum = -1,
    };
    return command_run(&command, argc, argv, NULL, inspect_all, &limit);
}
