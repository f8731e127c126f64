/* curl-rotation (Figure 2 of the paper): a perfect helix of the redhead material on the walk cycle. Frames
 * carried along the unsmoothed curl turn about its axis whenever the curl is stretched, and the curl turns
 * with them; frames on the smoothed curve should not.
 *
 * Rotation of the tip frame, the number that is judged:
 *   - F_root is the scalp frame, F_tip the frame of the last edge, R = F_root^T F_tip the tip as the root
 *     sees it.
 *   - The axis runs from the mean of the first turn's points to the mean of the last turn's, in the settled
 *     pose at time 0, and is a constant direction in the root's frame.
 *   - R is split into a swing (about some direction across the axis) after a twist about the axis:
 *     with the quaternion (w, v) of R the twist is 2 atan2(v.axis, w). Sway of the whole curl is swing.
 *   - The angle is unwrapped over time; the range (maximum minus minimum) over the walk is reported, in
 *     degrees.
 *
 * Rotation of the visible curl, reported beside it: the phase of the last turn's points about the local axis
 * there (from the mean of the turn before to that of the last), from a reference direction across the axis
 * which is fixed in the root's frame and carried to the local axis by the smallest rotation.
 *
 * Both runs have the same bend stiffness numbers, stated for 1-unit segments as always: only bend.smoothing
 * differs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "validate/validate.h"
#include "validate/validate_curl.h"

enum { STRANDS = 2, POINTS = 77, EDGES = POINTS - 1, FRAMES = 232, SCENE_SIZE = 4096 };

static const double ratio_limit = 0.5;
static const double turn = 6.283185307179586;
static const char *const strand_names[STRANDS] = {"smoothed", "unsmoothed"};

typedef struct track {
    vector axis, across;     /* unit, in the root's frame */
    double rotation[FRAMES]; /* of the tip frame, since the settled pose [degrees] */
    double phase[FRAMES];    /* of the visible curl [degrees] */
} track;

typedef struct history {
    int window; /* points to one turn */
    double edges_per_turn, hand;
    int frames;
    double time[FRAMES];
    track tracks[STRANDS];
} history;

/* Three unit columns. */
typedef struct basis {
    vector column[3];
} basis;

static basis basis_at(const double *frames, int index) {
    basis b;
    for (int c = 0; c < 3; c++)
        b.column[c] = vector_at(frames + 9 * index, c);
    return b;
}

static vector to_local(const basis *b, vector v) {
    vector l = {vector_dot(b->column[0], v), vector_dot(b->column[1], v), vector_dot(b->column[2], v)};
    return l;
}

static vector to_world(const basis *b, vector l) {
    return vector_add(vector_scale(l.x, b->column[0]),
                      vector_add(vector_scale(l.y, b->column[1]), vector_scale(l.z, b->column[2])));
}

/* Twist about `axis` of the rotation with columns c, in (-2 pi, 2 pi]. The quaternion is built from its
 * greatest component, so that no angle is special. */
static double twist(const basis *r, vector axis) {
    const vector *c = r->column;
    double xx = c[0].x, yy = c[1].y, zz = c[2].z;
    double squares[4] = {1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz};
    /* the products 4 w x, ... of the quaternion's components */
    double wx = c[1].z - c[2].y, wy = c[2].x - c[0].z, wz = c[0].y - c[1].x;
    double xy = c[1].x + c[0].y, xz = c[2].x + c[0].z, yz = c[2].y + c[1].z;
    const double rows[4][4] = {{squares[0], wx, wy, wz},
                               {wx, squares[1], xy, xz},
                               {wy, xy, squares[2], yz},
                               {wz, xz, yz, squares[3]}};
    int best = 0;
    for (int k = 1; k < 4; k++)
        best = squares[k] > squares[best] ? k : best;
    const double *q = rows[best]; /* the quaternion times a positive or negative number */
    vector v = {q[1], q[2], q[3]};
    return 2.0 * atan2(vector_dot(v, axis), q[0]);
}

