#include "model/fold.h"

/* The rest shape goes through the same filter and frame code as the kernels, in its plain double build. */
#define RLTI_LANES_REFERENCE
#include "base/lanes.h"
#include "model/taz_filter.h"
#include "model/taz_frame.h"

double rlti_fold_beta(double segment, double alpha) {
    if (alpha <= 0.0)
        return 1.0;
    double beta = 1.0 - rlti_exp(-segment / alpha);
    return beta < RLTI_BETA_MIN ? RLTI_BETA_MIN : beta;
}

rlti_fold_root rlti_fold_root_of(const rlti_vec3 *points) {
    rlti_vec3 u = rlti_normalize(rlti_sub(points[1], points[0]));
    return (rlti_fold_root){u, rlti_perpendicular(u)};
}

rlti_fold_root rlti_fold_root_carry(rlti_fold_root root, rlti_vec3 u) {
    taz_frame frame = {taz_lane3(root.u), taz_lane3(root.n)};
    taz_frame_carry(&frame, taz_lane3(u));
    rlti_vec3 n = rlti_v3(frame.n.x, frame.n.y, frame.n.z);
    /* a fold leaves n short and askew */
    n = rlti_madd(n, -rlti_dot(n, u), u);
    double length = rlti_length(n);
    return (rlti_fold_root){u, length > 1e-3 ? rlti_scale(1.0 / length, n) : rlti_perpendicular(u)};
}

/* Carried along the strand. */
typedef struct walk {
    taz_filter bend;
    taz_filter_state state;
    taz_frame frame;
    double floor;
} walk;

static walk begin(double beta, rlti_fold_root root, double segment, lane3 first) {
    walk w = {.bend = taz_filter_make(beta), .frame = {taz_lane3(root.u), taz_lane3(root.n)}};
    w.state = taz_filter_begin(&w.bend, first);
    w.floor = (double)TAZ_VANISH * segment / w.bend.unscale;
    return w;
}

static void next(walk *w, lane3 e) {
    lane g, across;
    taz_filter_next(&w->bend, &w->state, e);
    taz_frame_carry(&w->frame, taz_direction(w->state.d, w->floor, 1.0 / w->floor, &g, &across));
}

void rlti_fold(double beta, int count, rlti_fold_root root, const rlti_vec3 *points, double (*target)[3]) {
    int edges = count - 1;
    double total = 0.0;
    for (int i = 0; i < edges; i++)
        total += rlti_length(rlti_sub(points[i + 1], points[i]));
    walk w = begin(beta, root, total / edges, taz_lane3(rlti_sub(points[1], points[0])));
    for (int i = 0; i < edges; i++) {
        lane3 e = taz_lane3(rlti_sub(points[i + 1], points[i]));
        target[i][0] = dot3(w.frame.u, e);
        target[i][1] = dot3(w.frame.n, e);
        target[i][2] = dot3(cross3(w.frame.u, w.frame.n), e);
        next(&w, e);
    }
}

void rlti_fold_smooth(double beta, int count, const rlti_vec3 *points, double *lengths) {
    taz_filter core = taz_filter_make(beta);
    taz_filter_state state = taz_filter_begin(&core, taz_lane3(rlti_sub(points[1], points[0])));
    for (int i = 0; i + 1 < count; i++) {
        taz_filter_next(&core, &state, taz_lane3(rlti_sub(points[i + 1], points[i])));
        lengths[i] = core.unscale * sqrt(dot3(state.d, state.d));
    }
}

void rlti_unfold(double beta, int count, rlti_fold_root root, const double (*target)[3], rlti_vec3 *points) {
    int edges = count - 1;
    double total = 0.0;
    for (int i = 0; i < edges; i++)
        total +=
            sqrt(target[i][0] * target[i][0] + target[i][1] * target[i][1] + target[i][2] * target[i][2]);
    walk w = {.floor = 0.0};
    for (int i = 0; i < edges; i++) {
        lane3 t = {target[i][0], target[i][1], target[i][2]};
        taz_frame at = {taz_lane3(root.u), taz_lane3(root.n)};
        lane3 e = taz_frame_vector(i == 0 ? &at : &w.frame, t);
        if (i == 0)
            w = begin(beta, root, total / edges, e);
        next(&w, e);
        points[i + 1] = rlti_add(points[i], rlti_v3(e.x, e.y, e.z));
    }
}
