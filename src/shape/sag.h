/* A groom that does not sag (docs/design/sag.md): what each strand's model found, and the report over all.
 * The solve itself is each model's own. */
#ifndef RLTI_SHAPE_SAG_H
#define RLTI_SHAPE_SAG_H

#include "groom/strands.h"
#include "ringlet/simulation.h"

/* Result for one strand. */
typedef struct rlti_sag_result {
    double ratio;         /* greatest |t| / |e| of its edges */
    double factor;        /* greatest factor on bending stiffness, 1: not stiffened */
    unsigned char solved; /* 1: in equilibrium */
    unsigned char stable; /* 1: shown to be stable, 0: not so, 2: not checked */
    unsigned char kicked; /* 1: that was found by a small kick */
} rlti_sag_result;

/* A section's sag in the words of its model. */
typedef struct rlti_sag_words {
    char changed[80];    /* how far: "lifts rest targets to 1.7 times their edges" */
    char reach[80];      /* the same as a noun */
    const char *weak;    /* what strands have that could not be solved */
    const char *stiffen; /* what helps them */
    const char *steady;  /* what helps where the equilibrium is not stable */
} rlti_sag_words;

/* Whether any section asks for it. */
int rlti_sag_wanted(const rlti_scene_data *scene);

/* Adds up the results of the strands computed here; `hair` -1: of all sections. */
rlt_sag_report rlti_sag_sum(const rlti_scene_data *scene, const rlti_strands *strands,
                            const unsigned char *local, const rlti_sag_result *results, int hair);

#endif
