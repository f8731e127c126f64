/* libFuzzer entry: Alembic files, with every value and all geometry read. Build with `make fuzz`. */
#include "stage_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every byte is there; texts end. */
static void touch(const rlti_array *value) {
    size_t elements = value->count * (size_t)value->type.arity, sum = 0;
    if (value->type.element == RLTI_TEXT)
        for (size_t i = 0; i < elements; i++)
            sum += strlen(((const char *const *)value->data)[i]);
    else
        for (size_t i = 0; i < elements * rlti_element_size(value->type.element); i++)
            sum += ((const unsigned char *)value->data)[i];
    if (sum == SIZE_MAX || (!value->type.is_array && value->count != 1))
        abort();
}

static void check_attribute(const rlti_stage *stage, const rlti_prim *prim, const rlti_attribute *a,
                            rlt_messages *messages, rlti_array *value) {
    if (a->indices >= prim->attribute_count)
        abort();
    for (int k = a->has_default ? -1 : 0; k < a->sample_count; k++) {
        if (k > 0 && !(a->times[k] > a->times[k - 1]))
            abort();
        int before = rlt_messages_count(messages);
        if (stage->reader->read(stage, prim, a, k, messages, value) == RLT_OK)
            touch(value);
        else if (rlt_messages_count(messages) == before) /* a refusal always says why */
            abort();
    }
    rlti_stage_flat(stage, prim, a, 0.02, messages, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rlti_file_map map = {.bytes = data, .size = size};
    rlti_stage *stage = NULL;
    rlti_array value = {0};
    rlt_messages *messages = rlt_messages_create();
    rlt_status status = rlti_abc_stage_open("fuzz", &map, messages, &stage);
    if ((status == RLT_OK) != (stage != NULL) || (status != RLT_OK && rlt_messages_count(messages) == 0))
        abort();
    for (int p = 0; stage != NULL && p < stage->prim_count; p++) {
        const rlti_prim *prim = &stage->prims[p];
        double world[16];
        if (prim->parent >= p)
            abort();
        for (int i = 0; i < prim->attribute_count; i++)
            check_attribute(stage, prim, &stage->attributes[prim->first_attribute + i], messages, &value);
        rlti_stage_world(stage, p, 0.02, messages, world);
    }
    if (stage != NULL)
        walk_stage(stage, messages);
    rlti_array_clear(&value);
    rlti_stage_close(stage);
    rlt_messages_destroy(messages);
    return 0;
}
