/* The Taz strand's constants: everything that is computed once from the groom at rest. Only the rest shape
 * may change afterwards (shape/reshape.h).
 *
 * Plain double arrays in strand order; the kernels pack them into lanes. Coefficients in the scene are stated
 * for 1-unit segments and are rescaled here with the segment length, so that a strand keeps its stiffness,
 * weight and damping when it is resampled. The derivation is in docs/design/resolution.md; in short, with l
 * the segment:
 *   mass     m l
 *   stretch  k_s / l,  c_s / l
 *   bend     k_b / l * (lag(1) / lag(l))^2,  c_b / l
 *   core     k_c / l with the blend over [0, l/2],  c_c / l
 * where lag(l) = l coth(l / (2 alpha_b)) is the arc length by which the frame trails the edge. */
#ifndef RLTI_MODEL_TAZ_MODEL_H
#define RLTI_MODEL_TAZ_MODEL_H

#include "model/matter.h"

/* One per strand. */
typedef struct rlti_taz_strand {
    int first;                   /* its root point in the arrays below */
    int points;                  /* edges = points - 1 */
    int hair;                    /* hair section of the scene */
    double segment;              /* mean rest edge l [unit] */
    double bend_beta, core_beta; /* 1 - exp(-l / alpha) */
    double core_length;          /* Lbar: rest length of the core [unit] */
    double core_begin, core_end; /* curl stretch at which the core's second blend begins and ends */
    double velocity_limit;       /* greatest |dv| across one edge [unit/s]; HUGE_VAL = off */
    rlti_vec3 root_direction;    /* u_{-1} in the rest pose */
    rlti_vec3 root_normal;       /* n_{-1} in the rest pose */
} rlti_taz_strand;

typedef struct rlti_taz_model {
    int strand_count, point_count;
    rlti_taz_strand *strands; /* [strand_count] */
    rlti_matter *matter;      /* the groom's: segments are written there, too */
    double *mass, *drag;      /* [point_count] matter's */
    /* per edge, stored at the index of the edge's root-side point [point_count] */
    double *rest;                                  /* l_i [unit], matter's */
    double *stretch_k, *stretch_c, *stretch_limit; /* limit: longest length allowed [unit], HUGE_VAL = off */
    double *bend_k, *bend_c;
    double (*target)[3];                         /* tbar_i: the rest edge in frame i-1 */
    double *core_rest;                           /* |bbar_i| [unit] */
    double *core_k, *core_dk, *core_c, *core_dc; /* base and rise to the maximum */
} rlti_taz_model;

/* The one list of arrays with a number, or a vector, at every point: allocate, free, count and checksum
 * follow it. */
#define RLTI_TAZ_ARRAYS(X)                                                                                   \
    X(stretch_k)                                                                                             \
    X(stretch_c)                                                                                             \
    X(stretch_limit)                                                                                         \
    X(bend_k)                                                                                                \
    X(bend_c)                                                                                                \
    X(target)                                                                                                \
    X(core_rest)                                                                                             \
    X(core_k)                                                                                                \
    X(core_dk)                                                                                               \
    X(core_c)                                                                                                \
    X(core_dc)

/* Fills in the matter of the strands with mine[strand] (NULL: all) and their constants. Fails only when out
 * of memory: the groom has been checked. The matter must outlive the model. */
rlt_status rlti_taz_model_create(const rlti_scene_data *scene, const rlti_strands *strands,
                                 const unsigned char *mine, rlti_matter *matter, rlt_messages *messages,
                                 rlti_taz_model **model);
void rlti_taz_model_destroy(rlti_taz_model *model);
size_t rlti_taz_model_bytes(const rlti_taz_model *model);
/* Of all constants: has a groom or its material changed? */
uint64_t rlti_taz_model_checksum(const rlti_taz_model *model, uint64_t hash);

/* Another rest shape for one strand: lengths, their limits, targets and core. Mass, stiffness, damping and
 * smoothing stay as they are, edge by edge: so steps that were short enough still are, and a strand that is
 * as large again moves alike. */
void rlti_taz_model_reshape(rlti_taz_model *model, int index, const rlti_hair_data *hair,
                            const rlti_vec3 *points);

/* How close explicit steps come to their limit, as a fraction of it (1 = the longest stable step), and the
 * strand that decides. Springs: h sqrt(4 k / m) < 2; damping: 4 c h / m < 2, each with some margin. */
typedef struct rlti_taz_load {
    double force, damping;
    int force_strand, damping_strand;
} rlti_taz_load;

rlti_taz_load rlti_taz_model_load(const rlti_taz_model *model, double force_step, int damping_steps);

/* Lowers the damping of edges that comes nearer to its limit than `share` of it to just that, which an edge
 * as short as that hardly feels: it is damped far beyond the critical value. Returns the number of strands
 * with such edges; `least` gets the smallest factor. */
int rlti_taz_model_relieve(rlti_taz_model *model, double force_step, int damping_steps, double share,
                           double *least);

/* The time in which an edge that is off its length comes back to it, the longest of all [s], and its strand.
 * It should be milliseconds; but forces and damping act one after the other, and where damping takes all
 * speed away that a force step gave, an edge hardly moves, however stiff it is. */
double rlti_taz_model_return(const rlti_taz_model *model, double force_step, int damping_steps, int *strand);

/* The greatest k_b that edge `edge` of a strand may have without deciding the step: what its other springs
 * leave of the limit above, at least 0. */
double rlti_taz_bend_max(const rlti_taz_model *model, int strand, int edge, double force_step);

/* lag(l) = l coth(l / (2 alpha)) = l (1 + q/beta + q/beta) [unit]. */
double rlti_taz_lag(double segment, double alpha);

#endif
