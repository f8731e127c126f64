/* A tile of strands inside one build of the kernel: its rows, how they are filled, state in and out.
 *
 * Arrays are rows of LANES values: [point][row][lane]. Strands shorter than the tile are padded with points
 * of zero coefficients and infinite mass, which never act on the real ones. */
#ifndef RLTI_SOLVE_KERNEL_TILE_H
#define RLTI_SOLVE_KERNEL_TILE_H

#include <string.h>

#include "base/lanes.h"
#include "base/memory.h"
#include "model/taz_frame.h"
#include "solve/kernel.h"

#define INLINE static inline __attribute__((always_inline))

/* Constants per edge. */
enum {
    C_REST,
    C_KS,
    C_KB,
    C_TARGET,
    C_KC = C_TARGET + 3,
    C_DKC,
    C_CORE_REST,
    C_CC,
    C_DCC,
    C_LIMIT2,
    C_REAL,
    C_CB, /* these three go to the damping loop's rows when the tile is bound */
    C_CSB,
    C_W,
    C_ROWS
};
/* Rows that the damping loop reads, kept together and small: it runs ten times per force step. W belongs to
 * the point. */
enum { D_EDGE, D_CORE = D_EDGE + 3, D_RATE = D_CORE + 3, D_ALONG, D_CB, D_CSB, D_W, D_ROWS };
/* Scratch between the forward and the backward pass. */
enum {
    S_EDGE,
    S_TENSION = S_EDGE + 3,
    S_U,
    S_N = S_U + 3,
    S_R = S_N + 3, /* how the frame was carried: taz_carry */
    S_P,
    S_G, /* how the direction was made: taz_direction */
    S_ACROSS,
    S_TARGET,
    S_FORCE = S_TARGET, /* of the edge: takes the target's place */
    S_BLEND = S_TARGET + 3,
    S_REACH, /* x = |b| - |bbar| */
    S_ROWS
};
/* Contact plane per point. */
enum { P_NORMAL, P_OFFSET = P_NORMAL + 3, P_VELOCITY, P_ROWS = P_VELOCITY + 3 };

/* A hold of a constraint: rlti_hold. */
enum {
    H_ANCHOR,
    H_VELOCITY = H_ANCHOR + 3,
    H_PUSH = H_VELOCITY + 3, /* change of velocity in a force step */
    H_LOW = H_PUSH + 3,
    H_HIGH,
    H_KEEP,
    H_PULL,
    H_SPEED,
    H_ROWS
};

/* Offset of a plane that is never touched. */
#define NO_PLANE ((real)-1e30)

/* Hair inside a body comes out at most this fast [unit/s]. */
#define PUSH_SPEED 100.0

/* Constants per strand, one row each. */
enum {
    L_BEND_POLE,
    L_BEND_Y,
    L_BEND_D,
    L_CORE_POLE,
    L_CORE_Y,
    L_CORE_D,
    L_CORE_UNSCALE,
    L_BEND_FLOOR, /* smoothed edges (scaled) shorter than this have hardly a direction */
    L_BEND_INVERSE_FLOOR,
    L_PER_SEGMENT, /* 1 / l */
    L_CORE_PER_LENGTH,
    L_CORE_BEGIN,
    L_CORE_SCALE,
    L_CORE_C_SCALE, /* turns c_c into what the damping loop multiplies by */
    L_SPEED2,       /* velocity limit squared */
    L_SPEED,
    L_ROOT_U,
    L_ROOT_N = L_ROOT_U + 3,
    L_NEXT_HIGH = L_ROOT_N + 3, /* the root at the end of the force step */
    L_NEXT_LOW = L_NEXT_HIGH + 3,
    L_TORQUE = L_NEXT_LOW + 3,
    L_ROWS = L_TORQUE + 3
};

