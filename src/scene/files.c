#include "scene/files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "io/inputs.h"
#include "scene/schema.h"

enum { SHOWN = 8 };

typedef struct opened {
    char *path;
    rlti_identity file, folder;
    rlti_stage *stage;
} opened;

struct rlti_files {
    const rlti_scene_data *scene;
    int count, capacity;
    opened *items;
    rlt_inputs *inputs; /* of all of them */
};

rlti_files *rlti_files_create(const rlti_scene_data *scene) {
    rlti_files *files = RLTI_NEW(rlti_files, 1);
    if (files == NULL)
        return NULL;
    files->scene = scene;
    /* a character, and each hair section and collider may have one */
    files->capacity = 1 + scene->hair_count + scene->collider_count;
    files->items = RLTI_NEW(opened, files->capacity);
    files->inputs = rlt_inputs_create();
    if (files->items == NULL || files->inputs == NULL) {
        rlti_files_destroy(files);
        return NULL;
    }
    return files;
}

void rlti_files_destroy(rlti_files *files) {
    if (files == NULL)
        return;
    for (int i = 0; i < files->count; i++) {
        rlti_stage_close(files->items[i].stage);
        rlti_free(files->items[i].path);
    }
    rlti_free(files->items);
    rlt_inputs_destroy(files->inputs);
    rlti_free(files);
}

rlt_inputs *rlti_files_inputs(rlti_files *files) {
    return files->inputs;
}

void rlti_files_path(const rlti_scene_data *scene, const char *name, char *path, size_t size) {
    snprintf(path, size, "%s%s", name[0] == '/' ? "" : scene->folder, name);
}

/* The file that is open already, by another spelling or not, or -1. A second name in another folder is
 * another file: what it names beside itself may be. */
static int find_opened(const rlti_files *files, const char *path, opened *item) {
    int known = rlti_identity_of(path, &item->file) && rlti_identity_of_folder(path, &item->folder);
    for (int i = 0; i < files->count; i++) {
        const opened *other = &files->items[i];
        if (strcmp(other->path, path) == 0 || (known && rlti_identity_same_file(&other->file, &item->file) &&
                                               rlti_identity_same_file(&other->folder, &item->folder)))
            return i;
    }
    return -1;
}

rlt_status rlti_files_open(rlti_files *files, const char *name, rlt_messages *messages,
                           const rlti_stage **stage) {
    char path[RLTI_PATH_SIZE + RLTI_FILE_SIZE];
    rlti_files_path(files->scene, name, path, sizeof path);
    *stage = NULL;
    opened item = {.path = NULL};
    int found = find_opened(files, path, &item);
    if (found >= 0) {
        *stage = files->items[found].stage;
        return RLT_OK;
    }
    if (files->count >= files->capacity)
        return rlti_fail(messages, RLT_FAILED, "%s: more files than the scene names", path);
    item.path = rlti_text_copy(path);
    if (item.path == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_stage_open_as(path, files->scene->files.variants, messages, &item.stage);
    if (status != RLT_OK) {
        rlti_free(item.path);
        return status;
    }
    *stage = item.stage;
    files->items[files->count++] = item;
    return rlti_inputs_gather(files->inputs, item.stage->inputs, messages);
}

static rlt_status protect(rlti_files *files, const char *name, rlt_messages *messages) {
    char path[RLTI_PATH_SIZE + RLTI_FILE_SIZE];
    if (name[0] == '\0')
        return RLT_OK;
    rlti_files_path(files->scene, name, path, sizeof path);
    return rlti_inputs_add_unread(files->inputs, path, messages);
}

rlt_status rlti_files_protect(rlti_files *files, rlt_messages *messages) {
    const rlti_scene_data *scene = files->scene;
    rlt_status status = protect(files, scene->character.file, messages);
    if (status == RLT_OK)
        status = protect(files, scene->motion.file, messages);
    for (int i = 0; i < scene->hair_count && status == RLT_OK; i++)
        status = protect(files, scene->hair[i].file, messages);
    for (int i = 0; i < scene->collider_count && status == RLT_OK; i++)
        status = protect(files, scene->colliders[i].file, messages);
    return status;
}

static const opened *find_stage(const rlti_files *files, const rlti_stage *stage) {
    for (int i = 0; i < files->count; i++)
        if (files->items[i].stage == stage)
            return &files->items[i];
    return NULL;
}

int rlti_files_are_one(const rlti_files *files, const rlti_stage *a, const rlti_stage *b) {
    const opened *one = find_stage(files, a), *other = find_stage(files, b);
    return a != b && one != NULL && other != NULL && rlti_identity_same_file(&one->file, &other->file);
}

/* ---- units, axes, times ---- */

static double assumed_unit(const rlti_scene_data *scene) {
    return scene->files.metres_per_unit > 0.0 ? scene->files.metres_per_unit : scene->metres_per_unit;
}

double rlti_files_unit(const rlti_scene_data *scene, const rlti_stage *stage) {
    return stage->metres_per_unit > 0.0 ? stage->metres_per_unit : assumed_unit(scene);
}

char rlti_files_up(const rlti_scene_data *scene, const rlti_stage *stage) {
    char assumed = scene->files.up == 1 ? 'Z' : 'Y';
    return stage->up_axis != 0 ? stage->up_axis : assumed;
}

void rlti_files_space(const rlti_scene_data *scene, const rlti_stage *stage, double to_scene[16]) {
    rlti_geometry_space(stage, assumed_unit(scene), scene->files.up == 1 ? 'Z' : 'Y', scene->metres_per_unit,
                        'Y', to_scene);
}

double rlti_files_time(const rlti_scene_data *scene, const rlti_stage *stage, const rlti_geometry *geometry,
                       double frame) {
    /* in this order: time codes equal frames exactly where both rates do */
    double per_frame = stage->codes_per_second / scene->time.fps;
    double time = frame * per_frame + scene->files.time_offset * stage->codes_per_second;
    if (geometry == NULL || geometry->time_count == 0)
        return time;
    int low = 0, high = geometry->time_count - 1; /* the last at or before, and the one after it */
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (geometry->times[middle] <= time)
            low = middle;
        else
            high = middle - 1;
    }
    for (int i = low; i <= low + 1 && i < geometry->time_count; i++)
        if (fabs(geometry->times[i] - time) < 1e-5 * per_frame)
            return geometry->times[i];
    return time;
}

