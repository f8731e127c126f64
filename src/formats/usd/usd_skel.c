/* Bindings to skeletons: found, read and checked. */
#include "formats/usd/usd_skel.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/matrix.h"
#include "formats/usd/usd_names.h"
#include "formats/usd/usd_skel_data.h"
#include "formats/usd/usd_stage.h"

/* ---- what is bound to what ---- */

/* The prim of this kind that the relationship names, on the prim or the nearest parent that has it. */
static int inherited_target(const rlti_stage *stage, int prim, const char *relationship,
                            rlti_prim_kind kind) {
    for (int i = prim; i >= 0 && stage->reader->target != NULL; i = stage->prims[i].parent) {
        int found = stage->reader->target(stage, &stage->prims[i], relationship);
        if (found >= 0)
            return stage->prims[found].kind == kind ? found : -1;
    }
    return -1;
}

static const rlti_attribute *custom(const rlti_stage *stage, int prim, const char *name) {
    return rlti_stage_attribute(stage, &stage->prims[prim], RLTI_CUSTOM, name);
}

static int has_influences(const rlti_stage *stage, int prim) {
    const rlti_prim *owner;
    return rlti_stage_primvar(stage, prim, "skel:jointIndices", &owner) != NULL &&
           rlti_stage_primvar(stage, prim, "skel:jointWeights", &owner) != NULL;
}

int rlti_skel_is_bound(const rlti_stage *stage, int prim) {
    rlti_prim_kind kind = stage->prims[prim].kind;
    if (kind != RLTI_PRIM_MESH && kind != RLTI_PRIM_CURVES)
        return 0;
    if (!has_influences(stage, prim) && custom(stage, prim, "skel:blendShapes") == NULL)
        return 0;
    return inherited_target(stage, prim, "skel:skeleton", RLTI_PRIM_SKELETON) >= 0;
}

/* ---- reading ---- */

typedef struct opener {
    rlti_skel *skel;
    const rlti_stage *stage;
    rlt_messages *messages;
} opener;

/* An attribute that does not change, at the first time it has. A blocked one is empty. */
static rlt_status read_still(const opener *o, const rlti_prim *prim, const rlti_attribute *a,
                             rlti_array *to) {
    if (a == NULL) {
        to->count = 0;
        to->blocked = 1;
        return RLT_OK;
    }
    return o->stage->reader->read(o->stage, prim, a, a->has_default ? -1 : 0, o->messages, to);
}

static rlt_status wrong(const opener *o, const rlti_prim *prim, const char *name, const char *what) {
    return rlti_refuse(o->messages, "%s: %s.%s: %s", o->stage->file, prim->path, name, what);
}

/* `count` matrices into *to; none where the attribute is missing. */
static rlt_status read_matrices(const opener *o, int prim, const char *name, size_t count,
                                double (**to)[16]) {
    const rlti_prim *owner = &o->stage->prims[prim];
    rlti_array array = {0};
    *to = NULL;
    rlt_status status = read_still(o, owner, custom(o->stage, prim, name), &array);
    if (status == RLT_OK && !array.blocked) {
        *to = rlti_allocate(array.count, sizeof **to);
        if (array.count != count || array.type.arity != 16)
            status = wrong(o, owner, name, "not one 4 x 4 matrix per joint");
        else if (*to == NULL || !rlti_array_to_doubles(&array, (*to)[0]))
            status = rlti_out_of_memory(o->messages);
        for (size_t i = 0; status == RLT_OK && *to != NULL && i < 16 * count; i++)
            if (!isfinite((*to)[i / 16][i % 16]))
                status = wrong(o, owner, name, "not finite numbers");
    }
    rlti_array_clear(&array);
    return status;
}

/* The joint whose path is the longest part of this one's; it must stand before it. -2 when it does not. */
static int parent_of(rlti_usd_names *names, const char *path, int joint, char *scratch) {
    size_t length = strlen(path);
    memcpy(scratch, path, length + 1);
    for (char *slash = strrchr(scratch, '/'); slash != NULL; slash = strrchr(scratch, '/')) {
        *slash = '\0';
        int found = rlti_usd_names_find(names, scratch);
        if (found >= 0)
            return found < joint ? found : -2;
    }
    return -1;
}