struct rlti_tile {
    int points;  /* rows: of the longest strand */
    int strands; /* lanes in use */
    int variational, core, wind, driven;
    int damping_steps;
    double force_step;
    real contact_k, contact_inverse, contact_push, friction;
    real contact_time; /* seconds since the planes were found: they move with their surface */
    size_t bytes;
    int lane_points[LANES];
    rlti_vec3 rest_u[LANES], rest_n[LANES];
    rlti_motion_segment motion[LANES];
    real *x;        /* [points][6] position high, low */
    real *v;        /* [points][3] velocity */
    real *constant; /* [points][C_ROWS] */
    real *damping;  /* [points][D_ROWS], bound: in the worker's memory, not the tile's */
    real *scratch;  /* [points][S_ROWS], bound */
    real *planes;   /* [points][P_ROWS] */
    real *air;  /* [points][4] wind, and the share of the approach to it done in a force step; NULL without */
    real *push; /* [points][3] velocity that contacts with other hair give in a force step; NULL without */
    real *hold; /* [hold_first[RLTI_HOLD_CLASSES]][H_ROWS] */
    int *hold_point;                       /* of each row */
    int hold_first[RLTI_HOLD_CLASSES + 1]; /* rows of each class */
    real hold_time;                        /* seconds since the anchors were set */
    real *mass;                            /* [points] */
    real *strand;                          /* [L_ROWS] */
    uint8_t *touched;                      /* [points] 1: some lane has a plane here */
    uint8_t *pushed;                       /* [points] 1: some lane is pushed here */
};

static real *row(real *base, int rows, int point, int which) {
    return base + ((size_t)point * (size_t)rows + (size_t)which) * LANES;
}

static void set_strand_constants(rlti_tile *t, int lane_index, const rlti_taz_strand *s) {
    double values[L_ROOT_U];
    double bb = s->bend_beta, cb = s->core_beta;
    values[L_BEND_POLE] = 1.0 - bb;
    values[L_BEND_Y] = 1.0 / bb;
    values[L_BEND_D] = 1.0 / (bb * bb);
    values[L_CORE_POLE] = 1.0 - cb;
    values[L_CORE_Y] = 1.0 / cb;
    values[L_CORE_D] = 1.0 / (cb * cb);
    values[L_CORE_UNSCALE] = cb * cb;
    values[L_BEND_FLOOR] = (double)TAZ_VANISH * s->segment / (bb * bb);
    values[L_BEND_INVERSE_FLOOR] = 1.0 / values[L_BEND_FLOOR];
    values[L_PER_SEGMENT] = 1.0 / s->segment;
    values[L_CORE_PER_LENGTH] = 1.0 / s->core_length;
    values[L_CORE_BEGIN] = s->core_begin;
    values[L_CORE_SCALE] = 1.0 / (s->core_end - s->core_begin);
    /* Damping acts through nu = S dv = beta^2 S' dv, and back through S^T = beta^2 S'^T (not in the paper's
     * form). */
    values[L_CORE_C_SCALE] =
        (t->variational ? cb * cb * cb * cb : cb * cb) / (t->damping_steps > 0 ? t->damping_steps : 1);
    double speed = s->velocity_limit < 1e15 ? s->velocity_limit : 1e15; /* its square must stay finite */
    values[L_SPEED] = speed;
    values[L_SPEED2] = speed * speed;
    for (int r = 0; r < L_ROOT_U; r++) /* from there on it is state */
        row(t->strand, L_ROWS, 0, r)[lane_index] = (real)values[r];
    t->rest_u[lane_index] = s->root_direction;
    t->rest_n[lane_index] = s->root_normal;
}

/* One edge, and its root-side point. Past the strand's end: edges of the mean length without coefficients,
 * points of infinite mass. */
static void set_edge_constants(rlti_tile *t, int lane_index, const rlti_taz_model *m,
                               const rlti_taz_strand *s, int i) {
    int p = s->first + i;
    int real_edge = i + 1 < s->points, real_point = i < s->points;
    double per_step = t->damping_steps > 0 ? 1.0 / t->damping_steps : 0.0;
    double c[C_ROWS] = {0};
    c[C_REST] = real_edge ? m->rest[p] : s->segment;
    c[C_TARGET] = c[C_REST];
    c[C_LIMIT2] = 1e30;
    if (real_edge) {
        c[C_KS] = m->stretch_k[p];
        c[C_KB] = m->bend_k[p];
        for (int k = 0; k < 3; k++)
            c[C_TARGET + k] = m->target[p][k];
        c[C_KC] = m->core_k[p];
        c[C_DKC] = m->core_dk[p];
        c[C_CORE_REST] = m->core_rest[p];
        c[C_CC] = m->core_c[p];
        c[C_DCC] = m->core_dc[p];
        c[C_REAL] = 1.0;
        if (m->stretch_limit[p] < 1e15)
            c[C_LIMIT2] = m->stretch_limit[p] * m->stretch_limit[p];
        c[C_CB] = m->bend_c[p] * per_step;
        c[C_CSB] = (m->stretch_c[p] - m->bend_c[p]) * per_step;
    }
    /* the root is driven, padding does not move: infinite mass */
    if (real_point && i > 0)
        c[C_W] = t->force_step / m->mass[p];
    for (int r = 0; r < C_ROWS; r++)
        row(t->constant, C_ROWS, i, r)[lane_index] = (real)c[r];
    row(t->mass, 1, i, 0)[lane_index] = (real)(real_point ? m->mass[p] : 0.0);
    if (t->air != NULL)
        row(t->air, 4, i, 3)[lane_index] =
            (real)(real_point && i > 0 ? m->drag[p] * t->force_step / (1.0 + m->drag[p] * t->force_step)
                                       : 0.0);
}

