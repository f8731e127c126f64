#include "base/messages.h"

#include "base/list.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct message {
    rlt_severity severity;
    char *text;
} message;

struct rlt_messages {
    message *items;
    int count;
    int capacity;
};

rlt_messages *rlt_messages_create(void) {
    return calloc(1, sizeof(rlt_messages));
}

void rlti_messages_drop(rlt_messages *messages, int first) {
    while (messages != NULL && messages->count > first)
        free(messages->items[--messages->count].text);
}

void rlt_messages_clear(rlt_messages *messages) {
    rlti_messages_drop(messages, 0);
}

void rlt_messages_destroy(rlt_messages *messages) {
    if (messages == NULL)
        return;
    rlt_messages_clear(messages);
    rlti_free(messages->items);
    free(messages);
}

int rlt_messages_count(const rlt_messages *messages) {
    return messages == NULL ? 0 : messages->count;
}

const char *rlt_messages_text(const rlt_messages *messages, int index) {
    if (messages == NULL || index < 0 || index >= messages->count)
        return "";
    return messages->items[index].text;
}

rlt_severity rlt_messages_severity(const rlt_messages *messages, int index) {
    if (messages == NULL || index < 0 || index >= messages->count)
        return RLT_NOTE;
    return messages->items[index].severity;
}

/* Best effort: a message that cannot be stored is dropped, the status still reaches the caller. */
static void append(rlt_messages *messages, rlt_severity severity, const char *format, va_list arguments) {
    if (messages == NULL)
        return;

    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (length < 0)
        return;

    if (!RLTI_LIST_RESERVE(messages->items, messages->count, 1, messages->capacity))
        return;
    char *text = malloc((size_t)length + 1);
    if (text == NULL)
        return;
    vsnprintf(text, (size_t)length + 1, format, arguments);
    messages->items[messages->count].severity = severity;
    messages->items[messages->count].text = text;
    messages->count++;
}

void rlti_message(rlt_messages *messages, rlt_severity severity, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append(messages, severity, format, arguments);
    va_end(arguments);
}

rlt_status rlti_fail(rlt_messages *messages, rlt_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append(messages, RLT_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

rlt_status rlti_out_of_memory(rlt_messages *messages) {
    return rlti_fail(messages, RLT_FAILED, "out of memory");
}

void rlti_messages_prefix(rlt_messages *messages, int first, const char *prefix) {
    for (int i = first; messages != NULL && i < messages->count; i++) {
        char *old = messages->items[i].text;
        if (strncmp(old, prefix, strlen(prefix)) == 0 && old[strlen(prefix)] == ':')
            continue;
        size_t size = strlen(prefix) + strlen(old) + 3;
        char *text = malloc(size);
        if (text == NULL)
            return;
        snprintf(text, size, "%s: %s", prefix, old);
        messages->items[i].text = text;
        free(old);
    }
}

/* Each message is its severity in one byte and its text with the zero byte at its end. */
char *rlti_messages_pack(const rlt_messages *messages, size_t *size) {
    *size = 0;
    for (int i = 0; messages != NULL && i < messages->count; i++)
        *size += strlen(messages->items[i].text) + 2;
    char *packed = rlti_allocate(*size, 1);
    if (packed == NULL)
        return NULL;
    size_t at = 0;
    for (int i = 0; messages != NULL && i < messages->count; i++) {
        size_t length = strlen(messages->items[i].text) + 1;
        packed[at] = (char)messages->items[i].severity;
        memcpy(packed + at + 1, messages->items[i].text, length);
        at += length + 1;
    }
    return packed;
}

static int contains(const rlt_messages *messages, int count, const char *text) {
    for (int i = 0; i < count; i++)
        if (strcmp(messages->items[i].text, text) == 0)
            return 1;
    return 0;
}

void rlti_messages_unpack(rlt_messages *messages, const char *packed, size_t size, const char *prefix) {
    int had = rlt_messages_count(messages);
    for (size_t at = 0; at + 1 < size && memchr(packed + at + 1, '\0', size - at - 1) != NULL;) {
        const char *text = packed + at + 1;
        rlt_severity severity = (rlt_severity)packed[at];
        if (!contains(messages, had, text))
            rlti_message(messages, severity, "%s%s%s", prefix != NULL ? prefix : "",
                         prefix != NULL ? ": " : "", text);
        at += strlen(text) + 2;
    }
}
