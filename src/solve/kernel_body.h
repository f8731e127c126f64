/* The step kernel's source, compiled once per instruction set (kernel_avx2.c and its siblings define
 * RLTI_LANES_... and RLTI_KERNEL_NAME and include this file). Read kernel.h first; the formulas are in
 * model/taz_*.h.
 *
 * A tile's arrays are rows of LANES values: [point][row][lane]. Strands shorter than the tile are padded with
 * points of zero coefficients and infinite mass, which never act on the real ones. */

#include "base/lanes.h"
#include "base/memory.h"
#include "model/taz_bend.h"
#include "model/taz_core.h"
#include "model/taz_filter.h"
#include "model/taz_frame.h"
#include "model/taz_stretch.h"
#include "solve/kernel.h"

#include <string.h>

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
    C_ROWS
};
/* What the damping loop reads, kept together and small: it runs ten times per force step. W belongs to the
 * point. */
enum { D_EDGE, D_CORE = D_EDGE + 3, D_CORE_C = D_CORE + 3, D_RATE, D_CB, D_CSB, D_W, D_ROWS };
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
    S_BLEND = S_TARGET + 3,
    S_REACH, /* x = |b| - |bbar| */
    S_ROWS
};
/* Contact plane per point. */
enum { P_NORMAL, P_OFFSET = P_NORMAL + 3, P_VELOCITY, P_ROWS = P_VELOCITY + 3 };

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
    real *x;          /* [points][6] position high, low */
    real *v;          /* [points][3] velocity */
    real *constant;   /* [points][C_ROWS] */
    real *damping;    /* [points][D_ROWS] */
    real *scratch;    /* [points][S_ROWS] */
    real *planes;     /* [points][P_ROWS] */
    real *air;        /* [points][4] wind, drag times the force step; NULL without wind */
    real *mass;       /* [points] */
    real *strand;     /* [L_ROWS] */
    uint8_t *touched; /* [points] 1: some lane has a plane here */
};

/* ---- building and state ---- */

static real *row(real *base, int rows, int point, int which) {
    return base + ((size_t)point * (size_t)rows + (size_t)which) * LANES;
}

static void set_strand_constants(rlti_tile *t, int lane_index, const rlti_taz_strand *s) {
    double values[L_ROWS] = {0};
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
    for (int r = 0; r < L_ROWS; r++)
        row(t->strand, L_ROWS, 0, r)[lane_index] = (real)values[r];
    t->rest_u[lane_index] = s->root_direction;
    t->rest_n[lane_index] = s->root_normal;
}

/* Lane of a strand that does not exist: a copy of the first strand's constants and unit edges, no
 * coefficients. */
static void set_edge_constants(rlti_tile *t, int lane_index, const rlti_taz_model *m,
                               const rlti_taz_strand *s, int i) {
    int p = s->first + i;
    int real_edge = i + 1 < s->points, real_point = i < s->points;
    double per_step = t->damping_steps > 0 ? 1.0 / t->damping_steps : 0.0;
    double c[C_ROWS] = {0}, d[D_ROWS] = {0};
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
        d[D_CB] = m->bend_c[p] * per_step;
        d[D_CSB] = (m->stretch_c[p] - m->bend_c[p]) * per_step;
    }
    /* the root is driven, padding does not move: infinite mass */
    if (real_point && i > 0)
        d[D_W] = t->force_step / m->mass[p];
    for (int r = 0; r < C_ROWS; r++)
        row(t->constant, C_ROWS, i, r)[lane_index] = (real)c[r];
    for (int r = 0; r < D_ROWS; r++)
        row(t->damping, D_ROWS, i, r)[lane_index] = (real)d[r];
    row(t->mass, 1, i, 0)[lane_index] = (real)(real_point ? m->mass[p] : 0.0);
    if (t->air != NULL)
        row(t->air, 4, i, 3)[lane_index] = (real)(real_point && i > 0 ? m->drag[p] * t->force_step : 0.0);
    real *scratch = row(t->scratch, S_ROWS, i, S_EDGE);
    scratch[lane_index] = (real)c[C_REST];
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

