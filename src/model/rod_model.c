#include "model/rod_model.h"

#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "model/coil_shape.h"
#include "model/fold.h"
#include "model/rod_material.h"
#include "scene/readers.h"
#include "scene/schema.h"

/* Angles have the same bits on every machine. */
#define RLTI_LANES_REFERENCE
#include "base/lanes_math.h"

/* Edges shorter than this share of the strand's mean count as that long for stiffness and mass: files have
 * some that are hardly there. */
static const double shortest = 1e-3;

static double effective_length(const rlti_rod_strand *s, double length) {
    double least = shortest * s->segment;
    return length > least ? length : least;
}

/* ---- rest shape ---- */

/* Directors of a strand along `points` [count], carried without twist from the root's: [count - 1]. */
static void set_directors(int count, const rlti_vec3 *points, rlti_vec3 root, rlti_vec3 *directors) {
    rlti_fold_root at = {rlti_normalize(rlti_sub(points[1], points[0])), root};
    directors[0] = root;
    for (int i = 1; i + 1 < count; i++) {
        at = rlti_fold_root_carry(at, rlti_normalize(rlti_sub(points[i + 1], points[i])));
        directors[i] = at.n;
    }
}

/* Across the first bend that there is, so that a flat hair bends there over its thin side. */
static rlti_vec3 first_binormal(int count, const rlti_vec3 *points) {
    rlti_vec3 u = rlti_normalize(rlti_sub(points[1], points[0]));
    const double least = 1e-3; /* sine of a bend that counts */
    for (int i = 1; i + 1 < count; i++) {
        rlti_vec3 b = rlti_cross(u, rlti_normalize(rlti_sub(points[i + 1], points[i])));
        double size = rlti_length(b);
        if (size > least)
            return rlti_scale(1.0 / size, b);
    }
    return rlti_perpendicular(u);
}

int rlti_rod_is_folded(rlti_vec3 before, rlti_vec3 after) {
    rlti_vec3 t0 = rlti_normalize(before), t1 = rlti_normalize(after);
    return rlti_dot(t0, t1) < 0.0 && !(rlti_length(rlti_cross(t0, t1)) > 0.0);
}

/* Turning angle and its parts about the directors of the edge after the joint. */
static rlti_rod_curve set_joint(double *c, rlti_vec3 before, rlti_vec3 after, rlti_vec3 director) {
    rlti_vec3 t0 = rlti_normalize(before), t1 = rlti_normalize(after), b = rlti_cross(t0, t1);
    double sine = rlti_length(b), cosine = rlti_dot(t0, t1), angle = lane_atan2(sine, cosine);
    b = sine > 0.0 ? rlti_scale(angle / sine, b) : rlti_v3(0, 0, 0);
    c[RLTI_ROD_PHI_0] = rlti_dot(b, director);
    c[RLTI_ROD_PHI_1] = rlti_dot(b, rlti_cross(t1, director));
    c[RLTI_ROD_THETA] = 0.0;
    return rlti_rod_curve_of(angle, sine, cosine);
}

/* Lengths; returns the strand's. */
static double set_lengths(rlti_rod_model *model, rlti_rod_strand *s, const rlti_vec3 *points) {
    double total = 0.0;
    for (int i = 0; i + 1 < s->points; i++) {
        model->rest[s->first + i] = rlti_length(rlti_sub(points[i + 1], points[i]));
        total += model->rest[s->first + i];
    }
    s->segment = total / (s->points - 1);
    model->matter->segment[s - model->strands] = s->segment;
    for (int i = 0; i + 1 < s->points; i++)
        model->constants[s->first + i][RLTI_ROD_LENGTH] = effective_length(s, model->rest[s->first + i]);
    return total;
}

/* Directors, curvatures and twist of the shape that `points` have, from the strand's root director on. */
static void set_shape(rlti_rod_model *model, const rlti_rod_strand *s, const rlti_vec3 *points) {
    rlti_rod_curve *curve = model->curve + s->first;
    if (model->coil) {
        rlti_coil_shape(s->points, points, s->direction, s->director, model->constants + s->first, curve);
        return;
    }
    rlti_vec3 *directors = (rlti_vec3 *)(void *)model->directors[s->first]; /* three doubles in a row */
    set_directors(s->points, points, s->director, directors);
    curve[0] = set_joint(model->constants[s->first], s->direction, s->direction, s->director);
    for (int i = 1; i + 1 < s->points; i++)
        curve[i] = set_joint(model->constants[s->first + i], rlti_sub(points[i], points[i - 1]),
                             rlti_sub(points[i + 1], points[i]), directors[i]);
}

/* Half the edges on both sides of a joint; that of the root has one. */
static double joint_length(const rlti_rod_model *model, const rlti_rod_strand *s, int i) {
    const double *rest = model->rest + s->first;
    return 0.5 * ((i > 0 ? effective_length(s, rest[i - 1]) : 0.0) + effective_length(s, rest[i]));
}

