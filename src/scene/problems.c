#include "scene/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/list.h"
#include "base/memory.h"

#define TEXT_SIZE 1024

typedef struct problem {
    const rlti_source *source;
    int line, column;
    int number; /* order of discovery: keeps the sort stable */
    rlt_severity severity;
    char text[TEXT_SIZE];
} problem;

struct rlti_problems {
    problem *items;
    int count, capacity;
    int errors;
    int muted;
    int no_memory;
};

rlti_problems *rlti_problems_create(void) {
    return RLTI_NEW(rlti_problems, 1);
}

void rlti_problems_destroy(rlti_problems *problems) {
    if (problems == NULL)
        return;
    rlti_free(problems->items);
    rlti_free(problems);
}

void rlti_problems_mute(rlti_problems *problems, int muted) {
    problems->muted = muted;
}

int rlti_problems_errors(const rlti_problems *problems) {
    return problems->errors;
}

int rlti_problems_full(const rlti_problems *problems) {
    return problems->count >= RLTI_PROBLEMS_MAX || problems->no_memory;
}

void rlti_problems_no_memory(rlti_problems *problems) {
    problems->no_memory = 1;
}

int rlti_problems_has_no_memory(const rlti_problems *problems) {
    return problems->no_memory;
}

static void append(rlti_problems *problems, rlt_severity severity, const rlti_source *source, int line,
                   int column, const char *format, va_list arguments) {
    if (severity == RLT_ERROR)
        problems->errors++;
    if (problems->muted || rlti_problems_full(problems))
        return;
    problems->no_memory = !RLTI_LIST_RESERVE(problems->items, problems->count, 1, problems->capacity);
    if (problems->no_memory)
        return;
    problem *p = &problems->items[problems->count];
    p->source = source;
    p->line = line;
    p->column = column;
    p->number = problems->count++;
    p->severity = severity;
    vsnprintf(p->text, sizeof p->text, format, arguments);
}

void rlti_problem_at(rlti_problems *problems, const rlti_source *source, int line, int column,
                     const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append(problems, RLT_ERROR, source, line, column, format, arguments);
    va_end(arguments);
}

void rlti_remark_at(rlti_problems *problems, rlt_severity severity, const rlti_source *source, int line,
                    int column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    append(problems, severity, source, line, column, format, arguments);
    va_end(arguments);
}

static int compare(const void *left, const void *right) {
    const problem *a = left, *b = right;
    if (a->source->order != b->source->order)
        return a->source->order < b->source->order ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

void rlti_problems_list(rlti_problems *problems, rlt_messages *messages) {
    if (problems->count > 0)
        qsort(problems->items, (size_t)problems->count, sizeof(problem), compare);
    for (int i = 0; i < problems->count; i++) {
        const problem *p = &problems->items[i];
        if (p->line == 0)
            rlti_message(messages, p->severity, "%s: %s", p->source->name, p->text);
        else
            rlti_message(messages, p->severity, "%s:%d:%d: %s", p->source->name, p->line, p->column, p->text);
    }
    if (problems->count >= RLTI_PROBLEMS_MAX)
        rlti_message(messages, RLT_ERROR, "too many problems; only the first %d are listed",
                     RLTI_PROBLEMS_MAX);
    problems->count = 0;
}