static rlt_status make_parents(const opener *o, const rlti_array *joints, rlti_usd_names *names) {
    const rlti_prim *owner = &o->stage->prims[o->skel->skeleton];
    const char *const *paths = joints->data;
    size_t longest = 0;
    for (size_t i = 0; i < joints->count; i++)
        longest = strlen(paths[i]) > longest ? strlen(paths[i]) : longest;
    char *scratch = rlti_allocate(longest + 1, 1);
    o->skel->parents = RLTI_NEW(int, joints->count);
    rlt_status status =
        scratch == NULL || o->skel->parents == NULL ? rlti_out_of_memory(o->messages) : RLT_OK;
    for (int i = 0; i < (int)joints->count && status == RLT_OK; i++) {
        if (rlti_usd_names_put(names, paths[i]) != i)
            status = wrong(o, owner, "joints", "the same joint twice");
    }
    for (int i = 0; i < (int)joints->count && status == RLT_OK; i++) {
        o->skel->parents[i] = parent_of(names, paths[i], i, scratch);
        if (o->skel->parents[i] == -2)
            status = wrong(o, owner, "joints", "a joint stands before its parent");
    }
    rlti_free(scratch);
    return status;
}

/* Rest pose in each parent's space: as authored, else from the bind pose. */
static rlt_status make_rest(const opener *o, double (*bind)[16]) {
    rlti_skel *s = o->skel;
    size_t count = (size_t)s->joint_count;
    rlt_status status = read_matrices(o, s->skeleton, "restTransforms", count, &s->rest);
    s->unbind = rlti_allocate(count, sizeof *s->unbind);
    if (status == RLT_OK && s->unbind == NULL)
        status = rlti_out_of_memory(o->messages);
    for (size_t i = 0; i < count && status == RLT_OK; i++)
        if (!rlti_matrix_inverse(bind[i], s->unbind[i]))
            status = wrong(o, &o->stage->prims[s->skeleton], "bindTransforms", "a matrix cannot be inverted");
    if (status != RLT_OK || s->rest != NULL)
        return status;
    s->rest = rlti_allocate(count, sizeof *s->rest);
    if (s->rest == NULL || bind == NULL)
        return rlti_out_of_memory(o->messages);
    for (size_t i = 0; i < count; i++) {
        memcpy(s->rest[i], bind[i], sizeof bind[i]);
        if (s->parents[i] >= 0)
            rlti_matrix_multiply(bind[i], s->unbind[s->parents[i]], s->rest[i]);
    }
    return RLT_OK;
}

static rlt_status read_joints(const opener *o, int prim, const char *name, rlti_array *to) {
    rlt_status status = read_still(o, &o->stage->prims[prim], custom(o->stage, prim, name), to);
    if (status == RLT_OK && !to->blocked && (to->type.element != RLTI_TEXT || to->count > INT_MAX / 64))
        status = wrong(o, &o->stage->prims[prim], name, "not a list of joints");
    if (to->blocked)
        to->count = 0;
    return status;
}

static rlt_status read_skeleton(const opener *o, const rlti_array *joints, rlti_usd_names *names) {
    rlti_skel *s = o->skel;
    const rlti_prim *owner = &o->stage->prims[s->skeleton];
    double(*bind)[16] = NULL;
    s->joint_count = (int)joints->count;
    if (s->joint_count == 0) /* which blend shapes do not need */
        return has_influences(o->stage, s->prim) ? wrong(o, owner, "joints", "the skeleton has no joints")
                                                 : RLT_OK;
    rlt_status status = make_parents(o, joints, names);
    if (status == RLT_OK)
        status = read_matrices(o, s->skeleton, "bindTransforms", joints->count, &bind);
    if (status == RLT_OK && bind == NULL)
        status = wrong(o, owner, "bindTransforms", "missing");
    if (status == RLT_OK)
        status = make_rest(o, bind);
    s->pose = rlti_allocate(joints->count, sizeof *s->pose);
    s->duals = RLTI_NEW(rlti_skel_dual, joints->count);
    if (status == RLT_OK && (s->pose == NULL || s->duals == NULL))
        status = rlti_out_of_memory(o->messages);
    rlti_free(bind);
    return status;
}

