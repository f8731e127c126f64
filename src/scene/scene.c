#include "ringlet/scene.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "io/inputs.h"
#include "scene/embedded.h"
#include "scene/live.h"
#include "scene/parse.h"
#include "scene/scene_data.h"
#include "scene/schema.h"

struct rlt_scene {
    rlti_scene_data data;
    char *file;
    rlt_inputs *inputs; /* NULL: it is from no file */
    /* what it was made from, to be changed */
    char *text;
    size_t size;
    int override_count;
    char **overrides; /* [override_count] */
};

double rlti_ramp_at(const rlti_ramp *ramp, double position) {
    if (ramp->count <= 0)
        return 0.0;
    int i = 0; /* first knot beyond the position */
    while (i < ramp->count && ramp->position[i] <= position)
        i++;
    if (i == 0)
        return ramp->value[0];
    if (i == ramp->count)
        return ramp->value[ramp->count - 1];
    double s = (position - ramp->position[i - 1]) / (ramp->position[i] - ramp->position[i - 1]);
    return ramp->value[i - 1] + s * (ramp->value[i] - ramp->value[i - 1]);
}

const rlti_embedded *rlti_embedded_find(const rlti_embedded *table, const char *name) {
    for (; table->name != NULL; table++)
        if (strcasecmp(table->name, name) == 0)
            return table;
    return NULL;
}

void rlti_embedded_names(const rlti_embedded *table, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (; table->name != NULL && used + 1 < size; table++) {
        snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", table->name);
        used += strlen(text + used);
    }
}

const char *rlti_embedded_closest(const rlti_embedded *table, const char *name) {
    const char *closest = NULL;
    int best = 1000, distance;
    for (; table->name != NULL; table++)
        if (rlti_words_close(table->name, name, &distance) && distance < best) {
            best = distance;
            closest = table->name;
        }
    return closest;
}

/* Copies of the texts; 0: out of memory. */
static int keep_texts(rlt_scene *scene, const char *text, size_t size, const char *const *overrides,
                      int count) {
    scene->text = rlti_allocate(size + 1, 1);
    scene->overrides = RLTI_NEW(char *, count);
    if (scene->text == NULL || scene->overrides == NULL)
        return 0;
    if (size > 0)
        memcpy(scene->text, text, size);
    scene->size = size;
    for (; scene->override_count < count; scene->override_count++) {
        const char *given = overrides[scene->override_count];
        scene->overrides[scene->override_count] = rlti_text_copy(given != NULL ? given : "");
        if (scene->overrides[scene->override_count] == NULL)
            return 0;
    }
    return 1;
}

rlt_status rlt_scene_load_text(const char *name, const char *text, size_t size, const char *const *overrides,
                               int override_count, rlt_messages *messages, rlt_scene **scene) {
    if (scene != NULL)
        *scene = NULL;
    if (scene == NULL || name == NULL || (text == NULL && size > 0) || override_count < 0 ||
        (overrides == NULL && override_count > 0))
        return rlti_refuse(messages, "rlt_scene_load: a required argument is NULL");
    rlt_scene *loaded = RLTI_NEW(rlt_scene, 1);
    char *file = rlti_text_copy(name);
    rlt_status status;
    if (loaded == NULL || file == NULL) {
        RLTI_FREE(loaded, file);
        return rlti_out_of_memory(messages);
    }
    loaded->file = file;
    if (!keep_texts(loaded, text, size, overrides, override_count)) {
        rlt_scene_destroy(loaded);
        return rlti_out_of_memory(messages);
    }
    status = rlti_scene_parse(name, text == NULL ? "" : text, size, overrides, override_count, messages,
                              &loaded->data);
    if (status == RLT_OK)
        *scene = loaded;
    else
        rlt_scene_destroy(loaded);
    return status;
}

void rlt_scene_destroy(rlt_scene *scene) {
    if (scene == NULL)
        return;
    rlti_scene_data_free(&scene->data);
    rlt_inputs_destroy(scene->inputs);
    for (int i = 0; i < scene->override_count; i++)
        rlti_free(scene->overrides[i]);
    RLTI_FREE(scene->file, scene->text, scene->overrides, scene);
}

const char *rlt_scene_override(const rlt_scene *scene, int index) {
    return scene != NULL && index >= 0 && index < scene->override_count ? scene->overrides[index] : NULL;
}

const char *rlt_scene_text(const rlt_scene *scene) {
    return scene != NULL ? scene->text : "";
}

/* Whether two overrides give a value to the same key. */
static int same_key(const char *a, const char *b) {
    size_t length = strcspn(a, "= ");
    return length == strcspn(b, "= ") && strncmp(a, b, length) == 0;
}

