/* libFuzzer entry: USD crates. The first byte says how: 0 takes the bytes as a file; others change a good
 * file of that version before its tables are packed, four bytes a change, so that what is behind the packing
 * is reached. Build with `make fuzz`. */
#include <stdint.h>
#include <stdlib.h>

#include "crate_fixture.h"
#include "edits_fixture.h"
#include "formats/usd/usd_layer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text) {
    if (text == NULL || strlen(text) > ((size_t)1 << 30))
        abort();
}

static void check_arcs(const rlti_usd_arc *arcs, int count) {
    for (int i = 0; i < count; i++) {
        check_text(arcs[i].asset);
        check_text(arcs[i].prim_path);
    }
}

static void check_prims(const rlti_usd_layer *layer) {
    for (int i = 0; i < layer->prim_count; i++) {
        const rlti_usd_prim *p = &layer->prims[i];
        check_text(p->path);
        check_text(p->name);
        check_text(p->type_name);
        check_text(p->kind);
        edits_check_prim(p);
        if (p->parent >= i || p->first_property < 0 || p->property_count < 0 ||
            p->first_property + p->property_count > layer->property_count)
            abort();
    }
}

/* Reading touches every byte, so that the sanitizer sees where they are. */
static void touch(const rlti_array *value) {
    uint64_t sum = 0;
    size_t count = value->count * (size_t)value->type.arity;
    if (value->blocked || value->data == NULL)
        return;
    for (size_t i = 0; i < count && value->type.element == RLTI_TEXT; i++)
        sum += strlen(((const char *const *)value->data)[i]);
    if (value->type.element != RLTI_TEXT)
        for (size_t i = 0; i < count * rlti_element_size(value->type.element); i++)
            sum += ((const unsigned char *)value->data)[i];
    if (sum == UINT64_MAX) /* never; the sum must be used */
        abort();
}

static void read_file(const unsigned char *bytes, size_t size) {
    rlt_messages *messages = rlt_messages_create();
    rlti_usd_layer *layer = NULL;
    rlt_status status = rlti_usdc_layer_open("fuzz", bytes, size, NULL, messages, &layer);
    if ((status == RLT_OK) != (layer != NULL) || (status != RLT_OK && rlt_messages_count(messages) == 0))
        abort();
    rlti_array value = {0};
    if (layer != NULL) {
        check_prims(layer);
        check_arcs(layer->sublayers, layer->sublayer_count);
    }
    for (int i = 0; layer != NULL && i < layer->property_count; i++) {
        const rlti_usd_property *p = &layer->properties[i];
        check_text(p->name);
        check_text(p->type_name);
        check_text(p->interpolation);
        edits_check(p->targets, 0);
        for (int k = -1; k < p->sample_count && k < 100; k++) {
            status = rlti_usd_layer_read(layer, k < 0 ? &p->value : &p->samples[k], NULL, &value);
            if (status == RLT_OK)
                touch(&value);
        }
    }
    rlti_array_clear(&value);
    rlti_usd_layer_close(layer);
    rlt_messages_destroy(messages);
}

/* A change: which part, where, and the new byte. */
static void change(crate *c, const uint8_t *what) {
    struct {
        void *bytes;
        size_t size;
    } parts[] = {{c->values, c->value_bytes},         {c->text, c->text_bytes},
                 {c->field_reps, 8 * c->field_count}, {c->field_tokens, 4 * c->field_count},
                 {c->sets, 4 * c->set_count},         {c->path_index, 4 * c->path_count},
                 {c->path_token, 4 * c->path_count},  {c->path_jump, 4 * c->path_count},
                 {c->spec_path, 4 * c->spec_count},   {c->spec_set, 4 * c->spec_count},
                 {c->spec_kind, 4 * c->spec_count},   {c->strings, 4 * c->string_count}};
    size_t part = what[0] % (sizeof parts / sizeof parts[0]), at = what[1] + 256u * what[2];
    if (parts[part].size > 0)
        ((unsigned char *)parts[part].bytes)[at % parts[part].size] = what[3];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    if (data[0] == 0) {
        /* a copy that starts aligned, as a mapped file does */
        unsigned char *copy = malloc(size);
        memcpy(copy, data + 1, size - 1);
        read_file(copy, size - 1);
        free(copy);
        return 0;
    }
    static crate c;
    crate_example(&c, data[0] % 14);
    for (size_t i = 1; i + 4 <= size; i += 4)
        change(&c, data + i);
    size_t made;
    unsigned char *bytes = crate_finish(&c, data[0] < 128, &made);
    read_file(bytes, made);
    free(bytes);
    return 0;
}