/* Constants of a strand from its stiffness per length. */
static void set_stiffness(rlti_rod_model *model, int index) {
    const rlti_rod_strand *s = &model->strands[index];
    for (int i = 0; i + 1 < s->points; i++) {
        const double *k = model->stiffness[s->first + i];
        double *c = model->constants[s->first + i];
        c[RLTI_ROD_STRETCH] = k[RLTI_ROD_EA] / effective_length(s, model->rest[s->first + i]);
        double length = joint_length(model, s, i);
        const rlti_rod_curve *curve = &model->curve[s->first + i];
        c[RLTI_ROD_BEND_0] = curve->bend * k[RLTI_ROD_EI_0] / length;
        c[RLTI_ROD_BEND_1] = curve->bend * k[RLTI_ROD_EI_1] / length;
        if (model->coil) /* about the edge */
            length = effective_length(s, model->rest[s->first + i]);
        c[RLTI_ROD_TWIST] = curve->twist * k[RLTI_ROD_GJ] / length;
    }
    if (model->coil)
        rlti_coil_soften(s->points, model->constants + s->first);
}

void rlti_rod_model_reshape(rlti_rod_model *model, int index, const rlti_vec3 *points) {
    rlti_rod_strand *s = &model->strands[index];
    rlti_fold_root root = rlti_fold_root_carry((rlti_fold_root){s->groomed[0], s->groomed[1]},
                                               rlti_normalize(rlti_sub(points[1], points[0])));
    s->direction = root.u;
    s->director = root.n;
    set_lengths(model, s, points);
    set_shape(model, s, points);
    set_stiffness(model, index);
}

/* ---- material ---- */

/* Materials of a section at root and tip, for its note. */
typedef struct noted {
    int strands;
    rlti_rod_material root, tip;
} noted;

static void set_edge(double *k, double *c, const rlti_rod_material *m, double length) {
    k[RLTI_ROD_EA] = m->stretch;
    c[RLTI_ROD_INERTIA] = m->mass * length * m->gyration;
    c[RLTI_ROD_DAMP_STRETCH] = m->damping;
}

static void set_bend(double *k, double *c, const rlti_rod_material *m) {
    k[RLTI_ROD_EI_0] = m->bend_0;
    k[RLTI_ROD_EI_1] = m->bend_1;
    k[RLTI_ROD_GJ] = m->twist;
    c[RLTI_ROD_DAMP_BEND] = c[RLTI_ROD_DAMP_TWIST] = m->damping;
}

static void set_material(rlti_rod_model *model, int index, const rlti_scene_data *scene,
                         const rlti_strands *strands, double total, double *scratch, noted *note) {
    const rlti_rod_strand *s = &model->strands[index];
    const rlti_hair_data *hair = &scene->hair[strands->hair[index]];
    rlti_rod_curl curl = {0};
    if (hair->rod.converted)
        curl = rlti_rod_curl_of(strands, index, hair, scratch);
    double along = 0.0;
    for (int i = 0; i < s->points; i++) {
        int p = s->first + i;
        double before = i > 0 ? effective_length(s, model->rest[p - 1]) : 0.0,
               after = i + 1 < s->points ? effective_length(s, model->rest[p]) : 0.0;
        along += i > 0 ? model->rest[p - 1] : 0.0;
        rlti_rod_material m = rlti_rod_material_at(scene, strands, hair, &curl, p, 0, along / total);
        model->mass[p] = m.mass * 0.5 * (before + after);
        model->drag[p] = rlti_strands_value(strands, &hair->drag, p, along / total);
        if (note->strands == 0 && i == 0)
            note->root = m;
        note->tip = note->strands == 0 ? m : note->tip;
        set_bend(model->stiffness[p], model->constants[p], &m);
        if (i + 1 == s->points)
            continue;
        m = rlti_rod_material_at(scene, strands, hair, &curl, p, 1, (along + 0.5 * model->rest[p]) / total);
        set_edge(model->stiffness[p], model->constants[p], &m, after);
    }
    note->strands++;
}

static void set_strand(rlti_rod_model *model, int index, const rlti_scene_data *scene,
                       const rlti_strands *strands, double *scratch, noted *note) {
    rlti_rod_strand *s = &model->strands[index];
    s->first = strands->first[index];
    s->points = strands->first[index + 1] - s->first;
    const rlti_vec3 *points = strands->points + s->first;
    double total = set_lengths(model, s, points);
    s->groomed[0] = rlti_normalize(rlti_sub(points[1], points[0]));
    s->groomed[1] = first_binormal(s->points, points);
    set_material(model, index, scene, strands, total, scratch, note);
    rlti_rod_model_reshape(model, index, points);
}

/* "; as the map of hair.bend.stiffness has it", where maps give the material. */
static void list_maps(const rlti_hair_data *hair, char *text, size_t size) {
    const rlti_reader *reader;
    int used = 0;
    text[0] = '\0';
    for (int i = 0; (reader = rlti_reader_at(i)) != NULL && used < (int)size; i++) {
        const rlti_row *row = rlti_schema_row(rlti_schema_find(reader->key));
        const char *at = (const char *)hair + row->offset;
        if (reader->convert == NULL || row->type != RLTI_TYPE_RAMP || !rlti_hair_reads(hair, reader->key) ||
            ((const rlti_ramp *)(const void *)at)->attribute[0] == '\0')
            continue;
        used += snprintf(text + used, size - (size_t)used, "%s%s",
                         used > 0 ? ", " : "; others by their maps: ", reader->key);
    }
}

