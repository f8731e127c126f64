/* The tree of an Alembic file from what was declared and written: prims become objects, their attributes
 * properties of the schema, parameters or user properties. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "formats/alembic/abc_headers.h"

enum { TEXT_BYTES = 256 };

/* Prims and attributes as trees: the first below, and the next beside; -1 ends. */
typedef struct tree {
    int *first_child, *next_prim;
    int *first_attribute, *next_attribute;
    int first_root;
} tree;

typedef struct publisher {
    const rlti_sink *sink;
    const rlti_abc_writer *own;
    rlti_abc_headers h;
    tree t;
} publisher;

static int make_tree(const rlti_sink *sink, tree *t) {
    t->first_root = -1;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(t->first_child, sink->prim_count + 1),
                       RLTI_ITEMS(t->next_prim, sink->prim_count + 1),
                       RLTI_ITEMS(t->first_attribute, sink->prim_count + 1),
                       RLTI_ITEMS(t->next_attribute, sink->attribute_count + 1)))
        return 0;
    for (int i = 0; i < sink->prim_count; i++)
        t->first_child[i] = t->first_attribute[i] = -1;
    for (int i = sink->prim_count - 1; i >= 0; i--) {
        int *list = sink->prims[i].parent >= 0 ? &t->first_child[sink->prims[i].parent] : &t->first_root;
        t->next_prim[i] = *list;
        *list = i;
    }
    for (int i = sink->attribute_count - 1; i >= 0; i--) {
        t->next_attribute[i] = t->first_attribute[sink->owner[i]];
        t->first_attribute[sink->owner[i]] = i;
    }
    return 1;
}

static void free_tree(tree *t) {
    RLTI_FREE(t->first_child, t->next_prim, t->first_attribute, t->next_attribute);
}

/* ---- properties ---- */

static int has_values(const rlti_abc_track *track) {
    return track->count > 0 || track->has_still;
}

/* Values, with their indices in a compound where they have some. */
static void add_attribute(publisher *p, rlti_abc_compound *to, int attribute, const char *origin,
                          const rlti_abc_span *span) {
    const rlti_attribute *a = &p->sink->attributes[attribute];
    const rlti_abc_form *form = &p->own->forms[attribute];
    const char *name = origin != NULL ? origin : form->property != NULL ? form->property : a->name;
    char text[TEXT_BYTES];
    int indices = a->indices >= 0 ? rlti_abc_indices_of(p->sink, attribute) : -1;
    rlti_abc_parameter_text(a, form, text, sizeof text);
    if (indices < 0 || !has_values(&p->own->tracks[indices])) {
        rlti_abc_add_track(&p->h, to, name, text, form->type, &p->own->tracks[attribute], span);
        return;
    }
    rlti_abc_compound inner = {0};
    rlti_abc_add_track(&p->h, &inner, ".vals", text, form->type, &p->own->tracks[attribute], span);
    rlti_abc_add_track(&p->h, &inner, ".indices", "", p->own->forms[indices].type, &p->own->tracks[indices],
                       span);
    rlti_abc_add_compound(&p->h, to, name, text, &inner);
}

/* The rest of an attribute's origin below a home ("schema/"); NULL where it is elsewhere. */
static const char *origin_below(const publisher *p, int attribute, const char *home) {
    const char *origin = p->sink->attributes[attribute].origin;
    size_t length = strlen(home);
    return p->own->forms[attribute].place == RLTI_ABC_ORIGINAL && strncmp(origin, home, length) == 0
               ? origin + length
               : NULL;
}

/* 1 where an earlier attribute has begun this compound, or others write it. */
static int is_begun(const publisher *p, int prim, int attribute, const char *home, const char *rest,
                    size_t length) {
    if (strcmp(home, "schema/") == 0 &&
        (strncmp(rest, ".arbGeomParams/", length) == 0 || strncmp(rest, ".userProperties/", length) == 0))
        return 1;
    for (int i = p->t.first_attribute[prim]; i != attribute; i = p->t.next_attribute[i]) {
        const char *other = origin_below(p, i, home);
        if (other != NULL && strncmp(other, rest, length) == 0)
            return 1;
    }
    return 0;
}

