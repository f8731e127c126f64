#include "base/messages.h"

#include "base/list.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct message {
    rlt_severity severity;
    char *text;
} message;

struct rlt_messages {
    message *items;
    int count;
    int capacity;
    int lost;                   /* 1: one could not be stored; the last of the list then says so */
    rlt_severity lost_severity; /* the gravest of these */
};

rlt_messages *rlt_messages_create(void) {
    return RLTI_NEW(rlt_messages, 1);
}

void rlti_messages_drop(rlt_messages *messages, int first) {
    if (messages == NULL)
        return;
    if (first <= messages->count)
        messages->lost = 0;
    while (messages->count > first)
        rlti_free(messages->items[--messages->count].text);
}

void rlt_messages_clear(rlt_messages *messages) {
    rlti_messages_drop(messages, 0);
}

void rlt_messages_destroy(rlt_messages *messages) {
    if (messages == NULL)
        return;
    rlt_messages_clear(messages);
    RLTI_FREE(messages->items, messages);
}

int rlt_messages_count(const rlt_messages *messages) {
    return messages == NULL ? 0 : messages->count + messages->lost;
}

const char *rlt_messages_text(const rlt_messages *messages, int index) {
    if (index < 0 || index >= rlt_messages_count(messages))
        return "";
    return index < messages->count ? messages->items[index].text : "out of memory: messages are missing";
}

rlt_severity rlt_messages_severity(const rlt_messages *messages, int index) {
    if (index < 0 || index >= rlt_messages_count(messages))
        return RLT_NOTE;
    return index < messages->count ? messages->items[index].severity : messages->lost_severity;
}

/* Best effort: where a message cannot be stored, the list says that some are missing. */
static void append(rlt_messages *messages, rlt_severity severity, const char *format, va_list arguments) {
    if (messages == NULL)
        return;

    va_list copy;
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (length < 0)
        return;

    char *text = NULL;
    if (RLTI_LIST_RESERVE(messages->items, messages->count, 1, messages->capacity))
        text = rlti_allocate((size_t)length + 1, 1);
    if (text == NULL) {
        messages->lost_severity =
            messages->lost && messages->lost_severity > severity ? messages->lost_severity : severity;
        messages->lost = 1;
        return;
    }
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

void rlti_warn(rlt_messages *messages, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append(messages, RLT_WARNING, format, arguments);
    va_end(arguments);
}

rlt_status rlti_fail(rlt_messages *messages, rlt_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append(messages, RLT_ERROR, format, arguments);
    va_end(arguments);
    return status;
}

rlt_status rlti_refuse(rlt_messages *messages, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append(messages, RLT_ERROR, format, arguments);
    va_end(arguments);
    return RLT_BAD_INPUT;
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
        char *text = rlti_allocate(size, 1);
        if (text == NULL)
            return;
        snprintf(text, size, "%s: %s", prefix, old);
        messages->items[i].text = text;
        rlti_free(old);
    }
}

/* Each message is its severity in one byte and its text with the zero byte at its end. */
char *rlti_messages_pack(const rlt_messages *messages, size_t *size) {
    int count = rlt_messages_count(messages);
    *size = 0;
    for (int i = 0; i < count; i++)
        *size += strlen(rlt_messages_text(messages, i)) + 2;
    char *packed = rlti_allocate(*size, 1), *to = packed;
    for (int i = 0; i < count && packed != NULL; i++) {
        size_t length = strlen(rlt_messages_text(messages, i)) + 1;
        *to++ = (char)rlt_messages_severity(messages, i);
        memcpy(to, rlt_messages_text(messages, i), length);
        to += length;
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
    int had = messages == NULL ? 0 : messages->count;
    for (size_t at = 0; at + 1 < size && memchr(packed + at + 1, '\0', size - at - 1) != NULL;) {
        const char *text = packed + at + 1;
        rlt_severity severity = (rlt_severity)packed[at];
        if (!contains(messages, had, text))
            rlti_message(messages, severity, "%s%s%s", prefix != NULL ? prefix : "",
                         prefix != NULL ? ": " : "", text);
        at += strlen(text) + 2;
    }
}
