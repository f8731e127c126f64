/* A strand model in one file, as small as one can be: masses joined by linear springs, one implicit step for
 * each call. Each edge wants to be its rest edge, turned with the root, k (e - R ebar), so every axis is a
 * tridiagonal system of its own; bodies and holds act on the velocities that the springs leave. */
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "body/segment.h"
#include "solve/solver.h"

typedef struct chain {
    rlti_solver base;
    rlti_solver_def def;
    rlti_drive *drive;
    rlti_interval now;
    double *stiffness;         /* [point_count] of the edge after the point [mass/s^2] */
    rlti_vec3 *x, *v, *air;    /* [point_count] relative to the strand's origin [unit], [unit/s], [unit/s] */
    rlti_motion_segment *root; /* [strand_count] over this frame */
} chain;

extern const rlti_solver_type chain_solver;

static chain *of(const rlti_solver *solver) {
    return (chain *)solver;
}

/* 1: one of its strands, computed on this rank. */
static int is_here(const chain *c, int s) {
    return c->def.mine[s] && rlti_drive_local(c->drive)[s];
}

static void destroy(rlti_solver *solver) {
    chain *c = of(solver);
    rlti_free(c->x);
    rlti_free(c->stiffness);
    rlti_free(c->root);
    rlti_free(c);
}

/* Matter and stiffness of one strand. */
static void set_constants(chain *c, int s) {
    rlti_matter *m = c->def.matter;
    const rlti_strands *strands = c->def.strands;
    const rlti_hair_data *hair = &c->def.scene->hair[strands->hair[s]];
    int edges = rlti_matter_points(m, s) - 1;
    for (int i = 0, p = m->first[s]; i <= edges; i++, p++) {
        double at = (double)i / edges;
        m->rest[p] = i < edges ? rlti_length(rlti_sub(strands->points[p + 1], strands->points[p])) : 0.0;
        m->segment[s] += m->rest[p] / edges;
        m->mass[p] = rlti_strands_value(strands, &hair->mass, p, at);
        m->drag[p] = rlti_strands_value(strands, &hair->drag, p, at);
        c->stiffness[p] = rlti_strands_value(strands, &hair->bend_stiffness, p, at);
    }
}

static rlt_status create(const rlti_solver_def *def, rlt_messages *messages, rlti_solver **solver) {
    int points = def->matter->point_count, strands = def->matter->strand_count;
    chain *c = RLTI_NEW(chain, 1);
    if (c == NULL)
        return rlti_out_of_memory(messages);
    *c = (chain){.base = {&chain_solver}, .def = *def};
    c->x = RLTI_NEW(rlti_vec3, 3 * points); /* and v, and air */
    c->stiffness = RLTI_NEW(double, points);
    c->root = RLTI_NEW(rlti_motion_segment, strands);
    if (c->x == NULL || c->stiffness == NULL || c->root == NULL) {
        destroy(&c->base);
        return rlti_out_of_memory(messages);
    }
    c->v = c->x + points;
    c->air = c->v + points;
    for (int s = 0; s < strands; s++)
        if (def->mine[s])
            set_constants(c, s);
    *solver = &c->base;
    return RLT_OK;
}

static rlt_status start(rlti_solver *solver, rlti_drive *drive, const rlti_vec3 *loads,
                        rlt_messages *messages) {
    (void)loads, (void)messages;
    of(solver)->drive = drive;
    return RLT_OK;
}

static void set(rlti_solver *solver, int s, const rlti_vec3 *x, const rlti_vec3 *v,
                const rlti_quat *rotation) {
    const rlti_matter *m = of(solver)->def.matter;
    size_t bytes = (size_t)rlti_matter_points(m, s) * sizeof *x;
    (void)rotation;
    memcpy(of(solver)->x + m->first[s], x, bytes);
    memcpy(of(solver)->v + m->first[s], v, bytes);
}

static void get(const rlti_solver *solver, int s, rlti_vec3 *x, rlti_vec3 *v) {
    const rlti_matter *m = of(solver)->def.matter;
    size_t bytes = (size_t)rlti_matter_points(m, s) * sizeof *x;
    memcpy(x, of(solver)->x + m->first[s], bytes);
    memcpy(v, of(solver)->v + m->first[s], bytes);
}