/* Those of the old ones that none of the new ones replaces, then the new ones; returns how many. */
static int join_overrides(const rlt_scene *scene, const char *const *overrides, int count,
                          const char **joined) {
    int used = 0;
    for (int i = 0; i < scene->override_count; i++) {
        int replaced = 0;
        for (int k = 0; k < count && !replaced; k++)
            replaced = overrides[k] != NULL && same_key(scene->overrides[i], overrides[k]);
        if (!replaced)
            joined[used++] = scene->overrides[i];
    }
    for (int k = 0; k < count; k++)
        joined[used++] = overrides[k];
    return used;
}

/* Exchanges two blocks of memory. */
static void swap_bytes(void *a, void *b, size_t size) {
    unsigned char *x = a, *y = b;
    for (size_t i = 0; i < size; i++) {
        unsigned char kept = x[i];
        x[i] = y[i];
        y[i] = kept;
    }
}

#define SWAP(a, b) swap_bytes(&(a), &(b), sizeof(a))

void rlti_scene_exchange(rlt_scene *a, rlt_scene *b) {
    rlti_scene_data *x = &a->data, *y = &b->data;
    for (int h = 0; h < x->hair_count; h++) {
        SWAP(x->hair[h], y->hair[h]);
        SWAP(x->hair[h].strands, y->hair[h].strands); /* back */
        SWAP(x->hair[h].given_groom, y->hair[h].given_groom);
    }
    swap_bytes(x->colliders, y->colliders, (size_t)x->collider_count * sizeof *x->colliders);
    swap_bytes(x->constraints, y->constraints, (size_t)x->constraint_count * sizeof *x->constraints);
    SWAP(*x, *y);
    SWAP(x->hair, y->hair); /* back: others know where they are */
    SWAP(x->colliders, y->colliders);
    SWAP(x->constraints, y->constraints);
    SWAP(x->character.given, y->character.given);
    SWAP(a->overrides, b->overrides);
    SWAP(a->override_count, b->override_count);
}

rlti_scene_data *rlti_scene_own(rlt_scene *scene) {
    return &scene->data;
}

rlt_status rlt_scene_change(const rlt_scene *scene, const char *const *overrides, int override_count,
                            rlt_messages *messages, rlt_scene **changed) {
    if (changed != NULL)
        *changed = NULL;
    if (changed == NULL || scene == NULL || override_count < 0 || (overrides == NULL && override_count > 0))
        return rlti_refuse(messages, "rlt_scene_change: a required argument is NULL");
    const char **joined =
        rlti_allocate((size_t)scene->override_count + (size_t)override_count, sizeof *joined);
    if (joined == NULL)
        return rlti_out_of_memory(messages);
    int count = join_overrides(scene, overrides, override_count, joined);
    rlt_status status =
        rlt_scene_load_text(scene->file, scene->text, scene->size, joined, count, messages, changed);
    rlti_free(joined);
    if (status == RLT_OK)
        (*changed)->data.coarse = scene->data.coarse;
    if (status != RLT_OK || scene->inputs == NULL)
        return status;
    (*changed)->inputs = rlt_inputs_create();
    if ((*changed)->inputs != NULL && rlt_inputs_add((*changed)->inputs, scene->file, NULL) != RLT_FAILED)
        return RLT_OK;
    rlt_scene_destroy(*changed);
    *changed = NULL;
    return rlti_out_of_memory(messages);
}

enum { READ_BYTES = 65536 }; /* at a time, at least */

/* Reads until the end rather than asking for the size first: that also works for pipes. */
static rlt_status read_all(const char *path, rlt_messages *messages, char **bytes, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return rlti_refuse(messages, "%s: cannot be read: %s", path, strerror(errno));
    rlt_status status = RLT_OK;
    size_t capacity = 0;
    for (;;) {
        if (!RLTI_LIST_RESERVE(*bytes, *size, READ_BYTES, capacity)) {
            status = rlti_out_of_memory(messages);
            break;
        }
        errno = 0;
        size_t count = fread(*bytes + *size, 1, capacity - *size, file);
        *size += count;
        if (count == 0) {
            if (ferror(file))
                status = rlti_refuse(messages, "%s: cannot be read: %s", path, strerror(errno));
            break;
        }
        if (*size > RLTI_TREE_BYTES) {
            status = rlti_refuse(messages, "%s: is larger than %zu MiB", path, RLTI_TREE_BYTES >> 20);
            break;
        }
    }
    fclose(file);
    return status;
}

