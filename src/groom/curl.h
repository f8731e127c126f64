/* One strand's shape: an axis that grows from the scalp, a curl wound around it, points at equal distances.
 */
#ifndef RLTI_GROOM_CURL_H
#define RLTI_GROOM_CURL_H

#include "groom/mesh_tree.h"

/* The line a curl is wound around, as nodes at equal steps; beyond the last node it goes straight on. */
typedef struct rlti_axis {
    int count, capacity;
    double step;        /* [unit] */
    rlti_vec3 *points;  /* [capacity] */
    rlti_vec3 *normals; /* [capacity] unit, across the axis, turning with it as little as possible */
} rlti_axis;

int rlti_axis_reserve(rlti_axis *axis, int capacity);
void rlti_axis_clear(rlti_axis *axis);

/* Obstacles that the axes of one groom flow around. */
typedef struct rlti_surroundings {
    const rlti_distance_grid *grid;
    double size;        /* scale of the character: 1 = an adult head */
    int has_face;       /* the mesh has a region named face: hair parts in front of it */
    rlti_vec3 face_low; /* its box */
    rlti_vec3 face_high;
} rlti_surroundings;

/* How one axis grows. */
typedef struct rlti_growth {
    rlti_vec3 root;
    rlti_vec3 normal;
    rlti_vec3 start;  /* unit: the direction it has first, and turns down from */
    rlti_vec3 over;   /* horizontal direction in which it is combed over; zero: away from the crown */
    double length;    /* [unit] along the axis */
    double fall;      /* 0 along the start .. 1 down */
    double bend;      /* [unit] over which it turns from its start to its final direction */
    double clear;     /* [unit] distance it keeps from the body once it has left the root */
    double rise;      /* [unit] over which hair that lies on the head comes to that; 0: it does not lie */
    double radius;    /* [unit] of the curl, kept off the face */
    double aside;     /* -1..1: turns the direction in which it leaves the crown */
    double wander;    /* [rad] where its slow meander begins */
    double stray;     /* 0..1: how far it leaves its course to all sides */
    double strays[4]; /* 0..1: where that begins in two directions, and over which lengths it turns */
    int part;         /* -1 or 1: the side of the face it falls on */
    int is_combed;    /* it lies along the coat */
} rlti_growth;

/* The axis must have a capacity of `nodes` nodes, at least 2. */
void rlti_axis_grow(const rlti_growth *growth, const rlti_surroundings *around, int nodes, rlti_axis *axis);

/* A place at which hair is gathered. */
typedef struct rlti_tie {
    rlti_vec3 place;  /* its middle, off the skin */
    rlti_vec3 out;    /* unit, away from the body */
    double radius;    /* of the tie */
    double bun;       /* radius of the bun that hair is wound to; 0: it hangs */
    double inside[2]; /* where in the tie this strand is, within a circle of radius 1 */
    double turn;      /* 0..1: where a bun's windings begin */
} rlti_tie;

/* An axis over the skin to the tie, and on from there. Returns the part of its length before the tie, or 0
 * where it is too short to get there (the axis is of no use then). */
double rlti_axis_tie(const rlti_growth *growth, const rlti_surroundings *around, const rlti_tie *tie,
                     int nodes, rlti_axis *axis);

/* A straight axis. */
void rlti_axis_straight(rlti_vec3 root, rlti_vec3 direction, double length, rlti_axis *axis);

typedef struct rlti_curl {
    rlti_style style;
    double length; /* [unit] along the strand */
    double radius;
    double pitch;
    double phase;         /* [rad] */
    double hand;          /* 1 right-handed, -1 left-handed */
    double taper;         /* relative loss of radius from root to tip */
    double straight_root; /* fraction of the length over which the curl fades in */
} rlti_curl;

/* Arc length of one turn (one wave) at the full radius [unit]; the pitch for a straight strand. */
double rlti_curl_turn(const rlti_curl *curl);

/* Length of axis the curl will use up, from its taper and fade; a little generous. */
double rlti_curl_axis_length(const rlti_curl *curl);

/* A polyline fine enough to stand for the curve. */
typedef struct rlti_fine_curve {
    int count, capacity;
    rlti_vec3 *points;
    double *arc; /* [count] arc length from the root */
} rlti_fine_curve;

void rlti_fine_curve_clear(rlti_fine_curve *curve);

/* Steps in which a strand of so many edges is wound, and how many are taken at most. */
double rlti_curl_steps(const rlti_curl *curl, int edges);
#define RLTI_CURL_STEPS_MAX 10000000

/* Winds the curl around the axis, beginning exactly at `root`; its arc length is curl->length. `edges` is how
 * many the strand will have. Returns 0 when out of memory (or with more turns than memory can hold), 1 else.
 */
int rlti_curl_wind(const rlti_curl *curl, const rlti_axis *axis, rlti_vec3 root, int edges,
                   rlti_fine_curve *curve);

/* `count` points along the curve, from its first to its last point, neighbours equally far apart. */
void rlti_curve_divide(const rlti_fine_curve *curve, int count, rlti_vec3 *points);

#endif