/* ---- the motion ---- */

static rlt_status list_times(const opener *o) {
    rlti_skel *s = o->skel;
    const rlti_attribute *from[4] = {s->translations, s->rotations, s->scales, s->shape_weights};
    size_t count = 0, used = 0;
    for (int i = 0; i < 4; i++)
        count += from[i] != NULL && from[i]->sample_count > 1 ? (size_t)from[i]->sample_count : 0;
    s->times = RLTI_NEW(double, count);
    if (s->times == NULL || count > INT_MAX)
        return rlti_out_of_memory(o->messages);
    for (int i = 0; i < 4; i++)
        for (int k = 0; from[i] != NULL && from[i]->sample_count > 1 && k < from[i]->sample_count; k++)
            s->times[used++] = from[i]->times[k];
    qsort(s->times, count, sizeof *s->times, rlti_compare_doubles);
    for (size_t i = 0; i < count; i++)
        if (s->time_count == 0 || s->times[i] > s->times[s->time_count - 1])
            s->times[s->time_count++] = s->times[i];
    return RLT_OK;
}

static rlt_status read_motion(const opener *o, rlti_usd_names *names) {
    rlti_skel *s = o->skel;
    const rlti_stage *stage = o->stage;
    rlti_array joints = {0};
    s->motion = inherited_target(stage, s->skeleton, "skel:animationSource", RLTI_PRIM_SKELETON_MOTION);
    if (s->motion < 0) /* where older files have it */
        s->motion = inherited_target(stage, s->prim, "skel:animationSource", RLTI_PRIM_SKELETON_MOTION);
    if (s->motion < 0)
        return list_times(o);
    s->translations = custom(stage, s->motion, "translations");
    s->rotations = custom(stage, s->motion, "rotations");
    s->scales = custom(stage, s->motion, "scales");
    s->shape_weights = custom(stage, s->motion, "blendShapeWeights");
    rlt_status status = read_joints(o, s->motion, "joints", &joints);
    s->motion_joints = status == RLT_OK ? RLTI_NEW(int, joints.count) : NULL;
    if (status == RLT_OK && s->motion_joints == NULL)
        status = rlti_out_of_memory(o->messages);
    if (status == RLT_OK) {
        s->motion_count = (int)joints.count;
        for (int i = 0; i < s->motion_count && s->motion_joints != NULL; i++)
            s->motion_joints[i] = rlti_usd_names_find(names, ((const char *const *)joints.data)[i]);
        status = list_times(o);
    }
    rlti_array_clear(&joints);
    return status;
}

/* ---- the prim's influences ---- */

/* The prim's own order of joints (skel:joints) into the skeleton's. */
static rlt_status apply_order(const opener *o, const rlti_usd_names *names) {
    rlti_skel *s = o->skel;
    const rlti_prim *owner = &o->stage->prims[s->prim];
    rlti_array order = {0};
    size_t count = s->places * (size_t)s->influences;
    rlt_status status = read_joints(o, s->prim, "skel:joints", &order);
    size_t limit = order.count > 0 ? order.count : (size_t)s->joint_count;
    for (size_t i = 0; i < count && status == RLT_OK; i++) {
        int joint = s->joints[i];
        if (joint < 0 || (size_t)joint >= limit) {
            status = rlti_refuse(
                o->messages,
                "%s: %s.primvars:skel:jointIndices: joint %d at place %zu, but there are %zu joints",
                o->stage->file, owner->path, joint, i, limit);
        } else if (order.count > 0) {
            const char *name = ((const char *const *)order.data)[joint];
            s->joints[i] = rlti_usd_names_find(names, name);
            if (s->joints[i] < 0)
                status = rlti_refuse(o->messages, "%s: %s.skel:joints: the skeleton %s has no joint '%s'",
                                     o->stage->file, owner->path, o->stage->prims[s->skeleton].path, name);
        }
    }
    rlti_array_clear(&order);
    return status;
}