static void begin_frame(rlti_solver *solver) {
    chain *c = of(solver);
    for (int s = 0; s < c->def.matter->strand_count; s++) {
        rlti_root_motion root;
        if (!is_here(c, s))
            continue;
        rlti_drive_begin_strand(c->drive, s, &root);
        c->root[s] = root.motion;
        for (int p = c->def.matter->first[s]; p < c->def.matter->first[s + 1]; p++)
            c->x[p] = root.jumps ? rlti_quat_rotate(root.turn, c->x[p]) : rlti_sub(c->x[p], root.shift);
    }
}

static void look(rlti_solver *solver) {
    const chain *c = of(solver);
    for (int s = 0; s < c->def.matter->strand_count; s++)
        if (is_here(c, s))
            rlti_drive_show(c->drive, s, c->x + c->def.matter->first[s], c->v + c->def.matter->first[s]);
}

/* What a hold makes of a point's velocity in h seconds. */
static void hold(const rlti_hold *a, double h, rlti_vec3 x, rlti_vec3 *v) {
    rlti_hold_step over = rlti_hold_over(h, a->stiffness, a->damping);
    rlti_hold_terms terms = {(double)a->low, (double)a->high, a->exact ? 0.0 : (double)over.keep,
                             a->exact ? 1.0 / h : (double)over.pull, (double)a->speed};
    rlti_vec3 arm = rlti_sub(x, rlti_v3_at(a->anchor, 0)), away = rlti_sub(*v, rlti_v3_at(a->velocity, 0));
    rlti_vec3 change = rlti_hold_change(&terms, a->kind, arm, away);
    *v = rlti_add(*v, rlti_madd(change, h, rlti_v3_at(a->push, 0)));
}

/* Constraints and bodies, on the velocities that the springs have left. */
static void limit(chain *c, int s, int worker, double h) {
    const rlti_hold *holds = NULL;
    const rlti_plane *planes = NULL;
    int first = c->def.matter->first[s], count = rlti_drive_holds(c->drive, s, worker, &holds);
    for (int k = 0; k < count; k++)
        hold(&holds[k], h, c->x[first + holds[k].point], &c->v[first + holds[k].point]);
    count = rlti_drive_planes(c->drive, s, worker, &planes);
    for (int k = 0; k < count; k++) {
        int p = first + planes[k].point;
        rlti_vec3 n = rlti_hold_vector(planes[k].normal);
        double gap = rlti_dot(n, c->x[p]) - (double)planes[k].offset;
        double away = rlti_dot(n, rlti_sub(c->v[p], rlti_hold_vector(planes[k].velocity)));
        if (gap + h * away < 0.0)
            c->v[p] = rlti_madd(c->v[p], -gap / h - away, n);
    }
}

/* k (e - R ebar) along one axis. */
static double pull_of(const chain *c, int e, rlti_quat turn, int axis) {
    const rlti_vec3 *rest = c->def.strands->points;
    rlti_vec3 want = rlti_quat_rotate(turn, rlti_sub(rest[e + 1], rest[e]));
    rlti_vec3 off = rlti_sub(rlti_sub(c->x[e + 1], c->x[e]), want);
    return c->stiffness[e] * (&off.x)[axis];
}

/* One axis of all springs, from tip to root and back: (m / h + m d + h K) v' = m v / h + forces. */
static void solve(chain *c, int s, int axis, double h, rlti_quat turn, double root_velocity) {
    const rlti_matter *m = c->def.matter;
    int first = m->first[s], n = m->first[s + 1] - first;
    double diagonal[1024], right[1024], v = root_velocity;
    for (int i = n - 1; i > 0; i--) {
        int p = first + i;
        double after = i + 1 < n ? c->stiffness[p] : 0.0;
        double outside = m->drag[p] * (&c->air[p].x)[axis] + c->now.gravity[axis];
        diagonal[i] = m->mass[p] * (1.0 / h + m->drag[p]) + h * (c->stiffness[p - 1] + after);
        right[i] = m->mass[p] * ((&c->v[p].x)[axis] / h + outside) - pull_of(c, p - 1, turn, axis);
        if (i + 1 == n)
            continue;
        right[i] += pull_of(c, p, turn, axis) + h * after / diagonal[i + 1] * right[i + 1];
        diagonal[i] -= h * after / diagonal[i + 1] * h * after;
    }
    for (int i = 1; i < n; i++) {
        v = (right[i] + h * c->stiffness[first + i - 1] * v) / diagonal[i];
        (&c->v[first + i].x)[axis] = v;
    }
}

