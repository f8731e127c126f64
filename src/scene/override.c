/* --set key=value as a small tree, so that overrides go the same path as files. */
#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "scene/parse.h"

/* Characters in the first `size` bytes: columns count characters, not bytes. */
static int characters(const char *text, size_t size) {
    int count = 0;
    for (size_t i = 0; i < size; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static rlti_node *no_memory(rlti_loader *loader) {
    rlti_problems_no_memory(loader->problems);
    return NULL;
}

/* A key of the path: "bend" or "hair[1]"; anything else in brackets stays part of the name. */
static rlti_node *path_key(rlti_loader *loader, const char *name, size_t length, int column) {
    int index = -1;
    size_t word = length;
    if (length > 2 && name[length - 1] == ']') {
        size_t digit = length - 1;
        while (digit > 0 && isdigit((unsigned char)name[digit - 1]))
            digit--;
        if (digit > 1 && name[digit - 1] == '[' && digit < length - 1) {
            index = 0;
            for (size_t i = digit; i < length - 1; i++) {
                int value = name[i] - '0';
                index = index > (INT_MAX - value) / 10 ? INT_MAX : 10 * index + value;
            }
            word = digit - 1;
        }
    }
    rlti_node *key = rlti_tree_scalar(loader->tree, name, word, 1, column);
    if (key != NULL)
        key->index = index;
    return key;
}

static rlti_node *parse_value(rlti_loader *loader, const rlti_source *source, const char *text,
                              size_t begin) {
    rlti_tree_error error;
    rlti_node *value = NULL;
    int column = characters(text, begin);
    rlt_status status =
        rlti_tree_parse(loader->tree, text + begin, strlen(text + begin), column, &error, &value);
    if (status == RLT_FAILED)
        return no_memory(loader);
    if (status != RLT_OK) {
        if (error.line > 1 && strchr(text, '\n') == NULL) {
            /* "the line after the last" is where libyaml sees the end of the text */
            error.line = 1;
            error.column = characters(text, strlen(text)) + 1;
        }
        rlti_problem_at(loader->problems, source, error.line, error.column, "%s", error.text);
        return NULL;
    }
    if (value == NULL) /* nothing after the '=' */
        value = rlti_tree_scalar(loader->tree, "", 0, 1, column + 1);
    return value == NULL ? no_memory(loader) : value;
}

const rlti_node *rlti_override_parse(rlti_loader *loader, const rlti_source *source, const char *text) {
    const char *equals = text == NULL ? NULL : strchr(text, '=');
    if (equals == NULL || equals == text) {
        char shown[64];
        rlti_text_show(text == NULL ? "" : text, text == NULL ? 0 : strlen(text), shown, sizeof shown);
        rlti_problem_at(loader->problems, source, 1, 1, "%s: must be key=value", shown);
        return NULL;
    }
    size_t end = (size_t)(equals - text);
    rlti_node *value = parse_value(loader, source, text, end + 1);
    if (value == NULL)
        return NULL;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    /* from the last word of the path to the first, each wraps what is there so far in a mapping */
    for (size_t stop = end;;) {
        size_t begin = stop;
        while (begin > 0 && text[begin - 1] != '.')
            begin--;
        int column = characters(text, begin) + 1;
        rlti_node *key = path_key(loader, text + begin, stop - begin, column);
        rlti_node *map = rlti_tree_node(loader->tree, RLTI_NODE_MAP, 1, column);
        if (key == NULL || map == NULL)
            return no_memory(loader);
        key->next = value;
        map->first = key;
        map->count = 2;
        value = map;
        if (begin == 0)
            return value;
        stop = begin - 1;
    }
}