static void destroy(rlti_tile *t) {
    if (t == NULL)
        return;
    rlti_free(t->x);
    rlti_free(t);
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
    size_t rows = n * (6 + 3 + C_ROWS + D_ROWS + S_ROWS + P_ROWS + 1 + (def->wind ? 4 : 0)) + L_ROWS;
    size_t touched_rows = (n + LANES * sizeof(real) - 1) / (LANES * sizeof(real));
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
    TAKE(damping, n * D_ROWS);
    TAKE(scratch, n * S_ROWS);
    TAKE(planes, n * P_ROWS);
    TAKE(mass, n);
    TAKE(strand, L_ROWS);
    if (def->wind) {
        TAKE(air, n * 4);
    }
#undef TAKE
    t->touched = (uint8_t *)memory;

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

static void set_state(rlti_tile *t, int lane_index, const rlti_vec3 *positions, const rlti_vec3 *velocities) {
    int n = t->lane_points[lane_index];
    rlti_vec3 at = positions[0];
    for (int i = 0; i < t->points; i++) {
        /* padding goes on straight from the tip, at rest */
        at = i < n ? positions[i]
                   : rlti_add(at, rlti_v3((double)row(t->constant, C_ROWS, 0, C_REST)[lane_index], 0, 0));
        put_position(t, lane_index, i, at);
        rlti_vec3 v = i < n ? velocities[i] : rlti_v3(0, 0, 0);
        row(t->v, 3, i, 0)[lane_index] = (real)v.x;
        row(t->v, 3, i, 1)[lane_index] = (real)v.y;
        row(t->v, 3, i, 2)[lane_index] = (real)v.z;
    }
    for (int i = 0; i + 1 < t->points; i++)
        for (int axis = 0; axis < 3; axis++)
            row(t->scratch, S_ROWS, i, S_EDGE + axis)[lane_index] =
                (real)(position_of(t, lane_index, i + 1, axis) - position_of(t, lane_index, i, axis));
}

static void get_state(const rlti_tile *t, int lane_index, rlti_vec3 *positions, rlti_vec3 *velocities) {
    for (int i = 0; i < t->lane_points[lane_index]; i++) {
        positions[i] = rlti_v3(position_of(t, lane_index, i, 0), position_of(t, lane_index, i, 1),
                               position_of(t, lane_index, i, 2));
        const real *v = row(t->v, 3, i, 0) + lane_index;
        velocities[i] = rlti_v3((double)v[0], (double)v[LANES], (double)v[2 * LANES]);
    }
}

static void get_floats(const rlti_tile *t, int lane_index, float *positions, float *velocities) {
    for (int i = 0; i < t->lane_points[lane_index]; i++)
        for (int axis = 0; axis < 3; axis++) {
            positions[3 * i + axis] = (float)row(t->x, 6, i, axis)[lane_index];
            velocities[3 * i + axis] = (float)row(t->v, 3, i, axis)[lane_index];
        }
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
        row(t->damping, D_ROWS, 0, D_W)[k] = (real)(t->force_step / (double)row(t->mass, 1, 0, 0)[k]);
}

/* ---- the root ---- */

/* The scalp frame at s (fraction of the frame). In double and per strand: a few operations per force step. */
static void aim_root(rlti_tile *t, double s) {
    for (int k = 0; k < t->strands; k++) {
        rlti_vec3 unused;
        rlti_quat rotation, rate;
        rlti_motion_segment_at(&t->motion[k], s, 1.0, &unused, &unused, &rotation, &rate);
        rotation = rlti_quat_normalize(rotation);
        set_root_frame(t, k, rlti_quat_rotate(rotation, t->rest_u[k]),
                       rlti_quat_rotate(rotation, t->rest_n[k]));
    }
}

/* The root for the force step that begins at s: its frame now, its velocity in the middle of the step, and
 * where it will be at the end. */
static void drive_root(rlti_tile *t, double s, double frame_step, double rate) {
    aim_root(t, s);
    for (int k = 0; k < t->strands; k++) {
        rlti_vec3 unused, velocity, next;
        rlti_quat rotation, spin;
        rlti_motion_segment_at(&t->motion[k], s + 0.5 * frame_step, rate, &unused, &velocity, &rotation,
                               &spin);
        rlti_motion_segment_at(&t->motion[k], s + frame_step, rate, &next, &unused, &rotation, &spin);
        double v[3] = {velocity.x, velocity.y, velocity.z}, p[3] = {next.x, next.y, next.z};
        for (int axis = 0; axis < 3; axis++) {
            row(t->v, 3, 0, axis)[k] = (real)v[axis];
            real high = (real)p[axis];
            row(t->strand, L_ROWS, 0, L_NEXT_HIGH + axis)[k] = high;
            row(t->strand, L_ROWS, 0, L_NEXT_LOW + axis)[k] = (real)(p[axis] - (double)high);
        }
    }
}

/* ---- forces ---- */

INLINE lane strand_row(const rlti_tile *t, int which) {
    return lane_load(t->strand + (size_t)which * LANES);
}

INLINE taz_filter bend_filter(const rlti_tile *t) {
    taz_filter f = {strand_row(t, L_BEND_POLE), strand_row(t, L_BEND_Y), strand_row(t, L_BEND_D),
                    lane_set(1)};
    return f;
}

INLINE taz_filter core_filter(const rlti_tile *t) {
    taz_filter f = {strand_row(t, L_CORE_POLE), strand_row(t, L_CORE_Y), strand_row(t, L_CORE_D),
                    strand_row(t, L_CORE_UNSCALE)};
    return f;
}

/* Sums over a strand that the backward pass needs. */
typedef struct core_sums {
    lane length; /* L = sum |b_i| */
    lane rise;   /* sum dk_i l P(z_i): what the second blend multiplies */
} core_sums;

/* Root to tip: edges, smoothed curves, frames, targets; everything that depends on what is nearer the root.
 */
INLINE core_sums forward_pass(rlti_tile *t, const int core) {
    const int edges = t->points - 1;
    taz_filter bend = bend_filter(t), cores = core_filter(t);
    lane floor = strand_row(t, L_BEND_FLOOR), inverse_floor = strand_row(t, L_BEND_INVERSE_FLOOR);
    lane per_segment = strand_row(t, L_PER_SEGMENT);
    lane tiny = lane_set((real)1e-12);
    taz_frame frame = {load3(t->strand + L_ROOT_U * LANES), load3(t->strand + L_ROOT_N * LANES)};
    lane3 e = load3(t->scratch + S_EDGE * LANES);
    taz_filter_state bs = taz_filter_begin(&bend, e), cs = taz_filter_begin(&cores, e);
    core_sums sums = {lane_set(0), lane_set(0)};

    for (int i = 0; i < edges; i++) {
        const real *c = t->constant + (size_t)i * C_ROWS * LANES;
        real *d = t->damping + (size_t)i * D_ROWS * LANES;
        real *s = t->scratch + (size_t)i * S_ROWS * LANES;
        e = load3(s + S_EDGE * LANES);

        lane length = lane_sqrt(dot3(e, e));
        lane inverse = lane_set(1) / lane_maximum(length, tiny);
        store3(d + D_EDGE * LANES, scale3(inverse, e));
        lane_store(s + S_TENSION * LANES,
                   taz_stretch_tension(lane_load(c + C_KS * LANES), length, lane_load(c + C_REST * LANES)));

        /* target from the frame of the edge before, then carry the frame over this edge */
        store3(s + S_TARGET * LANES, taz_frame_vector(&frame, load3(c + C_TARGET * LANES)));
        taz_filter_next(&bend, &bs, e);
        lane g, across;
        lane3 u = taz_direction(bs.d, floor, inverse_floor, &g, &across);
        taz_carry carry = taz_frame_carry(&frame, u);
        store3(s + S_U * LANES, u);
        store3(s + S_N * LANES, frame.n);
        lane_store(s + S_R * LANES, carry.r);
        lane_store(s + S_P * LANES, carry.p);
        lane_store(s + S_G * LANES, g);
        lane_store(s + S_ACROSS * LANES, across);

        if (core) {
            taz_filter_next(&cores, &cs, e);
            lane scaled = lane_sqrt(dot3(cs.d, cs.d));
            store3(d + D_CORE * LANES, scale3(lane_set(1) / lane_maximum(scaled, tiny), cs.d));
            length = scaled * cores.unscale;
            lane x = length - lane_load(c + C_CORE_REST * LANES);
            lane z = x * per_segment;
            lane blend = taz_core_blend(z);
            lane_store(s + S_BLEND * LANES, blend);
            lane_store(s + S_REACH * LANES, x);
            sums.length = fused(length, lane_load(c + C_REAL * LANES), sums.length);
            sums.rise = fused(lane_load(c + C_DKC * LANES), taz_core_potential(z), sums.rise);
        }
    }
    /* dk is per unit length, P wants l^2 */
    sums.rise = sums.rise / (per_segment * per_segment);
    return sums;
}

/* Tip to root: edge forces (with the frames' and filters' transposes in the variational form), then
 * velocities. */
INLINE void backward_pass(rlti_tile *t, const double gravity[3], core_sums sums, const int variational,
                          const int core) {
    const int edges = t->points - 1;
    taz_filter bend = bend_filter(t), cores = core_filter(t);
    taz_frame root = {load3(t->strand + L_ROOT_U * LANES), load3(t->strand + L_ROOT_N * LANES)};
    taz_bend_back back = taz_bend_back_begin();
    taz_filter_state bs = {zero3(), zero3()}, cs = {zero3(), zero3()};
    lane slope = lane_set(0), rise = lane_set(0), core_c_scale = strand_row(t, L_CORE_C_SCALE);
    if (core)
        rise = taz_core_rise(sums.length, strand_row(t, L_CORE_PER_LENGTH), strand_row(t, L_CORE_BEGIN),
                             strand_row(t, L_CORE_SCALE), &slope);
    lane everywhere = slope * sums.rise; /* w'(L) sum dk l P */
    lane h = lane_set((real)t->force_step);
    lane3 fall = {h * lane_set((real)gravity[0]), h * lane_set((real)gravity[1]),
                  h * lane_set((real)gravity[2])};
    lane3 beyond = zero3(); /* force of the edge beyond the point */

    for (int i = edges - 1; i >= -1; i--) {
        lane3 g = zero3();
        if (i >= 0) {
            const real *c = t->constant + (size_t)i * C_ROWS * LANES;
            real *d = t->damping + (size_t)i * D_ROWS * LANES;
            const real *s = t->scratch + (size_t)i * S_ROWS * LANES;
            lane3 e = load3(s + S_EDGE * LANES), target = load3(s + S_TARGET * LANES);
            lane3 direct = taz_bend_direct(lane_load(c + C_KB * LANES), e, target);
            g = fused3(lane_load(s + S_TENSION * LANES), load3(d + D_EDGE * LANES), direct);
            if (variational) {
                const real *before = s - (size_t)S_ROWS * LANES;
                taz_frame frame =
                    i > 0 ? (taz_frame){load3(before + S_U * LANES), load3(before + S_N * LANES)} : root;
                taz_carry carry = {lane_load(s + S_R * LANES), lane_load(s + S_P * LANES)};
                lane3 u = load3(s + S_U * LANES);
                lane3 du = taz_bend_back_carry(&back, &frame, u, carry);
                lane3 dd = fused3(lane_load(s + S_ACROSS * LANES) * dot3(u, du), u,
                                  scale3(lane_load(s + S_G * LANES), du));
                taz_bend_back_target(&back, &frame, load3(c + C_TARGET * LANES), direct);
                taz_filter_transpose_next(&bend, &bs, dd);
                g = add3(g, bs.y);
                if (i == 0)
                    g = add3(g, taz_filter_transpose_root(&bend, &bs));
            }
            if (core) {
                lane3 direction = load3(d + D_CORE * LANES);
                lane k = fused(rise, lane_load(c + C_DKC * LANES), lane_load(c + C_KC * LANES));
                lane blend = lane_load(s + S_BLEND * LANES);
                lane pull = k * blend * lane_load(s + S_REACH * LANES);
                if (variational)
                    pull = fused(everywhere, lane_load(c + C_REAL * LANES), pull) * cores.unscale;
                if (variational) {
                    taz_filter_transpose_next(&cores, &cs, scale3(pull, direction));
                    g = add3(g, cs.y);
                    if (i == 0)
                        g = add3(g, taz_filter_transpose_root(&cores, &cs));
                } else {
                    g = fused3(pull, direction, g);
                }
                lane cc = fused(rise, lane_load(c + C_DCC * LANES), lane_load(c + C_CC * LANES));
                lane_store(d + D_CORE_C * LANES, cc * blend * core_c_scale);
            }
        }
        /* point i + 1: pulled by the edge beyond, held by this one */
        real *vp = t->v + (size_t)(i + 1) * 3 * LANES;
        lane3 v = load3(vp);
        lane w = lane_load(t->damping + ((size_t)(i + 1) * D_ROWS + D_W) * LANES);
        lane3 change = fused3(w, sub3(beyond, g), fall);
        v = add3(v, select3(lane_less(lane_set(0), w), change, zero3()));
        store3(vp, v);
        beyond = g;
    }
    store3(t->strand + L_TORQUE * LANES, taz_bend_root_torque(&back, &root));
}

/* Air drag: dv = h drag (wind - v). */
INLINE void air_pass(rlti_tile *t) {
    for (int i = 1; i < t->points; i++) {
        const real *a = t->air + (size_t)i * 4 * LANES;
        real *vp = t->v + (size_t)i * 3 * LANES;
        lane3 v = load3(vp);
        store3(vp, fused3(lane_load(a + 3 * LANES), sub3(load3(a), v), v));
    }
}

/* Points behind their contact plane: an implicit damped spring along the normal, Coulomb friction across it.
 * The push-out speed is limited so that hair that starts inside a body comes out gently. */
INLINE void contact_pass(rlti_tile *t) {
    lane k = lane_set(t->contact_k), inverse = lane_set(t->contact_inverse), push = lane_set(t->contact_push);
    lane friction = lane_set(t->friction), zero = lane_set(0), time = lane_set(t->contact_time);
    for (int i = 1; i < t->points; i++) {
        if (!t->touched[i])
            continue;
        const real *p = t->planes + (size_t)i * P_ROWS * LANES;
        lane3 normal = load3(p + P_NORMAL * LANES), surface = load3(p + P_VELOCITY * LANES);
        lane3 x = fused3(-time, surface, load3(t->x + (size_t)i * 6 * LANES));
        lane depth = lane_load(p + P_OFFSET * LANES) - dot3(normal, x);
        lane_mask inside = lane_less(zero, depth);
        if (!lane_any(inside))
            continue;
        real *vp = t->v + (size_t)i * 3 * LANES;
        lane3 v = load3(vp), relative = sub3(v, surface);
        lane vn = dot3(normal, relative);
        lane wanted = lane_minimum(fused(k, depth, vn) * inverse, lane_maximum(vn, push));
        lane kick = lane_maximum(wanted - vn, zero);
        lane3 across = fused3(-vn, normal, relative);
        lane speed = lane_sqrt(dot3(across, across));
        lane keep =
            lane_maximum(zero, lane_set(1) - friction * kick / lane_maximum(speed, lane_set((real)1e-12)));
        lane3 moved = fused3(vn + kick, normal, fused3(keep, across, surface));
        store3(vp, select3(inside, moved, v));
    }
}

INLINE void forces_of(rlti_tile *t, const double gravity[3], const int variational, const int core) {
    core_sums sums = forward_pass(t, core);
    backward_pass(t, gravity, sums, variational, core);
}

static void forces(rlti_tile *t, const double gravity[3]) {
    if (t->variational && t->core)
        forces_of(t, gravity, 1, 1);
    else if (t->variational)
        forces_of(t, gravity, 1, 0);
    else if (t->core)
        forces_of(t, gravity, 0, 1);
    else
        forces_of(t, gravity, 0, 0);
    if (t->air != NULL)
        air_pass(t);
    contact_pass(t);
}

/* A limiter's new velocity is taken only where the point becomes slower, as seen from the root. Without this
 * a single fast point would drag everything beyond it along, and the limiters would create energy instead of
 * removing it. */
INLINE void limit_velocity(lane3 root, lane3 limited, lane_mask over, lane3 *v) {
    lane3 before = sub3(*v, root), after = sub3(limited, root);
    lane gain = lane_select(over, dot3(after, after) - dot3(before, before), lane_set(1));
    lane_mask slower = lane_less(gain, lane_set(0));
    *v = select3(slower, limited, *v);
}

/* ---- damping ---- */

/* One damping step: c_b dv + (c_s - c_b)(dv.ehat) ehat on each edge (equations 1 and 4), and the core's
 * S^T c_c (nu.bhat) bhat with nu = S dv (equation 5; without S^T in the paper's form). Forward: the velocity
 * limit, then nu. Backward: forces to velocities. */
INLINE void damping_step(rlti_tile *t, const int variational, const int core) {
    const int edges = t->points - 1;
    taz_filter cores = core_filter(t);
    lane speed2 = strand_row(t, L_SPEED2);
    lane3 v0 = load3(t->v);
    taz_filter_state cs = {zero3(), zero3()};

    for (int i = 0; i < edges; i++) {
        real *d = t->damping + (size_t)i * D_ROWS * LANES;
        real *vp = t->v + (size_t)(i + 1) * 3 * LANES;
        lane3 v1 = load3(vp);
        lane3 dv = sub3(v1, v0);
        lane square = dot3(dv, dv);
        lane_mask over = lane_less(speed2, square);
        if (__builtin_expect(lane_any(over), 0)) {
            lane scale = strand_row(t, L_SPEED) / lane_sqrt(lane_maximum(square, lane_set((real)1e-30)));
            limit_velocity(load3(t->v), add3(v0, scale3(scale, dv)), over, &v1);
            dv = sub3(v1, v0);
            store3(vp, v1);
        }
        if (core) {
            if (i == 0)
                cs = taz_filter_begin(&cores, dv);
            taz_filter_next(&cores, &cs, dv);
            lane_store(d + D_RATE * LANES,
                       lane_load(d + D_CORE_C * LANES) * dot3(cs.d, load3(d + D_CORE * LANES)));
        }
        v0 = v1;
    }

    cs.y = zero3();
    cs.d = zero3();
    lane3 v1 = load3(t->v + (size_t)edges * 3 * LANES), beyond = zero3();
    lane w = lane_load(t->damping + ((size_t)edges * D_ROWS + D_W) * LANES);
    for (int i = edges - 1; i >= 0; i--) {
        const real *d = t->damping + (size_t)i * D_ROWS * LANES;
        v0 = load3(t->v + (size_t)i * 3 * LANES);
        lane3 dv = sub3(v1, v0), ehat = load3(d + D_EDGE * LANES);
        lane along = lane_load(d + D_CSB * LANES) * dot3(dv, ehat);
        lane3 f;
        if (core && variational) {
            taz_filter_transpose_next(&cores, &cs,
                                      scale3(lane_load(d + D_RATE * LANES), load3(d + D_CORE * LANES)));
            f = cs.y;
            if (i == 0)
                f = add3(f, taz_filter_transpose_root(&cores, &cs));
            f = fused3(lane_load(d + D_CB * LANES), dv, f);
        } else if (core) {
            f = scale3(lane_load(d + D_RATE * LANES), load3(d + D_CORE * LANES));
            f = fused3(lane_load(d + D_CB * LANES), dv, f);
        } else {
            f = scale3(lane_load(d + D_CB * LANES), dv);
        }
        f = fused3(along, ehat, f);
        store3(t->v + (size_t)(i + 1) * 3 * LANES, fused3(w, sub3(beyond, f), v1));
        w = lane_load(d + D_W * LANES);
        beyond = f;
        v1 = v0;
    }
    store3(t->v, fused3(w, beyond, v1));
}

INLINE void damp_with(rlti_tile *t, const int variational, const int core) {
    for (int n = 0; n < t->damping_steps; n++)
        damping_step(t, variational, core);
}

static void damp(rlti_tile *t) {
    if (t->variational && t->core)
        damp_with(t, 1, 1);
    else if (t->core)
        damp_with(t, 0, 1);
    else
        damp_with(t, 0, 0);
}

/* ---- positions ---- */

/* high + low += change, exactly rounded sum in two parts (Knuth's two-sum). */
INLINE void add_exact(lane *high, lane *low, lane change) {
    lane increment = *low + change;
    lane sum = *high + increment;
    lane part = sum - *high;
    *low = (*high - (sum - part)) + (increment - part);
    *high = sum;
}

INLINE void add_exact3(lane3 *high, lane3 *low, lane3 change) {
    add_exact(&high->x, &low->x, change.x);
    add_exact(&high->y, &low->y, change.y);
    add_exact(&high->z, &low->z, change.z);
}

/* Velocities to positions, and the root-to-tip stretch limit (section 3.1): an edge that is too long is
 * shortened by moving its tip-side point, which also loses the velocity that lengthened it. */
static void move(rlti_tile *t) {
    lane h = lane_set((real)t->force_step);
    lane3 high0, low0, v0 = load3(t->v);
    if (t->driven) {
        high0 = load3(t->strand + L_NEXT_HIGH * LANES);
        low0 = load3(t->strand + L_NEXT_LOW * LANES);
    } else {
        high0 = load3(t->x);
        low0 = load3(t->x + 3 * LANES);
        add_exact3(&high0, &low0, scale3(h, v0));
    }
    store3(t->x, high0);
    store3(t->x + 3 * LANES, low0);

    for (int i = 1; i < t->points; i++) {
        real *xp = t->x + (size_t)i * 6 * LANES;
        real *vp = t->v + (size_t)i * 3 * LANES;
        lane3 high = load3(xp), low = load3(xp + 3 * LANES), v = load3(vp);
        add_exact3(&high, &low, scale3(h, v));
        lane3 e = add3(sub3(high, high0), sub3(low, low0));
        lane limit2 = lane_load(t->constant + ((size_t)(i - 1) * C_ROWS + C_LIMIT2) * LANES);
        lane square = dot3(e, e);
        lane_mask over = lane_less(limit2, square);
        if (__builtin_expect(lane_any(over), 0)) {
            lane shrink = lane_select(over, lane_sqrt(limit2 / lane_maximum(square, lane_set((real)1e-30))),
                                      lane_set(1));
            add_exact3(&high, &low, scale3(shrink - lane_set(1), e));
            lane rate =
                lane_maximum(dot3(sub3(v, v0), e), lane_set(0)) / lane_maximum(square, lane_set((real)1e-30));
            limit_velocity(load3(t->v), fused3(-rate, e, v), over, &v);
            store3(vp, v);
            e = add3(sub3(high, high0), sub3(low, low0));
        }
        store3(xp, high);
        store3(xp + 3 * LANES, low);
        store3(t->scratch + ((size_t)(i - 1) * S_ROWS + S_EDGE) * LANES, e);
        high0 = high;
        low0 = low;
        v0 = v;
    }
}

static void run(rlti_tile *t, const rlti_step *step) {
    for (int f = 0; f < step->force_steps; f++) {
        if (t->driven)
            drive_root(t, (step->first_force_step + f) * step->frame_step, step->frame_step, step->rate);
        forces(t, step->gravity);
        damp(t);
        move(t);
        t->contact_time += (real)t->force_step;
    }
    if (t->driven)
        aim_root(t, (step->first_force_step + step->force_steps) * step->frame_step);
}

/* ---- looking ---- */

/* Energies and health of all strands of the tile, by the same functions as the forces. */
static void measure(rlti_tile *t, const double gravity[3], rlti_measure *out) {
    core_sums sums = forward_pass(t, 1);
    lane zero = lane_set(0), slope;
    lane rise = taz_core_rise(sums.length, strand_row(t, L_CORE_PER_LENGTH), strand_row(t, L_CORE_BEGIN),
                              strand_row(t, L_CORE_SCALE), &slope);
    lane per_segment = strand_row(t, L_PER_SEGMENT);
    lane core = rise * sums.rise, bend = zero, stretch = zero, longest2 = zero, fastest2 = zero,
         kinetic = zero;
    for (int i = 0; i + 1 < t->points; i++) {
        const real *c = t->constant + (size_t)i * C_ROWS * LANES;
        const real *s = t->scratch + (size_t)i * S_ROWS * LANES;
        lane3 e = load3(s + S_EDGE * LANES);
        lane rest = lane_load(c + C_REST * LANES), square = dot3(e, e);
        stretch = stretch + taz_stretch_energy(lane_load(c + C_KS * LANES), lane_sqrt(square), rest);
        bend = bend + taz_bend_energy(lane_load(c + C_KB * LANES), e, load3(s + S_TARGET * LANES));
        /* the forward pass left x; the base stiffness multiplies P(x / l) */
        lane z = lane_load(s + S_REACH * LANES) * per_segment;
        core = core + lane_load(c + C_KC * LANES) * taz_core_potential(z) / (per_segment * per_segment);
        longest2 = lane_maximum(lane_load(c + C_REAL * LANES) * square / (rest * rest), longest2);
    }
    lane pull[3] = {zero, zero, zero}, total = zero;
    lane not_finite = zero;
    for (int i = 0; i < t->points; i++) {
        lane mass = lane_load(t->mass + (size_t)i * LANES);
        lane there = lane_select(lane_less(zero, mass), lane_set(1), zero);
        lane3 v = load3(t->v + (size_t)i * 3 * LANES), x = load3(t->x + (size_t)i * 6 * LANES);
        lane square = dot3(v, v);
        /* (a - a) is zero unless a is infinite or not a number; padding may be anything finite */
        lane sum = square + (x.x + x.y + x.z);
        not_finite = lane_maximum(lane_select(lane_less(sum - sum, lane_set(1)), zero, there), not_finite);
        fastest2 = lane_maximum(there * square, fastest2);
        kinetic = fused(lane_set((real)0.5) * mass, square, kinetic);
        total = total + mass;
        pull[0] = fused(mass, x.x, pull[0]);
        pull[1] = fused(mass, x.y, pull[1]);
        pull[2] = fused(mass, x.z, pull[2]);
    }
    lane weight = -(lane_set((real)gravity[0]) * pull[0] + lane_set((real)gravity[1]) * pull[1] +
                    lane_set((real)gravity[2]) * pull[2]);
    const lane values[] = {
        not_finite, lane_sqrt(fastest2), lane_sqrt(longest2), kinetic, stretch, bend, core, weight, total};
    real table[sizeof(values) / sizeof(values[0])][LANES];
    memcpy(table, values, sizeof(table));
    for (int k = 0; k < t->strands; k++)
        out[k] = (rlti_measure){.finite = table[0][k] == 0,
                                .fastest = (double)table[1][k],
                                .longest = (double)table[2][k],
                                .kinetic = (double)table[3][k],
                                .stretch = (double)table[4][k],
                                .bend = (double)table[5][k],
                                .core = (double)table[6][k],
                                .gravity = (double)table[7][k],
                                .mass = (double)table[8][k]};
}

static void write_frame(double *out, const taz_frame *frame, int lane_index) {
    const lane3 columns[3] = {frame->u, frame->n, cross3(frame->u, frame->n)};
    real table[9][LANES];
    memcpy(table, columns, sizeof(table));
    for (int k = 0; k < 9; k++)
        out[k] = (double)table[k][lane_index];
}

static void frames_of(rlti_tile *t, int lane_index, double *frames) {
    forward_pass(t, 0);
    taz_frame frame = {load3(t->strand + L_ROOT_U * LANES), load3(t->strand + L_ROOT_N * LANES)};
    write_frame(frames, &frame, lane_index);
    for (int i = 0; i + 1 < t->lane_points[lane_index]; i++) {
        taz_frame_carry(&frame, load3(t->scratch + ((size_t)i * S_ROWS + S_U) * LANES));
        write_frame(frames + 9 * (i + 1), &frame, lane_index);
    }
}

/* Nothing but independent fused multiply-adds in registers: the most this core can do. Returns the
 * operations. */
static double spin(long iterations, double *sink) {
    enum { CHAINS = 12 }; /* enough to hide a latency of four or five cycles at two per cycle */
    lane sums[CHAINS], factor = lane_set((real)0.999), term = lane_set((real)1e-3);
    for (int c = 0; c < CHAINS; c++)
        sums[c] = lane_set((real)c);
    for (long i = 0; i < iterations; i++) {
#pragma GCC unroll 12
        for (int c = 0; c < CHAINS; c++)
            sums[c] = fused(sums[c], factor, term);
    }
    union {
        lane all;
        real each[LANES];
    } out;
    for (int c = 0; c < CHAINS; c++) {
        out.all = sums[c];
        *sink += (double)out.each[0];
    }
    return (double)iterations * CHAINS * 2.0 * LANES;
}

const rlti_kernel RLTI_KERNEL_NAME = {
    .simd = RLTI_KERNEL_SIMD,
    .lanes = LANES,
    .create = create,
    .destroy = destroy,
    .bytes = tile_bytes,
    .set_state = set_state,
    .get_state = get_state,
    .get_floats = get_floats,
    .begin_frame = begin_frame,
    .clear_planes = clear_planes,
    .set_planes = set_planes,
    .set_wind = set_wind,
    .run = run,
    .measure = measure,
    .frames = frames_of,
    .forces = forces,
    .damp = damp,
    .move = move,
    .set_root_frame = set_root_frame,
    .root_torque = root_torque,
    .free_root = free_root,
    .spin = spin,
};
