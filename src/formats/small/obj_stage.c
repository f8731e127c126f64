/* Wavefront .obj as a stage with one mesh: vertices, polygons and, where every corner has some, texture
 * coordinates. io/obj.c reads and checks the text first; here it is gone through once more for what triangles
 * do not hold. */
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "formats/tree/plain_stage.h"
#include "formats/tree/readers.h"
#include "io/obj.h"

enum { WORD = 64 };

/* A text that was found to be good. */
typedef struct scan {
    const char *at, *end;
    int vertices, textures; /* so far */
    int faces, corners, lines;
    int has_textures; /* every corner so far has one */
    /* NULL in the first pass, which only counts */
    int32_t *counts, *points, *coordinates;
    float (*values)[2];
} scan;

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* The next word of the line, cut short; 0 at its end. A backslash before the line's end continues in the
 * next. */
static size_t next_word(scan *s, char word[WORD]) {
    size_t length = 0;
    for (;;) {
        while (s->at < s->end && is_blank(*s->at))
            s->at++;
        if (s->at == s->end || *s->at != '\\')
            break;
        s->at++;
        while (s->at < s->end && is_blank(*s->at))
            s->at++;
        s->at += s->at < s->end && *s->at == '\n';
    }
    for (; s->at < s->end && !is_blank(*s->at) && *s->at != '\n' && *s->at != '\\' && *s->at != '#'; s->at++)
        if (length + 1 < WORD)
            word[length++] = *s->at;
    word[length] = '\0';
    return length;
}

/* An index from 0; negative ones count back from those so far. -1 where there is none. */
static long long index_of(const char **text, int so_far) {
    const char *p = *text;
    int is_negative = *p == '-';
    long long value = 0;
    p += *p == '-' || *p == '+';
    if (*p < '0' || *p > '9')
        return -1;
    for (; *p >= '0' && *p <= '9'; p++)
        value = value < 1000000000000 ? 10 * value + (*p - '0') : value;
    *text = p;
    return is_negative ? so_far - value : value - 1;
}

static void read_corner(scan *s, const char *word) {
    long long point = index_of(&word, s->vertices), texture = -1;
    if (*word == '/') {
        word++;
        texture = index_of(&word, s->textures);
    }
    s->has_textures &= texture >= 0 && texture < RLTI_OBJ_VERTICES_MAX;
    if (s->points != NULL) {
        s->points[s->corners] = (int32_t)point; /* checked before */
        s->coordinates[s->corners] = (int32_t)(s->has_textures ? texture : 0);
    }
    s->corners++;
}

static void read_texture(scan *s) {
    char word[WORD];
    double pair[2] = {0.0, 0.0};
    for (int c = 0; c < 2; c++) {
        size_t length = next_word(s, word);
        if (length > 0 && rlti_number_parse(word, length, &pair[c]) != RLTI_NUMBER_FINITE)
            s->has_textures = 0;
    }
    if (s->values != NULL) {
        s->values[s->textures][0] = (float)pair[0];
        s->values[s->textures][1] = (float)pair[1];
    }
    s->textures++;
}

static void go_through(scan *s) {
    char word[WORD];
    s->has_textures = 1;
    while (s->at < s->end) {
        next_word(s, word);
        if (strcmp(word, "v") == 0) {
            s->vertices++;
        } else if (strcmp(word, "vt") == 0) {
            read_texture(s);
        } else if (strcmp(word, "f") == 0 || strcmp(word, "fo") == 0) {
            int first = s->corners;
            while (next_word(s, word) > 0)
                read_corner(s, word);
            if (s->counts != NULL)
                s->counts[s->faces] = s->corners - first;
            s->faces++;
        } else if (strcmp(word, "l") == 0) {
            s->lines++;
        }
        const char *stop = memchr(s->at, '\n', (size_t)(s->end - s->at));
        s->at = stop != NULL ? stop + 1 : s->end;
    }
}

/* 1 when every corner leads to texture coordinates. */
static int are_textures_good(const scan *s) {
    if (!s->has_textures || s->textures == 0)
        return 0;
    for (int i = 0; i < s->corners; i++)
        if (s->coordinates[i] >= s->textures)
            return 0;
    return 1;
}

