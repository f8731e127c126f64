/* Which strand model reads which values. All others every model reads. A model that is not in the table, one
 * of a program's own, may read everything. */
#ifndef RLTI_SCENE_READERS_H
#define RLTI_SCENE_READERS_H

#include "scene/scene_data.h"

/* A value that not every model reads. */
typedef struct rlti_reader {
    const char *key;     /* in the schema */
    const char *model;   /* that reads it, or "one and other" */
    const char *convert; /* the models that convert it where their own material is not given later, or NULL */
    int material;        /* 1: to give it is to ask for that conversion; 0: it is only read there */
    const char *instead; /* what helps where it is not read */
} rlti_reader;

/* Counted from 0; NULL after the last. */
const rlti_reader *rlti_reader_at(int index);

/* A row of the table by its key; NULL: every model reads it. */
const rlti_reader *rlti_reader_find(const char *key);

/* 1 when hair of this model converts the value where its own material is not given later. */
int rlti_reader_converts(const rlti_reader *reader, const char *model);

/* 1 for the library's own models, 0 for one that a program brings. */
int rlti_model_is_known(const char *model);

/* 1 when the model of a hair section reads a value ("hair.bend.stiffness"), or converts it. */
int rlti_hair_reads(const rlti_hair_data *hair, const char *key);

/* 1 when some hair that is simulated reads a value of the whole scene ("time.outer_steps"), or there is none.
 */
int rlti_scene_reads(const rlti_scene_data *scene, const char *key);

/* The value that sets how many outer steps a frame has, for advice. */
const char *rlti_outer_steps_key(const rlti_scene_data *scene);

/* 1 when it is of the model whose values are hair.coil. */
int rlti_hair_is_coil(const rlti_hair_data *hair);

/* 1 where a fixed count of Newton iterations is asked for: coils whose tolerance is 0. */
int rlti_hair_counts_iterations(const rlti_hair_data *hair);

/* 1 when contacts among the strands of a section, and with others of its kind, are met by their solver. */
int rlti_hair_solves_contacts(const rlti_hair_data *hair);
/* 1 when contacts between two sections are met so: those of different models are not, they meet by springs.
 */
int rlti_hair_solves_with(const rlti_hair_data *a, const rlti_hair_data *b);

/* 1 when nothing holds the roots of a section. */
int rlti_hair_root_is_free(const rlti_hair_data *hair);

/* Arc length of one turn of the curl; 0: it has none. */
double rlti_hair_turn(const rlti_hair_data *hair);
/* Points on a turn below which it is a polygon that neither looks nor moves as it should. */
#define RLTI_TURN_POINTS 6.0

#endif
