/* Problems found in a scene, collected with their places and then listed in file order. */
#ifndef RLTI_SCENE_PROBLEMS_H
#define RLTI_SCENE_PROBLEMS_H

#include "base/messages.h"
#include "scene/tree.h"

#define RLTI_PROBLEMS_MAX 1000 /* listed at most; a broken file may hold millions */

/* Where a text came from. */
typedef struct rlti_source {
    const char *name; /* as messages quote it */
    int order;        /* presets, the file, then each override: later ones win and are listed later */
} rlti_source;

typedef struct rlti_problems rlti_problems;

rlti_problems *rlti_problems_create(void);
void rlti_problems_destroy(rlti_problems *problems);

/* While muted, problems are counted but not listed: used where one text is applied several times. */
void rlti_problems_mute(rlti_problems *problems, int muted);

/* Adds a problem at a place; line 0 means the file as a whole. The source must outlive the list. */
void rlti_problem_at(rlti_problems *problems, const rlti_source *source, int line, int column,
                     const char *format, ...) RLTI_PRINTF(5, 6);
/* A warning or a note. */
void rlti_remark_at(rlti_problems *problems, rlt_severity severity, const rlti_source *source, int line,
                    int column, const char *format, ...) RLTI_PRINTF(6, 7);

/* Errors so far. */
int rlti_problems_errors(const rlti_problems *problems);
/* 1 when the list is full, and looking further is of no use. */
int rlti_problems_full(const rlti_problems *problems);

void rlti_problems_no_memory(rlti_problems *problems);
int rlti_problems_has_no_memory(const rlti_problems *problems);

/* Moves all problems, sorted by place, to the caller's messages. */
void rlti_problems_list(rlti_problems *problems, rlt_messages *messages);

#endif