/* `v` turned by the smallest rotation that takes unit vector a to unit vector b. */
static vector carry(vector v, vector a, vector b) {
    vector k = vector_cross(a, b);
    double cosine = vector_dot(a, b);
    vector turned = vector_add(vector_scale(cosine, v), vector_cross(k, v));
    return vector_add(turned, vector_scale(vector_dot(k, v) / (1.0 + cosine), k));
}

/* Phase of the last turn: each point's angle about the local axis, less the angle it has in the helix. */
static double curl_phase(const history *h, const track *t, const basis *root, const double *points) {
    int n = h->window;
    vector last = curl_mean(points, POINTS - n, n), before = curl_mean(points, POINTS - 2 * n, n);
    vector axis = vector_unit(vector_sub(last, before));
    vector x = carry(to_world(root, t->across), to_world(root, t->axis), axis);
    vector y = vector_cross(axis, x);
    double cosine = 0.0, sine = 0.0;
    for (int i = 0; i < n; i++) {
        vector p = vector_sub(vector_at(points, POINTS - n + i), last);
        double u = vector_dot(p, x), v = vector_dot(p, y);
        double helix = h->hand * turn * i / h->edges_per_turn;
        cosine += u * cos(helix) + v * sin(helix);
        sine += v * cos(helix) - u * sin(helix);
    }
    return atan2(sine, cosine);
}

/* The angle nearest to `before` that equals `angle` but for whole turns; both in degrees. */
static double unwrap(double angle, double before) {
    return angle - 360.0 * floor((angle - before) / 360.0 + 0.5);
}

static void find_axis(const history *h, track *t, const basis *root, const double *points) {
    vector top = curl_mean(points, 0, h->window);
    vector bottom = curl_mean(points, POINTS - h->window, h->window);
    t->axis = to_local(root, vector_unit(vector_sub(bottom, top)));
    /* across the axis, from the root frame's column that is most so */
    vector best = {0.0, 0.0, 0.0};
    for (int c = 0; c < 3; c++) {
        vector e = {c == 0, c == 1, c == 2};
        vector a = vector_sub(e, vector_scale(vector_dot(e, t->axis), t->axis));
        best = vector_length(a) > vector_length(best) ? a : best;
    }
    t->across = vector_unit(best);
}

static int record(const rlt_simulation *simulation, const rlt_frame_view *view, void *context) {
    history *h = context;
    double frames[9 * POINTS];
    if (h->window == 0) {
        h->edges_per_turn = curl_edges_per_turn(view->rest, POINTS, &h->hand);
        h->window = (int)floor(h->edges_per_turn + 0.5);
    }
    if (view->time < 0.0 || h->frames == FRAMES || view->point_count != STRANDS * POINTS)
        return 1;
    int now = h->frames++;
    h->time[now] = view->time;
    for (int s = 0; s < STRANDS; s++) {
        track *t = &h->tracks[s];
        const double *points = view->points + 3 * view->first[s];
        if (rlt_simulation_strand_frames(simulation, s, frames) != RLT_OK)
            return 0;
        basis root = basis_at(frames, 0), tip = basis_at(frames, EDGES), relative;
        if (now == 0)
            find_axis(h, t, &root, points);
        for (int c = 0; c < 3; c++)
            relative.column[c] = to_local(&root, tip.column[c]);
        double degrees = 360.0 / turn;
        t->rotation[now] = degrees * twist(&relative, t->axis);
        t->phase[now] = degrees * curl_phase(h, t, &root, points);
        if (now > 0) {
            t->rotation[now] = unwrap(t->rotation[now], t->rotation[now - 1]);
            t->phase[now] = unwrap(t->phase[now], t->phase[now - 1]);
        }
    }
    return 1;
}

/* Shifts the angles to start from 0; returns maximum minus minimum. */
static double range(double *angles, int count) {
    double start = angles[0], low = 0.0, high = 0.0;
    for (int i = 0; i < count; i++) {
        angles[i] -= start;
        low = angles[i] < low ? angles[i] : low;
        high = angles[i] > high ? angles[i] : high;
    }
    return high - low;
}