static void reshape(rlti_tile *t, int lane_index, const rlti_taz_model *m, int strand) {
    set_strand_constants(t, lane_index, &m->strands[strand]);
    for (int i = 0; i < t->lane_points[lane_index]; i++)
        set_edge_constants(t, lane_index, m, &m->strands[strand], i);
}

static void clear_planes(rlti_tile *t) {
    t->contact_time = 0;
    for (int i = 0; i < t->points; i++) {
        if (!t->touched[i])
            continue;
        t->touched[i] = 0;
        for (int k = 0; k < LANES; k++)
            row(t->planes, P_ROWS, i, P_OFFSET)[k] = NO_PLANE;
    }
}

/* Rows by class; a lane without a hold of its own keeps its velocity. */
static void make_holds(rlti_tile *t, const rlti_tile_def *def) {
    for (int r = 0; r < def->hold_count; r++) {
        t->hold_point[r] = def->holds[r].point;
        for (int kind = (int)def->holds[r].kind; kind < RLTI_HOLD_CLASSES; kind++)
            t->hold_first[kind + 1] = r + 1;
        for (int k = 0; k < LANES; k++)
            row(t->hold, H_ROWS, r, H_KEEP)[k] = 1;
    }
}

static void begin_holds(rlti_tile *t) {
    t->hold_time = 0;
}

static void set_hold(rlti_tile *t, int lane_index, int which, const rlti_hold *hold) {
    real *h = row(t->hold, H_ROWS, which, 0) + lane_index;
    for (int axis = 0; axis < 3; axis++) {
        h[(H_ANCHOR + axis) * LANES] = (real)hold->anchor[axis];
        h[(H_VELOCITY + axis) * LANES] = (real)hold->velocity[axis];
        h[(H_PUSH + axis) * LANES] = (real)t->force_step * (real)hold->push[axis];
    }
    if (!hold->fresh)
        return;
    h[H_LOW * LANES] = (real)hold->low;
    h[H_HIGH * LANES] = (real)hold->high;
    rlti_hold_step over = rlti_hold_over(t->force_step, hold->stiffness, hold->damping);
    if (hold->exact) /* where it should be at the end of every force step */
        over = (rlti_hold_step){0.0f, (float)(1.0 / t->force_step)};
    h[H_KEEP * LANES] = (real)over.keep;
    h[H_PULL * LANES] = (real)over.pull;
    h[H_SPEED * LANES] = (real)hold->speed;
}

static void destroy(rlti_tile *t) {
    if (t == NULL)
        return;
    RLTI_FREE(t->x, t);
}

