/* libFuzzer entry: .usda texts, with every value read. Build with `make fuzz`. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "edits_fixture.h"
#include "formats/tree/readers.h"
#include "formats/usd/usd_layer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_value(const rlti_usd_layer *layer, const rlti_usd_value *value, rlt_messages *messages,
                       rlti_array *to) {
    int before = rlt_messages_count(messages);
    rlt_status status = rlti_usd_layer_read(layer, value, messages, to);
    /* a refusal always says why */
    if (status != RLT_OK && rlt_messages_count(messages) == before)
        abort();
    if (status != RLT_OK || to->blocked)
        return;
    /* every byte is there */
    size_t elements = to->count * (size_t)(to->type.arity > 0 ? to->type.arity : 1), sum = 0;
    if (to->type.element == RLTI_TEXT)
        for (size_t i = 0; i < elements; i++)
            sum += strlen(((const char *const *)to->data)[i]);
    else
        for (size_t i = 0; i < elements * rlti_element_size(to->type.element); i++)
            sum += ((const unsigned char *)to->data)[i];
    if (sum == SIZE_MAX || (!to->type.is_array && to->count != 1))
        abort();
}

static void check_property(const rlti_usd_layer *layer, const rlti_usd_property *p, rlt_messages *messages,
                           rlti_array *value) {
    if (p->value.kind != RLTI_USD_NO_VALUE)
        read_value(layer, &p->value, messages, value);
    for (int i = 0; i < p->sample_count; i++) {
        if (i > 0 && !(p->times[i] > p->times[i - 1]))
            abort();
        read_value(layer, &p->samples[i], messages, value);
    }
    edits_check(p->targets, 0);
}

static void check_prim(const rlti_usd_layer *layer, int index) {
    const rlti_usd_prim *p = &layer->prims[index];
    if (p->parent >= index || p->path[0] != '/' || p->name[0] == '\0' || p->first_property < 0 ||
        p->first_property + p->property_count > layer->property_count)
        abort();
    edits_check_prim(p);
}

/* What several layers would make of it: arcs that lead nowhere, to themselves and to each other. */
static void compose(const uint8_t *data, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    rlti_file_map map = {.bytes = data, .size = size};
    rlti_stage *stage = NULL;
    rlt_status status = rlti_usd_stage_open_as("fuzz", &map, "v=a", messages, &stage);
    if ((status == RLT_OK) != (stage != NULL))
        abort();
    rlti_stage_close(stage);
    rlt_messages_destroy(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    rlti_usd_layer *layer = NULL;
    rlti_array value = {0};
    /* most random bytes have no header: it is put before them */
    static const char header[] = "#usda 1.0\n";
    size_t head = size > 0 && data[0] != '#' ? sizeof header - 1 : 0;
    uint8_t *text = malloc(head + size + 1);
    if (text == NULL)
        return 0;
    memcpy(text, header, head);
    if (size > 0)
        memcpy(text + head, data, size);
    rlt_status status = rlti_usda_layer_open("fuzz", text, head + size, NULL, messages, &layer);
    if ((status == RLT_OK) != (layer != NULL) || (status != RLT_OK && rlt_messages_count(messages) == 0))
        abort();
    for (int i = 0; layer != NULL && i < layer->prim_count; i++)
        check_prim(layer, i);
    for (int i = 0; layer != NULL && i < layer->property_count; i++)
        check_property(layer, &layer->properties[i], messages, &value);
    rlti_array_clear(&value);
    rlti_usd_layer_close(layer);
    rlt_messages_destroy(messages);
    compose(text, head + size);
    free(text);
    return 0;
}