static rlt_status read_influences(const opener *o, const rlti_usd_names *names) {
    rlti_skel *s = o->skel;
    const rlti_stage *stage = o->stage;
    const rlti_prim *owner = &stage->prims[s->prim], *weight_owner = owner;
    const rlti_attribute *indices = rlti_stage_primvar(stage, s->prim, "skel:jointIndices", &owner);
    const rlti_attribute *weights = rlti_stage_primvar(stage, s->prim, "skel:jointWeights", &weight_owner);
    rlti_array a = {0}, b = {0};
    if (indices == NULL || weights == NULL)
        return RLT_OK;
    s->has_joints = 1;
    rlt_status status = read_still(o, owner, indices, &a);
    if (status == RLT_OK)
        status = read_still(o, weight_owner, weights, &b);
    size_t each = (size_t)(indices->element_size > 0 ? indices->element_size : 1);
    s->is_rigid = indices->interpolation == RLTI_CONSTANT;
    if (s->is_rigid)
        each = a.count > 0 ? a.count : 1;
    if (status == RLT_OK &&
        (a.blocked || b.blocked || a.count != b.count || a.count == 0 || a.count % each != 0 ||
         a.type.arity != 1 || b.type.arity != 1 || each > (size_t)s->joint_count * 64 + 64))
        status = rlti_refuse(
            o->messages, "%s: %s: skel:jointIndices (%zu, %zu per point) do not fit skel:jointWeights (%zu)",
            stage->file, owner->path, a.count, each, b.count);
    if (status == RLT_OK) {
        s->influences = (int)each;
        s->places = a.count / each;
        if (!RLTI_ALLOCATE(RLTI_ITEMS(s->joints, a.count), RLTI_ITEMS(s->weights, a.count)))
            status = rlti_out_of_memory(o->messages);
        else if (!rlti_array_to_ints(&a, s->joints) || !rlti_array_to_doubles(&b, s->weights))
            status = wrong(o, owner, "primvars:skel:jointIndices", "not whole numbers");
    }
    for (size_t i = 0; status == RLT_OK && i < a.count; i++)
        if (!isfinite(s->weights[i]))
            status = wrong(o, weight_owner, "primvars:skel:jointWeights", "not finite numbers");
    rlti_array_clear(&a);
    rlti_array_clear(&b);
    return status == RLT_OK ? apply_order(o, names) : status;
}

static rlt_status read_binding(const opener *o) {
    rlti_skel *s = o->skel;
    const rlti_prim *owner = NULL;
    rlti_array array = {0};
    const rlti_attribute *bind = rlti_stage_primvar(o->stage, s->prim, "skel:geomBindTransform", &owner);
    rlti_matrix_identity(s->geom_bind);
    rlt_status status = read_still(o, owner, bind, &array);
    if (status == RLT_OK && !array.blocked &&
        (array.count != 1 || array.type.arity != 16 || !rlti_array_to_doubles(&array, s->geom_bind)))
        status = wrong(o, owner, "primvars:skel:geomBindTransform", "not a 4 x 4 matrix");
    rlti_array_clear(&array);
    const rlti_attribute *method = rlti_stage_primvar(o->stage, s->prim, "skel:skinningMethod", &owner);
    if (status == RLT_OK)
        status = read_still(o, owner, method, &array);
    if (status == RLT_OK && !array.blocked && array.count == 1 && array.type.element == RLTI_TEXT) {
        const char *word = *(const char *const *)array.data;
        s->is_dual = strcmp(word, "dualQuaternion") == 0;
        if (!s->is_dual && strcmp(word, "classicLinear") != 0)
            rlti_warn(o->messages,
                      "%s: %s.primvars:skel:skinningMethod = \"%s\": not known; taken as classicLinear",
                      o->stage->file, owner->path, word);
    }
    rlti_array_clear(&array);
    return status;
}

/* ---- blend shapes ---- */

/* Offsets of the shape or of an in-between; none where it has no value. `points` is how many points it names;
 * -1: it names none, but moves those from the first on. */
