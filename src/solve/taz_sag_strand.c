#include "solve/taz_sag_strand.h"

/* Root to tip from edge `first` on, whose edge is `moved` (NULL: as groomed) while all others are as groomed.
 * What comes before `first` is taken from the groom's sweep. */
static void sweep_out(sag_strand *s, int first, const lane3 *moved) {
    for (int i = first; i < s->edges; i++) {
        sag_edge *edge = &s->edge[i];
        sag_sweep *at = moved != NULL ? &edge->moved : &edge->at;
        lane3 e = moved != NULL && i == first ? *moved : edge->e;
        if (i == 0) {
            at->state = taz_filter_begin(&s->bend, e);
            at->before = s->root;
        } else if (i == first) {
            at->state = edge->at.state;
            at->before = edge->at.before;
        }
        taz_filter_state state = at->state;
        taz_frame frame = at->before;
        taz_filter_next(&s->bend, &state, e);
        at->u = taz_direction(state.d, s->floor, s->inverse_floor, &at->g, &at->across);
        at->carry = taz_frame_carry(&frame, at->u);
        if (i + 1 < s->edges) {
            sag_sweep *next = moved != NULL ? &edge[1].moved : &edge[1].at;
            next->state = state;
            next->before = frame;
        }
    }
}

/* Carried by the sweep from tip to root. */
typedef struct sag_back {
    taz_bend_back frames;
    taz_filter_state filter;
} sag_back;

static sag_back back_begin(void) {
    sag_back b = {taz_bend_back_begin(), {zero3(), zero3()}};
    return b;
}

/* The part of edge i's force that acts through frames and smoothing: known once all targets beyond are. */
static lane3 back_next(const sag_strand *s, sag_back *b, int i, const sag_sweep *at) {
    if (!s->variational)
        return zero3();
    lane3 du = taz_bend_back_carry(&b->frames, &at->before, at->u, at->carry);
    lane3 dd = fused3(at->across * dot3(at->u, du), at->u, scale3(at->g, du));
    taz_filter_transpose_next(&s->bend, &b->filter, dd);
    return i > 0 ? b->filter.y : add3(b->filter.y, taz_filter_transpose_root(&s->bend, &b->filter));
}

void rlti_sag_strand_begin(sag_strand *s, const rlti_taz_model *model, int index, const rlti_vec3 *points,
                           double force_step, double stiffen) {
    const rlti_taz_strand *strand = &model->strands[index];
    double beta = strand->bend_beta;
    s->edges = strand->points - 1;
    s->segment = strand->segment;
    s->bend = (taz_filter){1.0 - beta, 1.0 / beta, 1.0 / (beta * beta), beta * beta};
    s->floor = (double)TAZ_VANISH * strand->segment / s->bend.unscale;
    s->inverse_floor = 1.0 / s->floor;
    s->root = (taz_frame){taz_lane3(strand->root_direction), taz_lane3(strand->root_normal)};
    for (int i = 0; i < s->edges; i++) {
        int p = strand->first + i;
        sag_edge *edge = &s->edge[i];
        edge->e = taz_lane3(rlti_sub(points[i + 1], points[i]));
        edge->length = sqrt(dot3(edge->e, edge->e));
        edge->stretch_k = model->stretch_k[p];
        edge->rest = model->rest[p];
        edge->bend_k = edge->bend_given = edge->bend_min = model->bend_k[p];
        edge->bend_max = edge->bend_given;
        if (stiffen > 1.0) {
            double maximum = rlti_taz_bend_max(model, index, i, force_step),
                   wanted = stiffen * edge->bend_given;
            maximum = maximum < wanted ? maximum : wanted;
            edge->bend_max = maximum > edge->bend_given ? maximum : edge->bend_given;
        }
    }
    sweep_out(s, 0, NULL);
}

static void set_target(sag_edge *edge, lane3 target) {
    const taz_frame *f = &edge->at.before;
    edge->target = target;
    edge->c.x = dot3(f->u, target);
    edge->c.y = dot3(f->n, target);
    edge->c.z = dot3(cross3(f->u, f->n), target);
}

void rlti_sag_strand_preload(sag_strand *s, const lane3 *lift, double amount) {
    for (int i = 0; i < s->edges; i++) {
        sag_edge *edge = &s->edge[i];
        double by = edge->bend_k > 0.0 ? -amount / edge->bend_k : 0.0;
        set_target(edge, fused3(by, lift[i], edge->e));
    }
}

/* Splits what edge i has to carry by itself: along the edge by the stretch spring's rest length, as far as
 * that stays positive, because tension makes the strand stiffer sideways; the rest, returned, by bending. */
static lane3 carry_by_stretch(sag_edge *edge, lane3 r) {
    const double shortest = 0.25; /* of the edge */
    lane3 along = scale3(1.0 / edge->length, edge->e);
    double tension = dot3(r, along), maximum = edge->stretch_k * (1.0 - shortest) * edge->length;
    if (tension > maximum)
        tension = maximum;
    else if (tension < -maximum)
        tension = -maximum;
    edge->rest = edge->stretch_k > 0.0 ? edge->length - tension / edge->stretch_k : edge->length;
    return fused3(-tension, along, r);
}