static rlti_tile *create(const rlti_tile_def *def) {
    rlti_tile *t = RLTI_NEW(rlti_tile, 1);
    if (t == NULL)
        return NULL;
    const rlti_taz_model *m = def->model;
    const rlti_hair_data *hair = def->hair;
    for (int k = 0; k < LANES; k++) {
        const rlti_taz_strand *s = &m->strands[def->strands[k < def->count ? k : 0]];
        t->lane_points[k] = k < def->count ? s->points : 0;
        t->points = s->points > t->points ? s->points : t->points;
        for (int i = 0; i + 1 < s->points; i++)
            t->core = t->core || m->core_k[s->first + i] > 0.0 || m->core_dk[s->first + i] > 0.0 ||
                      m->core_c[s->first + i] > 0.0;
    }
    t->strands = def->count;
    t->variational = hair->formulation == RLTI_VARIATIONAL;
    t->wind = def->wind;
    t->driven = 1;
    t->damping_steps = def->damping_steps;
    t->force_step = def->force_step;
    /* Penalty integrated implicitly (docs/design/collision.md): no stiffness can make it unstable. */
    double h = def->force_step, k_contact = hair->collide_stiffness, c_contact = hair->collide_damping;
    t->contact_k = (real)(h * k_contact);
    t->contact_inverse = (real)(1.0 / (1.0 + h * c_contact + h * h * k_contact));
    t->contact_push = (real)PUSH_SPEED;
    t->friction = (real)hair->friction;

    size_t n = (size_t)t->points;
    size_t holds = (size_t)def->hold_count;
    size_t rows = n * (6 + 3 + C_ROWS + P_ROWS + 1 + (def->wind ? 4 : 0) + (def->pushed ? 3 : 0)) + L_ROWS +
                  holds * H_ROWS;
    size_t touched_rows = (holds * sizeof(int) + 2 * n + LANES * sizeof(real) - 1) / (LANES * sizeof(real));
    t->bytes = (rows + touched_rows) * LANES * sizeof(real) + sizeof(*t);
    real *memory = rlti_allocate(rows + touched_rows, LANES * sizeof(real));
    if (memory == NULL) {
        rlti_free(t);
        return NULL;
    }
#define TAKE(field, count)                                                                                   \
    t->field = memory;                                                                                       \
    memory += (count)*LANES
    TAKE(x, n * 6);
    TAKE(v, n * 3);
    TAKE(constant, n * C_ROWS);
    TAKE(planes, n * P_ROWS);
    TAKE(mass, n);
    TAKE(strand, L_ROWS);
    if (def->wind) {
        TAKE(air, n * 4);
    }
    if (def->pushed) {
        TAKE(push, n * 3);
    }
    TAKE(hold, holds * H_ROWS);
#undef TAKE
    t->hold_point = (void *)memory;
    t->touched = (uint8_t *)(t->hold_point + holds);
    t->pushed = t->touched + n;

    /* Lane of a strand that does not exist: a copy of the first strand's constants, no coefficients. */
    for (int k = 0; k < LANES; k++) {
        const rlti_taz_strand *s = &m->strands[def->strands[k < def->count ? k : 0]];
        rlti_taz_strand empty = *s;
        if (k >= def->count)
            empty.points = 0;
        set_strand_constants(t, k, s);
        for (int i = 0; i < t->points; i++)
            set_edge_constants(t, k, m, &empty, i);
    }
    memset(t->touched, 1, n);
    clear_planes(t);
    make_holds(t, def);
    return t;
}

static size_t tile_bytes(const rlti_tile *t) {
    return t->bytes;
}

static double position_of(const rlti_tile *t, int lane_index, int i, int axis) {
    return (double)row(t->x, 6, i, axis)[lane_index] + (double)row(t->x, 6, i, 3 + axis)[lane_index];
}

static void put_position(rlti_tile *t, int lane_index, int i, rlti_vec3 p) {
    double c[3] = {p.x, p.y, p.z};
    for (int axis = 0; axis < 3; axis++) {
        real high = (real)c[axis];
        row(t->x, 6, i, axis)[lane_index] = high;
        row(t->x, 6, i, 3 + axis)[lane_index] = (real)(c[axis] - (double)high);
    }
}

/* ---- working memory ---- */

static size_t scratch_bytes(int points) {
    return (size_t)points * (D_ROWS + S_ROWS) * LANES * sizeof(real);
}

/* Edges from positions; the low parts matter where high parts are equal. */
static void find_edges(rlti_tile *t) {
    for (int i = 0; i + 1 < t->points; i++) {
        const real *x = t->x + (size_t)i * 6 * LANES;
        lane3 high = sub3(load3(x + 6 * LANES), load3(x)),
              low = sub3(load3(x + 9 * LANES), load3(x + 3 * LANES));
        store3(t->scratch + ((size_t)i * S_ROWS + S_EDGE) * LANES, add3(high, low));
    }
}

static void fill_damping(rlti_tile *t) {
    for (int i = 0; i < t->points; i++) {
        const real *c = t->constant + (size_t)i * C_ROWS * LANES;
        real *d = t->damping + (size_t)i * D_ROWS * LANES;
        lane_store(d + D_CB * LANES, lane_load(c + C_CB * LANES));
        lane_store(d + D_CSB * LANES, lane_load(c + C_CSB * LANES));
        lane_store(d + D_W * LANES, lane_load(c + C_W * LANES));
    }
}

