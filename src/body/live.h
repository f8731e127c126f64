/* Motion that a caller gives as it goes: where the body, the roots and the colliders are at each frame
 * sample, instead of a function of time. docs/design/live.md. */
#ifndef RLTI_BODY_LIVE_H
#define RLTI_BODY_LIVE_H

#include "body/body.h"

/* Moves of a caller, besides what the scene does by itself. */
typedef struct rlti_live_input {
    int is_moved;                                   /* 1: `whole` is not where it began */
    unsigned turned;                                /* bit b: bone b is turned */
    rlti_pose whole;                                /* of the character, on top of its own motion */
    rlti_quat turn[RLTI_BONE_COUNT];                /* about the joint, on top of it */
    int has_vertices, has_roots;                    /* 1: these count instead of the body's own motion */
    int vertex_count, strand_count, collider_count; /* of the arrays; 0: not allocated */
    rlti_vec3 *vertices;                            /* [vertex_count] world */
    rlti_vec3 *roots;                               /* [strand_count] world */
    rlti_quat *turns;                               /* [strand_count] from rest */
    rlti_pose *colliders;                           /* [collider_count] from rest */
    unsigned char *collider_moved; /* [collider_count] 1: its pose counts instead of its own motion */
} rlti_live_input;

/* A sample of all that moves: what of it counts is as in an input. */
typedef struct rlti_live_sample {
    rlti_live_input given;
    rlti_pose poses[RLTI_BONE_COUNT]; /* of the joints, with the input */
    double brows;
    double part;
} rlti_live_sample;

enum { RLTI_LIVE_SAMPLES = 4 };

typedef struct rlti_live {
    int is_causal;          /* 1: the sample after an interval's end is not known */
    double jump;            /* as character.jump; 0: never [unit] */
    int newest;             /* frame of the newest sample; the three before it are there, too */
    const rlti_root *roots; /* [strand_count] of the groom: which strand a root is of */
    int strand_count;
    rlti_live_sample samples[RLTI_LIVE_SAMPLES]; /* by frame, modulo their number */
} rlti_live;

void rlti_live_input_reset(rlti_live_input *input);
void rlti_live_input_clear(rlti_live_input *input); /* frees what it has */
/* Memory for these of its arrays that it does not have yet; 0: out of memory. */
int rlti_live_input_reserve(rlti_live_input *input, int vertices, int strands, int colliders);
/* The part `s` of the way from one to the other, 1: all of it; `to` has the arrays that b has. What only
 * one of them moves is as b has it. */
void rlti_live_input_blend(const rlti_live_input *a, const rlti_live_input *b, double s, rlti_live_input *to);

/* Numbers of a saved state on their way out, or back in: one list of them serves both, and counting. */
typedef struct rlti_packer {
    double *to;         /* NULL: they are only counted, or read */
    const double *from; /* NULL: they are not read */
    size_t limit;       /* of those to be read */
    size_t count;       /* so far */
    int dry;            /* 1: reads without changing anything, to see whether they fit */
    int bad;            /* 1: they do not */
} rlti_packer;

void rlti_pack(rlti_packer *packer, void *data, size_t numbers);
/* A whole number; returns what is read, or what was given. */
long long rlti_pack_whole(rlti_packer *packer, long long value);
/* An input, whose arrays are there already. */
void rlti_live_input_pack(rlti_packer *packer, rlti_live_input *input);

/* The sample of a frame; of one beyond those that are known, the nearest. */
const rlti_live_sample *rlti_live_at(const rlti_live *live, int frame);

/* Between samples where the one after p[2] is not known: replaces p[0] and p[3] so that Catmull-Rom tangents
 * become the differences p1 - p0 and p2 - p1. A jump before the interval ended at rest. */
void rlti_causal_positions(rlti_vec3 p[4], int jumps);
void rlti_causal_rotations(rlti_quat q[4], int jumps);

#endif