double rlti_sag_strand_solve(sag_strand *s, double limit, double boost) {
    const double across = sqrt(limit * limit - 1.0); /* |t - e| / |e| at the limit, for t - e across e */
    double worst = 1.0;
    sag_back back = back_begin();
    for (int i = s->edges - 1; i >= 0; i--) {
        sag_edge *edge = &s->edge[i];
        lane3 r = sub3(edge->load, back_next(s, &back, i, &edge->at));
        lane3 direct = carry_by_stretch(edge, r);
        double needed = sqrt(dot3(direct, direct)) / (across * edge->length);
        double k = boost * (needed > edge->bend_min ? needed : edge->bend_min);
        edge->bend_k = k < edge->bend_max ? k : edge->bend_max;
        if (!(edge->bend_k > 0.0)) /* no bending spring: nothing to put it into */
            direct = zero3();
        set_target(edge, edge->bend_k > 0.0 ? fused3(-1.0 / edge->bend_k, direct, edge->e) : edge->e);
        double ratio = sqrt(dot3(edge->target, edge->target)) / edge->length;
        worst = ratio > worst ? ratio : worst;
        if (s->variational)
            taz_bend_back_target(&back.frames, &edge->at.before, edge->c, direct);
    }
    return worst;
}

/* Tip to root: forces of all edges; those before `first` lie as in the groom. out[i] = force of edge i. */
static void sweep_back(sag_strand *s, int first, const lane3 *moved, double *out) {
    sag_back back = back_begin();
    for (int i = s->edges - 1; i >= 0; i--) {
        const sag_edge *edge = &s->edge[i];
        const sag_sweep *at = moved != NULL && i >= first ? &edge->moved : &edge->at;
        lane3 e = moved != NULL && i == first ? *moved : edge->e;
        lane3 f = back_next(s, &back, i, at);
        lane3 direct = taz_bend_direct(edge->bend_k, e, taz_frame_vector(&at->before, edge->c));
        double length = sqrt(dot3(e, e));
        f = fused3(taz_stretch_tension(edge->stretch_k, length, edge->rest) / length, e, add3(f, direct));
        if (s->variational)
            taz_bend_back_target(&back.frames, &at->before, edge->c, direct);
        out[3 * i] = f.x;
        out[3 * i + 1] = f.y;
        out[3 * i + 2] = f.z;
    }
}

void rlti_sag_strand_forces(sag_strand *s) {
    sweep_back(s, 0, NULL, s->forces);
}

/* Lower triangle of a symmetric matrix to its Cholesky factor; 0 where it is not positive definite. Four
 * partial sums in a fixed order: fast, and the same bits everywhere. */
static int factor(double *a, int n) {
    for (int i = 0; i < n; i++) {
        double *row = a + (size_t)i * (size_t)n;
        for (int j = 0; j <= i; j++) {
            const double *other = a + (size_t)j * (size_t)n;
            double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
            int k = 0;
            for (; k + 4 <= j; k += 4) {
                s0 += row[k] * other[k];
                s1 += row[k + 1] * other[k + 1];
                s2 += row[k + 2] * other[k + 2];
                s3 += row[k + 3] * other[k + 3];
            }
            for (; k < j; k++)
                s0 += row[k] * other[k];
            double rest = row[j] - ((s0 + s1) + (s2 + s3));
            if (j < i)
                row[j] = rest / other[j];
            else if (!(rest > 0.0))
                return 0;
            else
                row[i] = sqrt(rest);
        }
    }
    return 1;
}

/* The second derivative is taken with respect to edges instead of points: the one is the other seen through
 * an invertible map, so they are positive definite together; and it keeps the digits of stiff edges. The
 * core's part is zero at rest: its force begins with the third power of the stretch. */
int rlti_sag_strand_is_stable(sag_strand *s) {
    const double step = s->segment * 0x1p-25;
    /* margin: a hundredth of what the weight of the last point adds to the stiffness of the edge it hangs
     * on */
    lane3 tip = s->edge[s->edges - 1].load;
    double minimum = 0.01 * sqrt(dot3(tip, tip)) / s->segment;
    int n = 3 * s->edges;
    double *h = s->hessian;
    rlti_sag_strand_forces(s);
    for (int j = 0; j < s->edges; j++) {
        for (int axis = 0; axis < 3; axis++) {
            double *row = h + (size_t)(3 * j + axis) * (size_t)n;
            lane3 moved = s->edge[j].e;
            double *value = axis == 0 ? &moved.x : (axis == 1 ? &moved.y : &moved.z);
            double before = *value;
            *value += step;
            double inverse = 1.0 / (*value - before);
            sweep_out(s, j, &moved);
            sweep_back(s, j, &moved, row);
            for (int i = 0; i < n; i++)
                row[i] = (row[i] - s->forces[i]) * inverse;
        }
    }
    for (int i = 0; i < n; i++) {
        double *row = h + (size_t)i * (size_t)n;
        for (int j = 0; j < i; j++)
            row[j] = 0.5 * (row[j] + h[(size_t)j * (size_t)n + (size_t)i]);
        row[i] -= minimum;
    }
    return factor(h, n);
}
