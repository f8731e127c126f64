/* Quality in one word: how many guides, steps and contacts a run has. */
#ifndef RINGLET_APP_QUALITY_H
#define RINGLET_APP_QUALITY_H

#include "run.h"

/* The choices of --quality, in the order of `quality`; ends with NULL. */
extern const char *const quality_names[];
typedef enum quality { QUALITY_NORMAL, QUALITY_DRAFT, QUALITY_FINAL } quality;

#define QUALITY_OPTION(value)                                                                                \
    {                                                                                                        \
        "quality", 0, ARGS_CHOICE, (value), "WORD",                                                          \
            "draft: a quarter of the guides, no contacts between hairs; final: twice the guides and steps",  \
            0, quality_names                                                                                 \
    }

/* Puts what the word means for this scene before the overrides of a run, so that those win, and says what it
 * changes. Texts are kept in the run. */
rlt_status quality_apply(quality word, run_settings *run, rlt_messages *messages);

#endif