static rlt_status simulate(validate_run *run, history *h, char *diverged) {
    char text[SCENE_SIZE];
    int used = 0;
    validate_text(text, SCENE_SIZE, &used,
                  "character: {kind: none}\nmotion: {kind: walk}\n"
                  "time: {fps: 24, first: 1, last: %d, preroll: 96, outer_steps: 60, force_steps: 15,\n"
                  "  damping_steps: 10}\nhair:\n",
                  FRAMES);
    for (int s = 0; s < STRANDS; s++)
        validate_text(text, SCENE_SIZE, &used,
                      "  - {preset: redhead, region: none, count: 1, total_points: %d, length_variation: 0,\n"
                      "     contact: {enabled: off},\n"
                      "     straight_root: 0, taper: 0, variation: 0%s}\n",
                      POINTS, s == 0 ? "" : ", bend: {smoothing: 0}");
    validate_note(run, "%d frames of the walk cycle, smoothed and unsmoothed frames", FRAMES);
    return validate_simulate(run, text, record, h, diverged);
}

static rlt_status report(validate_run *run, history *h, const char *diverged) {
    validate_result r = {
        .unit = "degrees",
        .tolerance = ratio_limit,
        .rule = "range of the tip frame's rotation, smoothed <= tolerance x unsmoothed (reference)"};
    snprintf(r.name, sizeof r.name, "redhead, helix on the walk cycle");
    double ranges[STRANDS], phases[STRANDS];
    for (int s = 0; s < STRANDS; s++) {
        ranges[s] = range(h->tracks[s].rotation, h->frames);
        phases[s] = range(h->tracks[s].phase, h->frames);
    }
    r.measured = diverged[0] != '\0' ? INFINITY : ranges[0];
    r.reference = ranges[1];
    r.verdict = r.measured <= ratio_limit * r.reference ? VALIDATE_PASS : VALIDATE_FAIL;
    if (diverged[0] != '\0')
        snprintf(r.reason, sizeof r.reason, "%.*s", VALIDATE_TEXT - 1, diverged);
    else
        snprintf(
            r.reason, sizeof r.reason,
            "Smoothed frames turn by %.3f of what unsmoothed ones do. The visible curl at the tip turns by "
            "%.1f degrees, unsmoothed %.1f.",
            ranges[0] / ranges[1], phases[0], phases[1]);
    validate_detail(&r, "ratio", ranges[0] / ranges[1]);
    validate_detail(&r, "curl_smoothed_degrees", phases[0]);
    validate_detail(&r, "curl_unsmoothed_degrees", phases[1]);
    validate_detail(&r, "edges_per_turn", h->edges_per_turn);
    return validate_add(run, &r);
}

/* Two charts: the frame at the tip, and what is seen of the curl there. */
static rlt_status draw(validate_run *run, const history *h, int visible) {
    plot *chart = plot_create(visible ? "A helix on the walk cycle: rotation of the visible curl at the tip"
                                      : "A helix on the walk cycle: rotation of the tip frame",
                              "time [s]", "rotation since settled [degrees]");
    for (int s = 0; s < STRANDS; s++) {
        const track *t = &h->tracks[s];
        plot_series(chart, strand_names[s], h->time, visible ? t->phase : t->rotation, h->frames);
    }
    return validate_plot(run, chart, visible ? "curl-rotation-visible" : "curl-rotation");
}

rlt_status validate_rotation(validate_run *run) {
    char diverged[VALIDATE_TEXT] = "";
    history *h = calloc(1, sizeof *h);
    if (h == NULL)
        return RLT_FAILED;
    rlt_status status = simulate(run, h, diverged);
    if (status == RLT_OK || status == RLT_DIVERGED)
        status = report(run, h, diverged);
    if (status == RLT_OK && validate_plots(run))
        status = draw(run, h, 0);
    if (status == RLT_OK && validate_plots(run))
        status = draw(run, h, 1);
    free(h);
    return status;
}