double rlti_files_rest_time(const rlti_stage *stage) {
    return stage->first_time;
}

/* ---- choosing prims ---- */

static const char *kind_name(rlti_prim_kind kind) {
    return kind == RLTI_PRIM_MESH ? "mesh" : "curves";
}

/* It or what it is below has such a path. Without a pattern only what the file shows is meant: curves at any
 * time, a mesh at the first one, since of those that take turns one is wanted. Guides are hidden from
 * pictures but not from us. */
static int is_meant(const rlti_stage *stage, int index, rlti_prim_kind kind, const char *pattern) {
    const rlti_prim *prim = &stage->prims[index];
    if (prim->kind != kind)
        return 0;
    if (pattern[0] == '\0')
        return prim->purpose != RLTI_PURPOSE_PROXY &&
               (kind == RLTI_PRIM_CURVES ? rlti_stage_is_shown(stage, index) : !prim->is_hidden);
    for (int p = index; p >= 0; p = stage->prims[p].parent)
        if (rlti_path_fits(stage->prims[p].path, pattern))
            return 1;
    return 0;
}

/* "/a, /b, ... (12 in all)" of those of a kind, and the one closest to a misspelt path. */
static void list_prims(const rlti_stage *stage, rlti_prim_kind kind, const char *wanted, char *list,
                       size_t size) {
    size_t used = 0;
    int count = 0, best = 1000, closest = -1, distance;
    list[0] = '\0';
    for (int i = 0; i < stage->prim_count; i++) {
        const rlti_prim *prim = &stage->prims[i];
        if (prim->kind != kind)
            continue;
        if (count++ < SHOWN && used < size)
            used += (size_t)snprintf(list + used, size - used, "%s%.200s", count > 1 ? ", " : "", prim->path);
        if (rlti_words_close(prim->path, wanted, &distance) && distance < best) {
            best = distance;
            closest = i;
        }
    }
    if (count > SHOWN && used < size)
        used += (size_t)snprintf(list + used, size - used, ", ... (%d in all)", count);
    if (count == 0)
        snprintf(list, size, "the file has none");
    else if (closest >= 0 && used < size)
        snprintf(list + used, size - used, "; did you mean %.200s?", stage->prims[closest].path);
}

rlt_status rlti_files_select(const rlti_stage *stage, rlti_prim_kind kind, const char *pattern,
                             rlt_messages *messages, int *prims, int *count) {
    char list[2304];
    *count = 0;
    for (int i = 0; i < stage->prim_count; i++)
        if (is_meant(stage, i, kind, pattern))
            prims[(*count)++] = i;
    if (*count > 0)
        return RLT_OK;
    int named = pattern[0] != '\0' ? rlti_stage_find(stage, pattern) : -1;
    list_prims(stage, kind, pattern, list, sizeof list);
    if (named >= 0)
        return rlti_refuse(messages, "%s: %s: is a %s, not %s; there are: %s", stage->file, pattern,
                           stage->prims[named].type_name, kind == RLTI_PRIM_MESH ? "a mesh" : "curves", list);
    if (pattern[0] != '\0')
        return rlti_refuse(messages, "%s: no %s at %s; there are: %s", stage->file, kind_name(kind), pattern,
                           list);
    for (int i = 0; i < stage->prim_count; i++)
        if (stage->prims[i].kind == kind)
            return rlti_refuse(messages,
                               "%s: no %s to take: all are invisible %s or proxies; show them in the file or "
                               "name them by prim; there are: %s",
                               stage->file, kind_name(kind),
                               kind == RLTI_PRIM_MESH ? "at the first time" : "at every time", list);
    return rlti_refuse(messages, "%s: no %s to take; there are: %s", stage->file, kind_name(kind), list);
}

rlt_status rlti_files_select_one(const rlti_stage *stage, rlti_prim_kind kind, const char *pattern,
                                 rlt_messages *messages, int *prim) {
    int count = 0;
    int *prims = RLTI_NEW(int, stage->prim_count + 1);
    if (prims == NULL)
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_files_select(stage, kind, pattern, messages, prims, &count);
    *prim = count > 0 ? prims[0] : -1;
    if (status == RLT_OK && count > 1) {
        char list[2304];
        list_prims(stage, kind, "", list, sizeof list);
        status = rlti_refuse(messages, "%s: %d of kind %s fit, one is wanted: name it; there are: %s",
                             stage->file, count, kind_name(kind), list);
    }
    rlti_free(prims);
    return status;
}