/* Custom attributes where they stood in the file they are from; compounds are made as they come. */
static void add_original(publisher *p, rlti_abc_compound *to, int prim, const char *home) {
    for (int i = p->t.first_attribute[prim]; i >= 0; i = p->t.next_attribute[i]) {
        const char *rest = origin_below(p, i, home), *slash = rest != NULL ? strchr(rest, '/') : NULL;
        if (rest == NULL)
            continue;
        if (slash == NULL) {
            add_attribute(p, to, i, rest, NULL);
            continue;
        }
        char below[TEXT_BYTES * 8], name[TEXT_BYTES * 8];
        size_t length = (size_t)(slash - rest) + 1;
        if (strlen(home) + length >= sizeof below || is_begun(p, prim, i, home, rest, length))
            continue;
        rlti_abc_compound inner = {0};
        snprintf(below, sizeof below, "%s%.*s", home, (int)length, rest);
        snprintf(name, sizeof name, "%.*s", (int)length - 1, rest);
        add_original(p, &inner, prim, below);
        rlti_abc_add_compound(&p->h, to, name, "", &inner);
    }
}

/* Adds .arbGeomParams and .userProperties where there are any, and what else the schema had. */
static void add_others(publisher *p, rlti_abc_compound *to, int prim) {
    static const struct {
        rlti_abc_place place;
        const char *name, *home;
    } parts[] = {{RLTI_ABC_PARAMETER, ".arbGeomParams", "schema/.arbGeomParams/"},
                 {RLTI_ABC_USER, ".userProperties", "schema/.userProperties/"}};
    for (int k = 0; k < 2; k++) {
        rlti_abc_compound inner = {0};
        for (int i = p->t.first_attribute[prim]; i >= 0; i = p->t.next_attribute[i])
            if (p->own->forms[i].place == parts[k].place)
                add_attribute(p, &inner, i, NULL, NULL);
        add_original(p, &inner, prim, parts[k].home);
        if (inner.children.size > 0)
            rlti_abc_add_compound(&p->h, to, parts[k].name, "", &inner);
    }
    add_original(p, to, prim, "schema/");
}

/* ---- transforms ---- */