static int add_textures(rlti_stage *stage, const scan *s) {
    static const rlti_array_type texture = {RLTI_FLOAT, 2, RLTI_ROLE_TEXTURE, 1},
                                 whole = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};
    rlti_plain_run values = {
        .from = (const unsigned char *)s->values, .stride = 8, .count = (size_t)s->textures};
    rlti_plain_run indices = {
        .from = (const unsigned char *)s->coordinates, .stride = 4, .count = (size_t)s->corners};
    if (!rlti_plain_attribute(stage, "st", RLTI_PRIMVAR, texture, RLTI_FACE_VARYING, values) ||
        !rlti_plain_attribute(stage, "st:indices", RLTI_PRIMVAR, whole, RLTI_FACE_VARYING, indices))
        return 0;
    rlti_attribute *last = &stage->attributes[stage->attribute_count - 1];
    last->is_index = 1;
    last[-1].indices = stage->prims[0].attribute_count - 1;
    return 1;
}

/* Of what the text has, only faces are read. */
static void report_losses(const scan *s, const char *path, rlt_messages *messages) {
    if (s->lines > 0)
        rlti_warn(messages,
                  "%s: %d lines are left out, their points stay in the mesh; take curves from another format",
                  path, s->lines);
    if (s->textures > 0 && !are_textures_good(s))
        rlti_warn(messages, "%s: texture coordinates are left out: a corner has none; give every corner some",
                  path);
}

static int build(rlti_stage *stage, const rlti_obj *obj, const char *text, size_t size,
                 rlt_messages *messages) {
    static const rlti_array_type point = {RLTI_FLOAT, 3, RLTI_ROLE_POINT, 1},
                                 whole = {RLTI_INT32, 1, RLTI_ROLE_NONE, 1};
    rlti_plain *plain = stage->own;
    rlti_prim prim = {
        .path = "/mesh", .name = "mesh", .type_name = "obj", .parent = -1, .kind = RLTI_PRIM_MESH};
    scan counting = {.at = text, .end = text + size};
    go_through(&counting);
    size_t vertices = (size_t)obj->vertex_count, corners = (size_t)counting.corners,
           faces = (size_t)counting.faces;
    scan s = {.at = text, .end = text + size};
    float *points = plain->memory[0] = rlti_allocate(vertices, sizeof(float[3]));
    s.counts = plain->memory[1] = rlti_allocate(faces, sizeof *s.counts);
    s.points = plain->memory[2] = rlti_allocate(2 * corners + 1, sizeof *s.points);
    s.values = plain->memory[3] = rlti_allocate((size_t)counting.textures, sizeof(float[2]));
    if (points == NULL || s.counts == NULL || s.points == NULL || s.values == NULL)
        return 0;
    s.coordinates = s.points + corners;
    go_through(&s);
    report_losses(&s, stage->file, messages);
    for (size_t i = 0; i < 3 * vertices; i++)
        points[i] = (float)obj->vertices[i / 3][i % 3];
    rlti_plain_run point_run = {.from = plain->memory[0], .stride = 12, .count = vertices};
    rlti_plain_run count_run = {.from = plain->memory[1], .stride = 4, .count = faces};
    rlti_plain_run index_run = {.from = plain->memory[2], .stride = 4, .count = corners};
    stage->default_prim = 0;
    return rlti_stage_add_prim(stage, &prim) >= 0 &&
           rlti_plain_attribute(stage, "points", RLTI_BUILT_IN, point, RLTI_VERTEX, point_run) &&
           rlti_plain_attribute(stage, "faceVertexCounts", RLTI_BUILT_IN, whole, RLTI_UNIFORM, count_run) &&
           rlti_plain_attribute(stage, "faceVertexIndices", RLTI_BUILT_IN, whole, RLTI_FACE_VARYING,
                                index_run) &&
           (!are_textures_good(&s) || add_textures(stage, &s));
}

rlt_status rlti_obj_stage_open(const char *path, rlti_file_map *map, rlt_messages *messages,
                               rlti_stage **stage) {
    rlti_obj *obj;
    rlti_file_map none = {0};
    *stage = NULL;
    rlt_status status = rlti_obj_parse(path, (const char *)map->bytes, map->size, messages, &obj);
    if (status == RLT_OK) {
        rlti_stage *made = rlti_plain_create(path, "obj", &none);
        if (made == NULL || !build(made, obj, (const char *)map->bytes, map->size, messages)) {
            rlti_stage_close(made);
            made = NULL;
            status = rlti_out_of_memory(messages);
        }
        rlti_obj_destroy(obj);
        *stage = made;
    }
    rlti_file_map_close(map);
    return status;
}
