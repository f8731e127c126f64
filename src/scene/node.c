/* Reading nodes: finding keys, and showing values in messages. */
#include "scene/tree.h"

#include <string.h>

#include "base/number.h"

int rlti_node_is(const rlti_node *node, const char *text) {
    return node->kind == RLTI_NODE_SCALAR && node->length == strlen(text) &&
           memcmp(node->text, text, node->length) == 0;
}

const rlti_node *rlti_node_find(const rlti_node *map, const char *key) {
    if (map == NULL || map->kind != RLTI_NODE_MAP)
        return NULL;
    for (const rlti_node *k = map->first; k != NULL && k->next != NULL; k = k->next->next)
        if (rlti_node_is(k, key))
            return k->next;
    return NULL;
}

int rlti_node_is_null(const rlti_node *node) {
    return node->kind == RLTI_NODE_SCALAR && node->plain &&
           (node->length == 0 || rlti_node_is(node, "~") || rlti_node_is(node, "null"));
}

/* A text that grows up to a limit and then ends in "...". */
typedef struct output {
    char *text;
    size_t used, size; /* size leaves a place for "..." and the zero byte */
    int full;
} output;

static void put(output *out, const char *bytes, size_t count) {
    if (out->full)
        return;
    if (out->used + count > out->size) {
        memcpy(out->text + out->used, "...", 3);
        out->used += 3;
        out->full = 1;
        return;
    }
    memcpy(out->text + out->used, bytes, count);
    out->used += count;
}

/* Control bytes become \xNN; a UTF-8 character is never cut in half. */
static void put_escaped(output *out, const char *text, size_t length, int quoted) {
    static const char hex[] = "0123456789abcdef";
    for (size_t i = 0; i < length && !out->full;) {
        unsigned char byte = (unsigned char)text[i];
        size_t bytes = 1;
        if (byte >= 0xc0)
            while (bytes < 4 && i + bytes < length && ((unsigned char)text[i + bytes] & 0xc0) == 0x80)
                bytes++;
        if (byte < 0x20 || byte == 0x7f) {
            char escape[4] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
            put(out, escape, 4);
        } else if (quoted && (byte == '"' || byte == '\\')) {
            char escape[2] = {'\\', (char)byte};
            put(out, escape, 2);
        } else {
            put(out, text + i, bytes);
        }
        i += bytes;
    }
}

static void put_node(output *out, const rlti_node *node);

static void put_children(output *out, const rlti_node *node) {
    int i = 0;
    for (const rlti_node *child = node->first; child != NULL && !out->full; child = child->next, i++) {
        if (i > 0)
            put(out, node->kind == RLTI_NODE_MAP && i % 2 == 1 ? ": " : ", ", 2);
        if (node->kind == RLTI_NODE_MAP && i % 2 == 0 && child->kind == RLTI_NODE_SCALAR)
            put_escaped(out, child->text, child->length, 0);
        else
            put_node(out, child);
    }
}

/* Every call adds at least one byte, so the limit on the text also bounds the recursion. */
static void put_node(output *out, const rlti_node *node) {
    double value;
    if (node->kind != RLTI_NODE_SCALAR) {
        put(out, node->kind == RLTI_NODE_LIST ? "[" : "{", 1);
        if (!out->full)
            put_children(out, node);
        put(out, node->kind == RLTI_NODE_LIST ? "]" : "}", 1);
    } else if (node->plain && rlti_number_parse(node->text, node->length, &value) != RLTI_NUMBER_NONE) {
        put_escaped(out, node->text, node->length, 0);
    } else {
        put(out, "\"", 1);
        put_escaped(out, node->text, node->length, 1);
        put(out, "\"", 1);
    }
}

void rlti_node_show(const rlti_node *node, char *text, size_t size) {
    output out = {text, 0, size - 4, 0};
    put_node(&out, node);
    text[out.used] = '\0';
}

void rlti_text_show(const char *text, size_t length, char *shown, size_t size) {
    output out = {shown, 0, size - 4, 0};
    put_escaped(&out, text, length, 0);
    shown[out.used] = '\0';
}
