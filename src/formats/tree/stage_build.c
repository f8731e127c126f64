/* The tree of a stage while a reader makes it. Lists double; texts and times live in an arena. */
#include <stdio.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "formats/tree/stage_data.h"

rlti_stage *rlti_stage_create(const char *file, const rlti_stage_reader *reader, void *own) {
    rlti_stage_private *p = RLTI_NEW(rlti_stage_private, 1);
    if (p == NULL)
        return NULL;
    p->stage.reader = reader;
    p->stage.own = own;
    p->stage.default_prim = -1;
    p->stage.codes_per_second = 1.0;
    p->stage.kilograms_per_unit = 1.0;
    p->stage.version = "";
    p->stage.variants = "";
    p->stage.file = rlti_stage_text(&p->stage, file);
    if (p->stage.file == NULL) {
        rlti_free(p);
        return NULL;
    }
    return &p->stage;
}

void rlti_stage_close(rlti_stage *stage) {
    if (stage == NULL)
        return;
    rlti_stage_private *p = (rlti_stage_private *)stage;
    if (stage->reader != NULL && stage->reader->close != NULL)
        stage->reader->close(stage);
    rlti_arena_clear(&p->arena);
    rlt_inputs_destroy(stage->inputs);
    RLTI_FREE(stage->prims, stage->attributes, p);
}

const char *rlti_stage_text(rlti_stage *stage, const char *text) {
    return rlti_arena_text(&((rlti_stage_private *)stage)->arena, text, strlen(text));
}

static const double *copy_times(rlti_stage *stage, const double *times, int count) {
    double *copy = rlti_arena_keep(&((rlti_stage_private *)stage)->arena, (size_t)count, sizeof *copy);
    if (copy != NULL && count > 0)
        memcpy(copy, times, (size_t)count * sizeof *copy);
    return copy;
}

int rlti_stage_add_prim(rlti_stage *stage, const rlti_prim *prim) {
    rlti_stage_private *p = (rlti_stage_private *)stage;
    if (!RLTI_LIST_RESERVE(stage->prims, stage->prim_count, 1, p->prim_capacity))
        return -1;
    rlti_prim *made = &stage->prims[stage->prim_count];
    *made = *prim;
    made->path = rlti_stage_text(stage, prim->path);
    made->name = rlti_stage_text(stage, prim->name);
    made->type_name = rlti_stage_text(stage, prim->type_name != NULL ? prim->type_name : "");
    made->api_schemas = prim->api_schemas != NULL ? rlti_stage_text(stage, prim->api_schemas) : NULL;
    made->model = prim->model != NULL ? rlti_stage_text(stage, prim->model) : NULL;
    made->doc = prim->doc != NULL ? rlti_stage_text(stage, prim->doc) : NULL;
    made->transform_times = copy_times(stage, prim->transform_times, prim->transform_time_count);
    made->first_attribute = stage->attribute_count;
    made->attribute_count = 0;
    if (made->path == NULL || made->name == NULL || made->type_name == NULL ||
        made->transform_times == NULL || (prim->api_schemas != NULL && made->api_schemas == NULL) ||
        (prim->model != NULL && made->model == NULL) || (prim->doc != NULL && made->doc == NULL))
        return -1;
    return stage->prim_count++;
}

int rlti_stage_add_attribute(rlti_stage *stage, const rlti_attribute *attribute) {
    rlti_stage_private *p = (rlti_stage_private *)stage;
    if (stage->prim_count == 0)
        return -1;
    if (!RLTI_LIST_RESERVE(stage->attributes, stage->attribute_count, 1, p->attribute_capacity))
        return -1;
    rlti_attribute *made = &stage->attributes[stage->attribute_count];
    *made = *attribute;
    made->name = rlti_stage_text(stage, attribute->name);
    made->type_name = rlti_stage_text(stage, attribute->type_name != NULL ? attribute->type_name : "");
    made->origin = attribute->origin != NULL ? rlti_stage_text(stage, attribute->origin) : NULL;
    made->times = copy_times(stage, attribute->times, attribute->sample_count);
    if ((attribute->origin != NULL && made->origin == NULL) || made->name == NULL ||
        made->type_name == NULL || made->times == NULL)
        return -1;
    stage->prims[stage->prim_count - 1].attribute_count++;
    return stage->attribute_count++;
}

void rlti_stage_fingerprint(rlti_stage *stage, const char *text, size_t length) {
    if (length != RLTI_FINGERPRINT_SIZE - 1)
        return;
    for (size_t i = 0; i < length; i++)
        if (!(text[i] >= '0' && text[i] <= '9') && !(text[i] >= 'a' && text[i] <= 'f'))
            return;
    memcpy(stage->fingerprint, text, length);
}

void rlti_fingerprint_text(uint64_t fingerprint, char text[RLTI_FINGERPRINT_SIZE]) {
    snprintf(text, RLTI_FINGERPRINT_SIZE, "%016llx", (unsigned long long)fingerprint);
}
