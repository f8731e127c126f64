#include "formats/tree/plain_stage.h"

#include <string.h>

#include "base/memory.h"
#include "base/messages.h"

static size_t value_size(rlti_array_type type) {
    return rlti_element_size(type.element) * (size_t)type.arity;
}

/* Runs that stand as the array wants them are not copied. */
static int is_ready(const rlti_plain_run *run, rlti_array_type type) {
    return run->from != NULL && !run->is_segments && run->stride == value_size(type) &&
           (uintptr_t)run->from % rlti_element_size(type.element) == 0;
}

static void copy_run(const rlti_plain_run *run, rlti_array_type type, void *values) {
    size_t size = value_size(type);
    if (run->from == NULL) {
        for (size_t i = 0; i < run->count; i++)
            ((int32_t *)values)[i] = run->fill;
    } else if (run->is_segments) {
        for (size_t i = 0; i < run->count; i++)
            ((int32_t *)values)[i] = 1 + (run->from[2 * i] | run->from[2 * i + 1] << 8);
    } else if (run->stride == size) {
        memcpy(values, run->from, run->count * size);
    } else {
        for (size_t i = 0; i < run->count; i++)
            memcpy((unsigned char *)values + i * size, run->from + i * run->stride, size);
    }
}

static rlt_status read_value(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *attribute,
                             int sample, rlt_messages *messages, rlti_array *to) {
    (void)prim;
    (void)sample;
    const rlti_plain *plain = stage->own;
    const rlti_plain_run *run = &plain->runs[attribute->where[0]];
    if (is_ready(run, attribute->type)) {
        to->type = attribute->type;
        to->count = run->count;
        to->data = run->from;
        to->blocked = 0;
        return RLT_OK;
    }
    void *values = rlti_array_reserve(to, attribute->type, run->count);
    if (values == NULL)
        return rlti_out_of_memory(messages);
    copy_run(run, attribute->type, values);
    return RLT_OK;
}

static void close_plain(rlti_stage *stage) {
    rlti_plain *plain = stage->own;
    if (plain == NULL)
        return;
    rlti_file_map_close(&plain->map);
    for (size_t i = 0; i < sizeof plain->memory / sizeof plain->memory[0]; i++)
        rlti_free(plain->memory[i]);
    rlti_free(plain);
    stage->own = NULL;
}

static const rlti_stage_reader hair_reader = {"hair", read_value, NULL, NULL, close_plain, NULL};
static const rlti_stage_reader tfx_reader = {"tfx", read_value, NULL, NULL, close_plain, NULL};
static const rlti_stage_reader obj_reader = {"obj", read_value, NULL, NULL, close_plain, NULL};

rlti_stage *rlti_plain_create(const char *path, const char *format, rlti_file_map *map) {
    const rlti_stage_reader *reader = strcmp(format, "hair") == 0  ? &hair_reader
                                      : strcmp(format, "tfx") == 0 ? &tfx_reader
                                                                   : &obj_reader;
    rlti_plain *plain = RLTI_NEW(rlti_plain, 1);
    rlti_stage *stage = plain != NULL ? rlti_stage_create(path, reader, plain) : NULL;
    if (stage == NULL) {
        rlti_free(plain);
        rlti_file_map_close(map);
        return NULL;
    }
    plain->map = *map;
    *map = (rlti_file_map){0};
    return stage;
}

int rlti_plain_attribute(rlti_stage *stage, const char *name, rlti_attribute_class class_,
                         rlti_array_type type, rlti_interpolation interpolation, rlti_plain_run run) {
    rlti_plain *plain = stage->own;
    rlti_attribute attribute = {.name = name,
                                .class_ = class_,
                                .type = type,
                                .interpolation = interpolation,
                                .element_size = 1,
                                .indices = -1,
                                .has_default = 1,
                                .type_name = ""};
    if (plain->run_count == RLTI_PLAIN_RUNS)
        return 0;
    attribute.where[0] = (uint64_t)plain->run_count;
    plain->runs[plain->run_count++] = run;
    return rlti_stage_add_attribute(stage, &attribute) >= 0;
}