/* Everything that lives only within an outer step stands in memory that a worker uses for all its tiles: it
 * stays in the core's cache, and tiles are half as large. */
static void bind(rlti_tile *t, void *memory) {
    t->damping = memory;
    t->scratch = t->damping + (size_t)t->points * D_ROWS * LANES;
    find_edges(t);
    fill_damping(t);
}

static void put_velocity(rlti_tile *t, int lane_index, int i, rlti_vec3 v) {
    row(t->v, 3, i, 0)[lane_index] = (real)v.x;
    row(t->v, 3, i, 1)[lane_index] = (real)v.y;
    row(t->v, 3, i, 2)[lane_index] = (real)v.z;
}

/* Padding continues straight from the tip, at rest. */
static void put_padding(rlti_tile *t, int lane_index, rlti_vec3 at) {
    double rest = (double)row(t->constant, C_ROWS, 0, C_REST)[lane_index];
    for (int i = t->lane_points[lane_index]; i < t->points; i++) {
        at = rlti_add(at, rlti_v3(rest, 0, 0));
        put_position(t, lane_index, i, at);
        put_velocity(t, lane_index, i, rlti_v3(0, 0, 0));
    }
}

static void set_state(rlti_tile *t, int lane_index, const rlti_vec3 *positions, const rlti_vec3 *velocities) {
    int n = t->lane_points[lane_index];
    for (int i = 0; i < n; i++) {
        put_position(t, lane_index, i, positions[i]);
        put_velocity(t, lane_index, i, velocities[i]);
    }
    put_padding(t, lane_index, positions[n > 0 ? n - 1 : 0]);
    if (t->scratch != NULL)
        find_edges(t);
}

static void get_state(const rlti_tile *t, int lane_index, rlti_vec3 *positions, rlti_vec3 *velocities) {
    for (int i = 0; i < t->lane_points[lane_index]; i++) {
        positions[i] = rlti_v3(position_of(t, lane_index, i, 0), position_of(t, lane_index, i, 1),
                               position_of(t, lane_index, i, 2));
        const real *v = row(t->v, 3, i, 0) + lane_index;
        velocities[i] = rlti_v3((double)v[0], (double)v[LANES], (double)v[2 * LANES]);
    }
}

static void save(const rlti_tile *t, int lane_index, void *positions, void *velocities, void *root) {
    real *x = positions, *v = velocities, *frame = root;
    for (int i = 0; i < t->lane_points[lane_index]; i++) {
        for (int r = 0; r < 6; r++)
            x[6 * i + r] = row(t->x, 6, i, r)[lane_index];
        for (int r = 0; r < 3; r++)
            v[3 * i + r] = row(t->v, 3, i, r)[lane_index];
    }
    for (int r = 0; r < 6; r++)
        frame[r] = row(t->strand, L_ROWS, 0, L_ROOT_U + r)[lane_index];
}

static void load(rlti_tile *t, int lane_index, const void *positions, const void *velocities,
                 const void *root) {
    const real *x = positions, *v = velocities, *frame = root;
    int n = t->lane_points[lane_index];
    for (int i = 0; i < n; i++) {
        for (int r = 0; r < 6; r++)
            row(t->x, 6, i, r)[lane_index] = x[6 * i + r];
        for (int r = 0; r < 3; r++)
            row(t->v, 3, i, r)[lane_index] = v[3 * i + r];
    }
    for (int r = 0; r < 6; r++)
        row(t->strand, L_ROWS, 0, L_ROOT_U + r)[lane_index] = frame[r];
    put_padding(t, lane_index,
                rlti_v3(position_of(t, lane_index, n - 1, 0), position_of(t, lane_index, n - 1, 1),
                        position_of(t, lane_index, n - 1, 2)));
    if (t->scratch != NULL)
        find_edges(t);
}

static void get_floats(const rlti_tile *t, int lane_index, float *positions, float *velocities) {
    for (int i = 0; i < t->lane_points[lane_index]; i++)
        for (int axis = 0; axis < 3; axis++) {
            positions[3 * i + axis] = (float)row(t->x, 6, i, axis)[lane_index];
            velocities[3 * i + axis] = (float)row(t->v, 3, i, axis)[lane_index];
        }
}