static void add_xform(publisher *p, rlti_abc_compound *properties, int prim, int has_others) {
    static const rlti_array_type flag = {RLTI_BOOL, 1, RLTI_ROLE_NONE, 0},
                                 byte = {RLTI_UINT8, 1, RLTI_ROLE_NONE, 0},
                                 matrix = {RLTI_DOUBLE, 16, RLTI_ROLE_NONE, 0},
                                 whole = {RLTI_UINT32, 1, RLTI_ROLE_NONE, 1};
    static const unsigned char no = 0, yes = 1, operation = 0x30;                   /* a matrix */
    static const double up[16] = {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1}; /* rlti_abc_turn_up */
    static const uint32_t channels[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const rlti_abc_track *track = &p->own->prims[prim].transform;
    rlti_abc_compound xform = {0};
    rlti_abc_span span = rlti_abc_span_of(&p->h, track);
    if (has_others)
        add_others(p, &xform, prim);
    rlti_abc_add_still(&p->h, &xform, ".inherits", "", flag, p->sink->prims[prim].resets ? &no : &yes, 1,
                       &span);
    int is_turned = rlti_abc_is_turned(p->sink, prim);
    if (has_values(track) || is_turned) {
        rlti_abc_add_still(&p->h, &xform, ".ops", "", byte, &operation, 1, &span);
        if (has_values(track))
            rlti_abc_add_track(&p->h, &xform, ".vals", "", matrix, track, NULL);
        else
            rlti_abc_add_still(&p->h, &xform, ".vals", "", matrix, up, sizeof up, NULL);
        rlti_abc_add_still(&p->h, &xform, "isNotConstantIdentity", "", flag, &yes, 1, NULL);
        if (track->count > 1)
            rlti_abc_add_still(&p->h, &xform, ".animChans", "", whole, channels, sizeof channels, NULL);
    }
    rlti_abc_add_compound(&p->h, properties, ".xform", "schema=AbcGeom_Xform_v3", &xform);
}

static const char xform_text[] = "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform";

/* ---- shapes ---- */

/* Type, wrap and basis as the format counts them. */
static void add_basis(publisher *p, rlti_abc_compound *geom, const rlti_prim *prim,
                      const rlti_abc_span *span) {
    static const rlti_array_type type = {RLTI_UINT8, 4, RLTI_ROLE_NONE, 0};
    static const unsigned char
        types[] = {[RLTI_CURVE_CUBIC] = 0, [RLTI_CURVE_LINEAR] = 1, [RLTI_CURVE_VARIABLE] = 2},
        bases[] = {[RLTI_BASIS_BEZIER] = 1,  [RLTI_BASIS_BSPLINE] = 2, [RLTI_BASIS_CATMULL_ROM] = 3,
                   [RLTI_BASIS_HERMITE] = 4, [RLTI_BASIS_POWER] = 5,   [RLTI_BASIS_NONE] = 0};
    int is_straight = rlti_abc_is_straightened(prim);
    rlti_curve_type kind = is_straight ? RLTI_CURVE_LINEAR : prim->curve_type;
    unsigned char basis = kind == RLTI_CURVE_LINEAR ? 0 : bases[prim->basis];
    unsigned char bytes[4] = {types[kind], prim->wrap == RLTI_WRAP_PERIODIC, basis, basis};
    char text[TEXT_BYTES] = "";
    if (is_straight && !rlti_abc_has_joints(prim))
        snprintf(text, sizeof text, "ringletCurves=%s", rlti_abc_was_pinned);
    rlti_abc_add_still(&p->h, geom, "curveBasisAndType", text, type, bytes, sizeof bytes, span);
}

static void add_scheme(publisher *p, rlti_abc_compound *geom, const rlti_prim *prim,
                       const rlti_abc_span *span) {
    static const rlti_array_type type = {RLTI_TEXT, 1, RLTI_ROLE_NONE, 0};
    const char *scheme = prim->scheme == RLTI_SCHEME_LOOP       ? "loop"
                         : prim->scheme == RLTI_SCHEME_BILINEAR ? "bilinear"
                                                                : "catmull-clark";
    rlti_abc_add_still(&p->h, geom, ".scheme", "", type, scheme, strlen(scheme) + 1, span);
}

static void add_bounds(publisher *p, rlti_abc_compound *geom, int prim, const rlti_abc_span *span) {
    static const rlti_array_type type = {RLTI_DOUBLE, 6, RLTI_ROLE_BOX, 0};
    static const double nothing[6] = {DBL_MAX, DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX, -DBL_MAX};
    const rlti_abc_track *track = &p->own->prims[prim].bounds;
    if (has_values(track))
        rlti_abc_add_track(&p->h, geom, ".selfBnds", "interpretation=box", type, track, span);
    else
        rlti_abc_add_still(&p->h, geom, ".selfBnds", "interpretation=box", type, nothing, sizeof nothing,
                           span);
}

/* The points' times: what does not change has as many samples, as the format's own library writes it. */
static rlti_abc_span span_of(publisher *p, int prim) {
    for (int i = p->t.first_attribute[prim]; i >= 0; i = p->t.next_attribute[i]) {
        const rlti_abc_form *form = &p->own->forms[i];
        if (form->place == RLTI_ABC_SCHEMA && strcmp(form->property, "P") == 0)
            return rlti_abc_span_of(&p->h, &p->own->tracks[i]);
    }
    return (rlti_abc_span){0, 0};
}

static void add_shape(publisher *p, rlti_abc_compound *properties, int prim, const char *schema,
                      const char *compound) {
    const rlti_prim *about = &p->sink->prims[prim];
    rlti_abc_compound geom = {0};
    rlti_abc_span span = span_of(p, prim);
    char text[TEXT_BYTES];
    add_bounds(p, &geom, prim, &span);
    for (int i = p->t.first_attribute[prim]; i >= 0; i = p->t.next_attribute[i])
        if (p->own->forms[i].place == RLTI_ABC_SCHEMA && has_values(&p->own->tracks[i]))
            add_attribute(p, &geom, i, NULL, &span);
    if (about->kind == RLTI_PRIM_CURVES)
        add_basis(p, &geom, about, &span);
    if (about->kind == RLTI_PRIM_MESH && about->scheme != RLTI_SCHEME_NONE)
        add_scheme(p, &geom, about, &span);
    add_others(p, &geom, prim);
    snprintf(text, sizeof text, "schema=%s;schemaBaseType=AbcGeom_GeomBase_v1", schema);
    rlti_abc_add_compound(&p->h, properties, compound, text, &geom);
}

/* ---- objects ---- */

static void add_visible(publisher *p, rlti_abc_compound *properties, int prim) {
    static const rlti_array_type type = {RLTI_INT8, 1, RLTI_ROLE_NONE, 0};
    static const unsigned char no = 0;
    const rlti_prim *about = &p->sink->prims[prim];
    for (int i = p->t.first_attribute[prim]; i >= 0; i = p->t.next_attribute[i])
        if (p->own->forms[i].place == RLTI_ABC_VISIBILITY && has_values(&p->own->tracks[i])) {
            rlti_abc_add_track(&p->h, properties, "visible", "", type, &p->own->tracks[i], NULL);
            return;
        }
    if (about->is_hidden && !about->is_hidden_above)
        rlti_abc_add_still(&p->h, properties, "visible", "", type, &no, 1, NULL);
}

static void add_prim(publisher *p, rlti_abc_children *to, int prim);

static int is_face_set(const publisher *p, int prim) {
    return p->sink->prims[prim].kind == RLTI_PRIM_FACE_SET;
}

/* Children: all, or face sets only (1), or all but those (0). */
static void add_below(publisher *p, rlti_abc_children *to, int prim, int which) {
    for (int i = p->t.first_child[prim]; i >= 0; i = p->t.next_prim[i])
        if (which < 0 || is_face_set(p, i) == which)
            add_prim(p, to, i);
}

/* A name for the shape below its transform that no other child has. */
static void shape_name(const publisher *p, int prim, char name[TEXT_BYTES]) {
    int is_taken;
    size_t length = strlen(p->sink->prims[prim].name);
    length = length < TEXT_BYTES - 64 ? length : TEXT_BYTES - 64;
    snprintf(name, TEXT_BYTES, "%.*sShape", (int)length, p->sink->prims[prim].name);
    length = strlen(name);
    do {
        is_taken = 0;
        for (int i = p->t.first_child[prim]; i >= 0; i = p->t.next_prim[i])
            is_taken |= strcmp(p->sink->prims[i].name, name) == 0;
        is_taken &= length + 1 < TEXT_BYTES;
        if (is_taken) {
            name[length++] = '_';
            name[length] = '\0';
        }
    } while (is_taken);
}

static void add_shape_object(publisher *p, rlti_abc_children *to, int prim, const char *name, int below) {
    const rlti_prim *about = &p->sink->prims[prim];
    const char *schema = about->kind == RLTI_PRIM_CURVES     ? "AbcGeom_Curve_v2"
                         : about->kind == RLTI_PRIM_FACE_SET ? "AbcGeom_FaceSet_v1"
                         : about->scheme != RLTI_SCHEME_NONE ? "AbcGeom_SubD_v1"
                                                             : "AbcGeom_PolyMesh_v1";
    const char *compound = about->kind == RLTI_PRIM_FACE_SET ? ".faceset" : ".geom";
    rlti_abc_compound properties = {0};
    rlti_abc_children children = {0};
    char text[TEXT_BYTES];
    add_shape(p, &properties, prim, schema, compound);
    add_visible(p, &properties, prim);
    add_original(p, &properties, prim, "object/");
    add_below(p, &children, prim, below);
    snprintf(text, sizeof text, "schema=%s;schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=%s:%s", schema,
             schema, compound);
    rlti_abc_add_object(&p->h, to, name, text, &properties, &children);
}

static void add_prim(publisher *p, rlti_abc_children *to, int prim) {
    const rlti_prim *about = &p->sink->prims[prim];
    int is_shape =
        about->kind == RLTI_PRIM_CURVES || about->kind == RLTI_PRIM_MESH || about->kind == RLTI_PRIM_FACE_SET;
    rlti_abc_compound properties = {0};
    rlti_abc_children children = {0};
    if (is_shape && !p->own->prims[prim].moves) {
        add_shape_object(p, to, prim, about->name, -1);
        return;
    }
    add_xform(p, &properties, prim, !is_shape);
    add_visible(p, &properties, prim);
    if (!is_shape)
        add_original(p, &properties, prim, "object/");
    if (is_shape) {
        char name[TEXT_BYTES];
        shape_name(p, prim, name);
        add_shape_object(p, &children, prim, name, 1);
    }
    add_below(p, &children, prim, is_shape ? 0 : -1);
    rlti_abc_add_object(&p->h, to, about->name, xform_text, &properties, &children);
}

/* ---- the archive ---- */

/* "key=value;key=value", sorted; no date, so that the same run gives the same bytes. */
static void archive_text(const rlti_sink *sink, char *text, size_t size) {
    char rate[64] = "";
    const char *title = sink->def.title != NULL ? sink->def.title : "";
    if (sink->def.frames_per_second > 0.0)
        rlti_number_format(sink->def.frames_per_second, rate, sizeof rate);
    snprintf(text, size, "_ai_AlembicVersion=Alembic 1.8.12;_ai_Application=Ringlet%s%s;_ai_Description=",
             rate[0] != '\0' ? ";_ai_DCC_FPS=" : "", rate);
    size_t used = strlen(text);
    size_t maximum = size - sizeof ";=" - sizeof RLTI_FINGERPRINT_KEY - RLTI_FINGERPRINT_SIZE;
    for (; *title != '\0' && used < maximum; title++)
        text[used++] = *title == ';' || *title == '=' ? ',' : *title;
    text[used] = '\0';
    if (sink->fingerprint[0] != '\0')
        snprintf(text + used, size - used, ";" RLTI_FINGERPRINT_KEY "=%s", sink->fingerprint);
}

rlt_status rlti_abc_compose(rlti_sink *sink, rlti_stream *out, rlt_messages *messages) {
    char text[2048];
    publisher p = {.sink = sink, .own = sink->own};
    rlti_abc_children roots = {0};
    p.h.out = out;
    p.h.codes_per_second = sink->def.codes_per_second;
    p.h.frames_per_second = sink->def.frames_per_second;
    p.h.failed = !make_tree(sink, &p.t);
    if (!p.h.failed) {
        for (int i = p.t.first_root; i >= 0; i = p.t.next_prim[i])
            add_prim(&p, &roots, i);
        archive_text(sink, text, sizeof text);
        rlti_abc_end_archive(&p.h, rlti_abc_end_top(&p.h, &roots), text);
    }
    free_tree(&p.t);
    rlti_abc_headers_free(&p.h);
    if (p.h.failed)
        return rlti_out_of_memory(messages);
    rlti_sink_seal(sink, out);
    return rlti_stream_check(out, messages);
}