static void note_conversion(const rlti_scene_data *scene, const rlti_hair_data *hair, const noted *note,
                            rlt_messages *messages) {
    char young[2][32], damping[2][32], maps[200];
    const rlti_rod_material *ends[2] = {&note->root, &note->tip};
    for (int e = 0; e < 2; e++) {
        snprintf(young[e], sizeof young[e], "%.2g", rlti_rod_young_of(scene, ends[e]));
        snprintf(damping[e], sizeof damping[e], "%.2g", ends[e]->damping);
    }
    list_maps(hair, maps, sizeof maps);
    rlti_message(messages, RLT_NOTE,
                 "%s: hair '%s': model: %s: %s: its first strand bends like hair of 40 um with a Young's "
                 "modulus of %s Pa at the root, %s at the tip; damping %s s, %s s%s",
                 hair->model_place, hair->name, hair->model, hair->rod.reason, young[0], young[1], damping[0],
                 damping[1], maps);
}

/* ---- all strands ---- */

static rlt_status set_strands(rlti_rod_model *model, const rlti_scene_data *scene,
                              const rlti_strands *strands, const unsigned char *mine,
                              rlt_messages *messages) {
    noted *notes = RLTI_NEW(noted, scene->hair_count);
    double *scratch = RLTI_NEW(double, rlti_matter_longest(model->matter));
    if (notes == NULL || scratch == NULL) {
        rlti_free(notes);
        rlti_free(scratch);
        return rlti_out_of_memory(messages);
    }
    for (int s = 0; s < strands->strand_count; s++)
        if (mine == NULL || mine[s])
            set_strand(model, s, scene, strands, scratch, &notes[strands->hair[s]]);
    for (int h = 0; h < scene->hair_count; h++)
        if (notes[h].strands > 0 && scene->hair[h].rod.converted)
            note_conversion(scene, &scene->hair[h], &notes[h], messages);
    rlti_rod_check(scene, strands, mine, messages);
    rlti_free(notes);
    rlti_free(scratch);
    return RLT_OK;
}

static rlt_status create(const rlti_scene_data *scene, const rlti_strands *strands, const unsigned char *mine,
                         rlti_matter *matter, int coil, rlt_messages *messages, rlti_rod_model **result) {
    *result = NULL;
    rlti_rod_model *model = RLTI_NEW(rlti_rod_model, 1);
    if (model == NULL)
        return rlti_out_of_memory(messages);
    model->coil = coil;
    model->strand_count = strands->strand_count;
    model->point_count = strands->point_count;
    model->matter = matter;
    model->mass = matter->mass;
    model->drag = matter->drag;
    model->rest = matter->rest;
    model->strands = RLTI_NEW(rlti_rod_strand, strands->strand_count);
    int ok = model->strands != NULL;
#define MAKE(array, has)                                                                                     \
    if (has)                                                                                                 \
        model->array = rlti_allocate((size_t)model->point_count, sizeof *model->array);                      \
    ok = ok && (!(has) || model->array != NULL);
    RLTI_ROD_ARRAYS(MAKE)
    rlt_status status =
        ok ? set_strands(model, scene, strands, mine, messages) : rlti_out_of_memory(messages);
    if (status != RLT_OK) {
        rlti_rod_model_destroy(model);
        return status;
    }
    *result = model;
    return RLT_OK;
}

rlt_status rlti_rod_model_create(const rlti_scene_data *scene, const rlti_strands *strands,
                                 const unsigned char *mine, rlti_matter *matter, rlt_messages *messages,
                                 rlti_rod_model **model) {
    return create(scene, strands, mine, matter, 0, messages, model);
}

rlt_status rlti_coil_model_create(const rlti_scene_data *scene, const rlti_strands *strands,
                                  const unsigned char *mine, rlti_matter *matter, rlt_messages *messages,
                                  rlti_rod_model **model) {
    return create(scene, strands, mine, matter, 1, messages, model);
}

void rlti_rod_model_destroy(rlti_rod_model *model) {
    if (model == NULL)
        return;
#define FREE(array, has) rlti_free(model->array);
    RLTI_ROD_ARRAYS(FREE)
    rlti_free(model->strands);
    rlti_free(model);
}

size_t rlti_rod_model_bytes(const rlti_rod_model *model) {
    size_t point = 0;
#define ADD(array, has) point += (has) ? sizeof *model->array : 0;
    RLTI_ROD_ARRAYS(ADD)
    return sizeof *model + (size_t)model->strand_count * sizeof *model->strands +
           (size_t)model->point_count * point;
}

uint64_t rlti_rod_model_checksum(const rlti_rod_model *model, uint64_t hash) {
#define HASH(array, has)                                                                                     \
    if (has)                                                                                                 \
        hash = rlti_checksum(hash, model->array, (size_t)model->point_count * sizeof *model->array);
    RLTI_ROD_ARRAYS(HASH)
    return hash;
}