static void carry(rlti_tile *t, int lane_index, rlti_quat turn, rlti_vec3 velocity) {
    rlti_vec3 root = {0, 0, 0}, root_velocity = {0, 0, 0}, p = {0, 0, 0};
    for (int i = 0; i < t->lane_points[lane_index]; i++) {
        p = rlti_v3(position_of(t, lane_index, i, 0), position_of(t, lane_index, i, 1),
                    position_of(t, lane_index, i, 2));
        const real *at = row(t->v, 3, i, 0) + lane_index;
        rlti_vec3 v = rlti_v3((double)at[0], (double)at[LANES], (double)at[2 * LANES]);
        if (i == 0) {
            root = p;
            root_velocity = v;
        }
        p = rlti_quat_rotate(turn, rlti_sub(p, root));
        put_position(t, lane_index, i, p);
        put_velocity(t, lane_index, i,
                     rlti_add(velocity, rlti_quat_rotate(turn, rlti_sub(v, root_velocity))));
    }
    put_padding(t, lane_index, p);
}

static void begin_frame(rlti_tile *t, int lane_index, const rlti_motion_segment *motion, rlti_vec3 shift) {
    t->motion[lane_index] = *motion;
    for (int i = 0; i < t->points; i++) {
        rlti_vec3 p = rlti_v3(position_of(t, lane_index, i, 0), position_of(t, lane_index, i, 1),
                              position_of(t, lane_index, i, 2));
        put_position(t, lane_index, i, rlti_sub(p, shift));
    }
}

static void set_planes(rlti_tile *t, int lane_index, const rlti_plane *planes, int count) {
    for (int j = 0; j < count; j++) {
        int i = planes[j].point;
        real *p = row(t->planes, P_ROWS, i, 0) + lane_index;
        for (int axis = 0; axis < 3; axis++) {
            p[(P_NORMAL + axis) * LANES] = (real)planes[j].normal[axis];
            p[(P_VELOCITY + axis) * LANES] = (real)planes[j].velocity[axis];
        }
        p[P_OFFSET * LANES] = (real)planes[j].offset;
        t->touched[i] = 1;
    }
}

static void clear_pushes(rlti_tile *t) {
    for (int i = 0; i < t->points && t->push != NULL; i++) {
        if (t->pushed[i])
            memset(row(t->push, 3, i, 0), 0, 3 * LANES * sizeof(real));
        t->pushed[i] = 0;
    }
}

static void set_pushes(rlti_tile *t, int lane_index, const int *points, const float (*accelerations)[3],
                       int count) {
    for (int j = 0; j < count; j++) {
        const float *a = accelerations[j];
        if (a[0] == 0.0f && a[1] == 0.0f && a[2] == 0.0f)
            continue;
        for (int axis = 0; axis < 3; axis++)
            row(t->push, 3, points[j], axis)[lane_index] = (real)t->force_step * (real)a[axis];
        t->pushed[points[j]] = 1;
    }
}

static void set_wind(rlti_tile *t, int lane_index, const float *wind) {
    if (t->air == NULL)
        return;
    for (int i = 0; i < t->lane_points[lane_index]; i++)
        for (int axis = 0; axis < 3; axis++)
            row(t->air, 4, i, axis)[lane_index] = (real)wind[3 * i + axis];
}

static void set_root_frame(rlti_tile *t, int lane_index, rlti_vec3 u, rlti_vec3 n) {
    double values[6] = {u.x, u.y, u.z, n.x, n.y, n.z};
    for (int k = 0; k < 6; k++)
        row(t->strand, L_ROWS, 0, L_ROOT_U + k)[lane_index] = (real)values[k];
}

static rlti_vec3 root_torque(const rlti_tile *t, int lane_index) {
    const real *p = row(t->strand, L_ROWS, 0, L_TORQUE) + lane_index;
    return rlti_v3((double)p[0], (double)p[LANES], (double)p[2 * LANES]);
}

/* Tests only: the root becomes an ordinary point, and its frame stays as set. */
static void free_root(rlti_tile *t) {
    t->driven = 0;
    for (int k = 0; k < t->strands; k++)
        row(t->constant, C_ROWS, 0, C_W)[k] = (real)(t->force_step / (double)row(t->mass, 1, 0, 0)[k]);
    if (t->scratch != NULL)
        fill_damping(t);
}

#endif