static rlt_status read_offsets(const opener *o, const rlti_prim *prim, const rlti_attribute *a, long points,
                               rlti_skel_key *key) {
    rlti_array offsets = {0};
    rlt_status status = read_still(o, prim, a, &offsets);
    if (status == RLT_OK && !offsets.blocked && offsets.count > 0) {
        if (offsets.type.arity != 3 || offsets.count > INT_MAX ||
            (points >= 0 && (size_t)points != offsets.count))
            status = wrong(o, prim, a->name, "do not fit pointIndices");
        key->offsets = rlti_allocate(offsets.count, sizeof *key->offsets);
        if (status == RLT_OK && key->offsets == NULL)
            status = rlti_out_of_memory(o->messages);
        if (status == RLT_OK && !rlti_array_to_doubles(&offsets, key->offsets[0]))
            status = wrong(o, prim, a->name, "not numbers");
        key->count = status == RLT_OK ? (int)offsets.count : 0;
    }
    rlti_array_clear(&offsets);
    return status;
}

static rlt_status read_points(const opener *o, int target, int **points, long *count) {
    const rlti_prim *prim = &o->stage->prims[target];
    rlti_array array = {0};
    rlt_status status = read_still(o, prim, custom(o->stage, target, "pointIndices"), &array);
    *count = -1;
    if (status == RLT_OK && !array.blocked && array.count > 0) {
        *points = RLTI_NEW(int, array.count);
        if (array.type.arity != 1 || array.count > INT_MAX)
            status = wrong(o, prim, "pointIndices", "not numbers");
        else if (*points == NULL)
            status = rlti_out_of_memory(o->messages);
        else if (!rlti_array_to_ints(&array, *points))
            status = wrong(o, prim, "pointIndices", "not numbers");
        *count = (long)array.count;
    }
    rlti_array_clear(&array);
    return status;
}

/* The weight of an in-between; 0 where the attribute is none, or has no weight, as in USD. */
static int weight_of(const opener *o, const rlti_prim *prim, const rlti_attribute *a, double *weight) {
    static const char normals[] = ":normalOffsets";
    size_t length = strlen(a->name);
    int count;
    const rlti_link *links = rlti_stage_links(o->stage, prim, &count);
    if (strncmp(a->name, "inbetweens:", 11) != 0 ||
        (length > sizeof normals && strcmp(a->name + length - (sizeof normals - 1), normals) == 0))
        return 0;
    for (int i = 0; i < count; i++)
        if (links[i].notes.has_weight && strcmp(links[i].name, a->name) == 0) {
            *weight = links[i].notes.weight;
            if (fabs(*weight) > 1e-6 && fabs(*weight - 1.0) > 1e-6)
                return 1;
            rlti_warn(o->messages, "%s: %s.%s: an in-between of weight %g; left out", o->stage->file,
                      prim->path, a->name, *weight);
        }
    return 0;
}