rlt_status rlt_scene_load_file(const char *path, const char *const *overrides, int override_count,
                               rlt_messages *messages, rlt_scene **scene) {
    if (scene != NULL)
        *scene = NULL;
    if (path == NULL)
        return rlti_refuse(messages, "rlt_scene_load: a required argument is NULL");
    char *bytes = NULL;
    size_t size = 0;
    rlti_identity before = {0}, after = {0};
    int first = rlt_messages_count(messages), is_file = rlti_identity_of(path, &before);
    rlt_status status = read_all(path, messages, &bytes, &size);
    if (status == RLT_OK)
        status = rlt_scene_load_text(path, bytes, size, overrides, override_count, messages, scene);
    if (status == RLT_OK && scene != NULL && *scene != NULL) {
        (*scene)->inputs = rlt_inputs_create();
        if ((*scene)->inputs == NULL ||
            rlt_inputs_add((*scene)->inputs, path, NULL) == RLT_FAILED) /* a pipe may be gone */
            status = rlti_out_of_memory(messages);
    }
    rlti_free(bytes);
    if (status == RLT_BAD_INPUT && is_file && rlti_identity_of(path, &after) &&
        !rlti_identity_unchanged(&before, &after)) {
        rlti_messages_drop(messages, first);
        status = rlti_input_changed(path, messages);
    }
    if (status != RLT_OK && scene != NULL) {
        rlt_scene_destroy(*scene);
        *scene = NULL;
    }
    return status;
}

rlt_status rlt_scene_load_embedded(const char *name, const char *const *overrides, int override_count,
                                   rlt_messages *messages, rlt_scene **scene) {
    if (scene != NULL)
        *scene = NULL;
    const rlti_embedded *found = name == NULL ? NULL : rlti_embedded_find(rlti_embedded_scenes, name);
    if (found == NULL) {
        char known[1024], shown[64];
        const char *closest = rlti_embedded_closest(rlti_embedded_scenes, name == NULL ? "" : name);
        rlti_embedded_names(rlti_embedded_scenes, known, sizeof known);
        rlti_text_show(name == NULL ? "" : name, name == NULL ? 0 : strlen(name), shown, sizeof shown);
        if (closest != NULL)
            return rlti_refuse(messages, "%s: unknown scene; did you mean %s?", shown, closest);
        return rlti_refuse(messages, "%s: unknown scene; built in are %s", shown, known);
    }
    char file[128];
    snprintf(file, sizeof file, "built-in scene %s", found->name);
    return rlt_scene_load_text(file, found->text, found->size, overrides, override_count, messages, scene);
}

/* The entry at an index, or the end of the table. */
static const rlti_embedded *embedded_at(const rlti_embedded *table, int index) {
    while (index > 0 && table->name != NULL) {
        table++;
        index--;
    }
    return table;
}

const char *rlt_embedded_scene_name(int index) {
    return index < 0 ? NULL : embedded_at(rlti_embedded_scenes, index)->name;
}

const char *rlt_embedded_scene_text(int index) {
    return index < 0 ? NULL : embedded_at(rlti_embedded_scenes, index)->text;
}

const char *rlt_embedded_preset_name(int index) {
    return index < 0 ? NULL : embedded_at(rlti_embedded_presets, index)->name;
}

const char *rlt_embedded_preset_text(int index) {
    return index < 0 ? NULL : embedded_at(rlti_embedded_presets, index)->text;
}

const rlt_inputs *rlt_scene_inputs(const rlt_scene *scene) {
    return scene == NULL ? NULL : scene->inputs;
}

const char *rlt_scene_title(const rlt_scene *scene) {
    return scene == NULL ? "" : scene->data.title;
}

double rlt_scene_frames_per_second(const rlt_scene *scene) {
    return scene == NULL ? 0.0 : scene->data.time.fps;
}

int rlt_scene_first_frame(const rlt_scene *scene) {
    return scene == NULL ? 0 : scene->data.time.first;
}

int rlt_scene_last_frame(const rlt_scene *scene) {
    return scene == NULL ? 0 : scene->data.time.last;
}

double rlt_scene_metres_per_unit(const rlt_scene *scene) {
    return scene == NULL ? 0.0 : scene->data.metres_per_unit;
}

void rlti_scene_set_coarse(struct rlt_scene *scene, double coarse) {
    scene->data.coarse = coarse;
}

const rlti_scene_data *rlti_scene_get(const struct rlt_scene *scene) {
    return &scene->data;
}

const char *rlti_scene_file(const struct rlt_scene *scene) {
    return scene->file;
}