static void step_strand(void *context, int s, int worker) {
    chain *c = context;
    int first = c->def.matter->first[s], n = rlti_matter_points(c->def.matter, s);
    if (!is_here(c, s) || n > 1024)
        return;
    double h = rlti_interval_seconds(&c->now), end = (double)(c->now.first + c->now.count) / c->now.steps;
    rlti_quat turn = rlti_quat_normalize(rlti_segment_rotation(&c->root[s], end));
    rlti_vec3 v = rlti_scale(1.0 / h, rlti_sub(rlti_segment_position(&c->root[s], end), c->x[first]));
    const float *air = rlti_drive_air(c->drive, s, worker);
    for (int i = 0; air != NULL && i < n; i++)
        c->air[first + i] = rlti_hold_vector(air + 3 * (size_t)i);
    for (int axis = 0; axis < 3; axis++)
        solve(c, s, axis, h, turn, (&v.x)[axis]);
    limit(c, s, worker, h);
    c->v[first] = v;
    for (int p = first; p < first + n; p++)
        c->x[p] = rlti_madd(c->x[p], h, c->v[p]);
}

static void step(rlti_solver *solver, const rlti_interval *now) {
    of(solver)->now = *now;
    rlti_pool_for(of(solver)->def.pool, of(solver)->def.matter->strand_count, step_strand, solver);
}

static void measure(rlti_solver *solver, const double gravity[3], rlti_measure *measures) {
    const chain *c = of(solver);
    const rlti_matter *m = c->def.matter;
    for (int s = 0; s < m->strand_count; s++) {
        if (!is_here(c, s))
            continue;
        measures[s] = rlti_measure_points(m, s, c->x + m->first[s], c->v + m->first[s], gravity);
        for (int p = m->first[s]; p + 1 < m->first[s + 1]; p++) {
            double off = rlti_length(rlti_sub(c->x[p + 1], c->x[p])) - m->rest[p];
            measures[s].energies[0] += 0.5 * c->stiffness[p] * off * off;
        }
    }
}

static int fields(const rlti_solver *solver, rlti_state_field out[RLTI_FIELDS_MAX]) {
    (void)solver;
    out[0] = (rlti_state_field){"positions", 8, 3, 0};
    out[1] = (rlti_state_field){"velocities", 8, 3, 0};
    return 2;
}

static void save(const rlti_solver *solver, int s, void *const data[]) {
    get(solver, s, data[0], data[1]);
}

static void load(rlti_solver *solver, int s, const void *const data[]) {
    set(solver, s, data[0], data[1], NULL);
}

static size_t bytes(const rlti_solver *solver) {
    return (size_t)of(solver)->def.matter->point_count * (3 * sizeof(rlti_vec3) + sizeof(double));
}

static const char *const energies[] = {"springs", NULL}, *const parts[] = {NULL};

/* clang-format off */
const rlti_solver_type chain_solver = {
    "chain", "linear springs, one implicit step each call", energies, parts, ~(1u << RLTI_CONSTRAINT_TIPS), 0, 0,
    create, destroy, NULL, bytes, NULL, NULL, NULL, NULL, NULL, start, NULL, set, get, NULL, begin_frame, look, step, measure,
    fields, save, load, NULL, 0, NULL, NULL, 0, NULL, NULL, NULL};
/* clang-format on */

/* This is all it takes to be a model of the program. */
const rlti_solver_type *rlti_more_solvers(int index) {
    return index == 0 ? &chain_solver : NULL;
}