static int compare_keys(const void *a, const void *b) {
    const rlti_skel_key *x = a, *y = b;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static rlt_status read_shape(const opener *o, int target, rlti_skel_shape *shape) {
    const rlti_prim *prim = &o->stage->prims[target];
    const rlti_attribute *whole = custom(o->stage, target, "offsets");
    long points;
    rlt_status status = read_points(o, target, &shape->points, &points);
    shape->keys = RLTI_NEW(rlti_skel_key, prim->attribute_count + 2);
    if (status == RLT_OK && shape->keys == NULL)
        status = rlti_out_of_memory(o->messages);
    if (status != RLT_OK)
        return status;
    shape->key_count = 2; /* nothing at 0 */
    shape->keys[1].weight = 1.0;
    if (whole != NULL)
        status = read_offsets(o, prim, whole, points, &shape->keys[1]);
    for (int i = 0; i < prim->attribute_count && status == RLT_OK; i++) {
        const rlti_attribute *a = &o->stage->attributes[prim->first_attribute + i];
        rlti_skel_key *key = &shape->keys[shape->key_count];
        if (weight_of(o, prim, a, &key->weight)) {
            shape->key_count++;
            status = read_offsets(o, prim, a, points, key);
        }
    }
    qsort(shape->keys, (size_t)shape->key_count, sizeof *shape->keys, compare_keys);
    return status;
}

static rlt_status read_shapes(const opener *o) {
    rlti_skel *s = o->skel;
    rlti_array own = {0}, moved = {0};
    int targets = 0;
    const char *const *paths =
        rlti_usd_targets(o->stage, &o->stage->prims[s->prim], "skel:blendShapeTargets", &targets);
    if (s->motion < 0 || s->shape_weights == NULL || targets == 0)
        return RLT_OK;
    rlt_status status = read_joints(o, s->prim, "skel:blendShapes", &own);
    if (status == RLT_OK)
        status = read_joints(o, s->motion, "blendShapes", &moved);
    s->shapes = RLTI_NEW(rlti_skel_shape, targets);
    if (status == RLT_OK && s->shapes == NULL)
        status = rlti_out_of_memory(o->messages);
    for (int i = 0; status == RLT_OK && i < targets && (size_t)i < own.count; i++) {
        int target = rlti_stage_find(o->stage, paths[i]), weight = -1;
        for (int k = 0; k < (int)moved.count && weight < 0; k++)
            if (strcmp(((const char *const *)moved.data)[k], ((const char *const *)own.data)[i]) == 0)
                weight = k;
        if (weight < 0)
            continue; /* nothing moves it */
        if (target < 0) {
            rlti_warn(o->messages, "%s: %s: the blend shape %s is not there; left out", o->stage->file,
                      o->stage->prims[s->prim].path, paths[i]);
            continue;
        }
        s->shapes[s->shape_count].weight = weight;
        status = read_shape(o, target, &s->shapes[s->shape_count++]);
    }
    rlti_array_clear(&own);
    rlti_array_clear(&moved);
    return status;
}

/* Other programs skin what is below a SkelRoot only. */
static void check_root(const opener *o) {
    const rlti_prim *prims = o->stage->prims;
    for (int i = o->skel->prim; i >= 0; i = prims[i].parent)
        if (strcmp(prims[i].type_name, "SkelRoot") == 0)
            return;
    rlti_warn(o->messages,
              "%s: %s: bound to a skeleton, but not below a SkelRoot; other programs may not move it",
              o->stage->file, prims[o->skel->prim].path);
}

rlt_status rlti_skel_open(const rlti_stage *stage, int prim, rlt_messages *messages, rlti_skel **skel) {
    rlti_skel *s = RLTI_NEW(rlti_skel, 1);
    opener o = {s, stage, messages};
    rlti_array joints = {0};
    rlti_usd_names names = {0};
    *skel = NULL;
    if (s == NULL)
        return rlti_out_of_memory(messages);
    s->stage = stage;
    s->prim = prim;
    s->motion = -1;
    s->skeleton = inherited_target(stage, prim, "skel:skeleton", RLTI_PRIM_SKELETON);
    rlt_status status = s->skeleton < 0 ? wrong(&o, &stage->prims[prim], "skel:skeleton", "names no skeleton")
                                        : read_joints(&o, s->skeleton, "joints", &joints);
    if (status == RLT_OK && !rlti_usd_names_create(&names, (int)joints.count))
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = read_skeleton(&o, &joints, &names);
    if (status == RLT_OK)
        status = read_motion(&o, &names);
    if (status == RLT_OK)
        status = read_influences(&o, &names);
    if (status == RLT_OK)
        status = read_binding(&o);
    if (status == RLT_OK)
        status = read_shapes(&o);
    rlti_usd_names_free(&names);
    rlti_array_clear(&joints);
    if (status == RLT_OK) {
        check_root(&o);
        *skel = s;
    } else {
        rlti_skel_close(s);
    }
    return status;
}

void rlti_skel_close(rlti_skel *skel) {
    if (skel == NULL)
        return;
    for (int i = 0; i < skel->shape_count; i++) {
        for (int k = 0; k < skel->shapes[i].key_count; k++)
            rlti_free(skel->shapes[i].keys[k].offsets);
        RLTI_FREE(skel->shapes[i].points, skel->shapes[i].keys);
    }
    RLTI_FREE(skel->shapes, skel->parents, skel->rest, skel->unbind, skel->motion_joints, skel->times,
              skel->joints, skel->weights, skel->pose, skel->duals, skel);
}

int rlti_skel_times(const rlti_skel *skel, const double **times) {
    *times = skel->times;
    return skel->time_count;
}

int rlti_skel_skeleton(const rlti_skel *skel) {
    return skel->skeleton;
}
