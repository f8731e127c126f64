/* Diagnostics as lines, circles and dots. */
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "render/overlay.h"

/* Lines that follow each other, kept apart by vertices without a depth. */
typedef struct line_list {
    rlti_line_vertex *vertices;
    int count, capacity;
    int failed; /* out of memory: nothing more is taken */
} line_list;

/* Things that lie on the body are not hidden by it: drawn this share of its depth nearer. */
#define LIFT 0.004

static void add_vertex(line_list *lines, double x, double y, double depth, double width, rlti_colour colour) {
    rlti_line_vertex v = {(float)x, (float)y, (float)depth, (float)width, {0}};
    memcpy(v.colour, colour.c, sizeof v.colour);
    lines->failed = lines->failed || !RLTI_LIST_RESERVE(lines->vertices, lines->count, 1, lines->capacity);
    if (!lines->failed)
        lines->vertices[lines->count++] = v;
}

static void end_line(line_list *lines) {
    add_vertex(lines, 0.0, 0.0, 0.0, 0.0, (rlti_colour){0});
}

/* `lift` more [unit]: how far below a surface it is still to be seen. */
static void line_to(line_list *lines, const rlti_drawing *d, rlti_vec3 p, double width, double lift,
                    rlti_colour colour) {
    rlti_projected at = rlti_camera_project(&d->camera, p);
    if (!(at.depth > d->camera.nearest)) { /* beside or behind the eye */
        end_line(lines);
        return;
    }
    double depth = fmax(at.depth * (1.0 - LIFT) - lift, d->camera.nearest);
    add_vertex(lines, at.x, at.y, depth, width, colour);
}

static void add_line(line_list *lines, const rlti_drawing *d, rlti_vec3 a, rlti_vec3 b, double width,
                     rlti_colour colour) {
    line_to(lines, d, a, width, 0.0, colour);
    line_to(lines, d, b, width, 0.0, colour);
    end_line(lines);
}

/* The outline of a sphere. */
static void add_circle(line_list *lines, const rlti_drawing *d, rlti_vec3 centre, double radius, double width,
                       rlti_colour colour) {
    enum { CORNERS = 32 };
    rlti_projected at = rlti_camera_project(&d->camera, centre);
    if (!(at.depth > d->camera.nearest))
        return;
    double r = radius * d->camera.focal / at.depth;
    double depth = fmax(at.depth * (1.0 - LIFT) - radius, d->camera.nearest);
    for (int i = 0; i <= CORNERS; i++) {
        double angle = 2.0 * RLTI_PI * i / CORNERS;
        add_vertex(lines, at.x + r * rlti_cos(angle), at.y + r * rlti_sin(angle), depth, width, colour);
    }
    end_line(lines);
}

/* A full disc of so many samples: a line from its left to its right that is as wide as the disc is high. */
static void add_dot(line_list *lines, const rlti_drawing *d, rlti_vec3 centre, double radius,
                    rlti_colour colour) {
    enum { SLICES = 8 };
    rlti_projected at = rlti_camera_project(&d->camera, centre);
    if (!(at.depth > d->camera.nearest))
        return;
    for (int i = 0; i <= SLICES; i++) {
        double x = 2.0 * i / SLICES - 1.0;
        add_vertex(lines, at.x + radius * x, at.y, at.depth * (1.0 - LIFT), 2.0 * radius * sqrt(1.0 - x * x),
                   colour);
    }
    end_line(lines);
}

/* ---- what there is to draw ---- */

static void add_curves(line_list *lines, const rlti_drawing *d, const double *points, double width,
                       rlti_colour colour) {
    for (int s = 0; s < d->view->strand_count; s++) {
        for (int p = d->view->first[s]; p < d->view->first[s + 1]; p++)
            line_to(lines, d, rlti_v3_at(points, p), width, 0.0, colour);
        end_line(lines);
    }
}

/* Guides in the colours of values. A value of an edge holds from its point to the next; values of points
 * blend in between. */
static void add_values(line_list *lines, const rlti_drawing *d) {
    const double *points = d->view->points, *values = d->values;
    int of_edges = d->scale->what == RLT_SHOW_STRETCH;
    for (int s = 0; s < d->view->strand_count; s++)
        for (int p = d->view->first[s]; p + 1 < d->view->first[s + 1]; p++) {
            double next = of_edges ? values[p] : values[p + 1];
            line_to(lines, d, rlti_v3_at(points, p), 1.8 * d->pen, 0.0,
                    rlti_scale_colour(d->scale, values[p]));
            line_to(lines, d, rlti_v3_at(points, p + 1), 1.8 * d->pen, 0.0,
                    rlti_scale_colour(d->scale, next));
            end_line(lines);
        }
}

/* Edges with an end inside a body, or those without. Inside they would be hidden: there they show through,
 * but not through the whole body. */
static void add_depths(line_list *lines, const rlti_drawing *d, const double *values, int inside) {
    const double *points = d->view->points;
    double width = (inside ? 2.2 : 0.6) * d->pen;
    for (int s = 0; s < d->view->strand_count; s++)
        for (int p = d->view->first[s]; p + 1 < d->view->first[s + 1]; p++) {
            double maximum = fmax(values[p], values[p + 1]);
            if ((maximum > 0.0) != inside)
                continue;
            for (int k = p; k <= p + 1; k++)
                line_to(lines, d, rlti_v3_at(points, k), width, 3.0 * maximum,
                        rlti_scale_colour(d->scale, values[k]));
            end_line(lines);
        }
}

static double mean_edge(const rlti_drawing *d, int s) {
    int first = d->view->first[s], last = d->view->first[s + 1] - 1;
    double sum = 0.0;
    for (int p = first; p < last; p++)
        sum += rlti_length(rlti_sub(rlti_v3_at(d->view->points, p + 1), rlti_v3_at(d->view->points, p)));
    return last > first ? sum / (last - first) : 0.0;
}

static void add_frames(line_list *lines, const rlti_drawing *d) {
    for (int s = 0; s < d->view->strand_count; s++) {
        double length = 0.8 * mean_edge(d, s);
        for (int p = d->view->first[s]; p < d->view->first[s + 1]; p++) {
            rlti_vec3 at = rlti_v3_at(d->diagnostics->frame_origins, p);
            for (int axis = 0; axis < 3; axis++) {
                rlti_vec3 along = rlti_v3_at(d->diagnostics->frames + 9 * (size_t)p, axis);
                add_line(lines, d, at, rlti_madd(at, length, along), d->pen, rlti_axis_colour(axis));
            }
        }
    }
}

static void add_targets(line_list *lines, const rlti_drawing *d) {
    rlti_colour colour = rlti_show_colour(RLT_SHOW_TARGETS);
    for (int s = 0; s < d->view->strand_count; s++)
        for (int p = d->view->first[s]; p + 1 < d->view->first[s + 1]; p++) {
            rlti_vec3 from = rlti_v3_at(d->view->points, p);
            rlti_vec3 to = rlti_add(from, rlti_v3_at(d->diagnostics->targets, p));
            add_line(lines, d, from, to, 1.2 * d->pen, colour);
            add_dot(lines, d, to, 1.6 * d->pen, colour);
        }
}

/* 0: out of memory. */
static int add_contacts(line_list *lines, const rlti_drawing *d) {
    const rlt_diagnostics *x = d->diagnostics;
    const double *points = d->view->points;
    rlti_colour touching = rlti_show_colour(RLT_SHOW_CONTACTS), spring = rlti_spring_colour();
    unsigned char *touches = RLTI_NEW(unsigned char, x->point_count);
    if (touches == NULL)
        return 0;
    for (long long k = 0; k < x->spring_count; k++)
        touches[x->springs[k].point] = touches[x->springs[k].other] = 1;
    for (int p = 0; p < x->point_count; p++)
        if (x->particle[p] == RLT_PARTICLE_KEPT)
            add_circle(lines, d, rlti_v3_at(points, p), x->radii[p], touches[p] ? d->pen : 0.35 * d->pen,
                       touches[p] ? touching : rlti_free_colour());
    for (long long k = 0; k < x->spring_count; k++)
        add_line(lines, d, rlti_v3_at(points, x->springs[k].point), rlti_v3_at(points, x->springs[k].other),
                 (0.8 + 1.2 * x->springs[k].age) * d->pen, spring);
    rlti_free(touches);
    return 1;
}

static void add_particles(line_list *lines, const rlti_drawing *d) {
    const rlt_diagnostics *x = d->diagnostics;
    for (int p = 0; p < x->point_count; p++)
        if (x->particle[p] != RLT_PARTICLE_NONE) {
            int kept = x->particle[p] == RLT_PARTICLE_KEPT;
            add_dot(lines, d, rlti_v3_at(d->view->points, p), (kept ? 2.6 : 1.5) * d->pen,
                    kept ? rlti_kept_colour() : rlti_show_colour(RLT_SHOW_PRUNED));
        }
}

static void add_holds(line_list *lines, const rlti_drawing *d) {
    const rlt_diagnostics *x = d->diagnostics;
    for (int k = 0; k < x->hold_count; k++) {
        int exact = x->hold_forces[k] < 0.0;
        rlti_colour colour =
            exact ? rlti_show_colour(RLT_SHOW_HOLDS) : rlti_scale_colour(d->scale, x->hold_forces[k]);
        rlti_vec3 point = rlti_v3_at(d->view->points, x->hold_points[k]);
        add_line(lines, d, point, rlti_v3_at(x->hold_anchors, k), 1.2 * d->pen, colour);
        add_dot(lines, d, point, 1.8 * d->pen, colour);
    }
}

/* A line along each force from where it acts, longer where the force is greater, and from the other hair
 * against it; dots say whether it slips. */
static void add_forces(line_list *lines, const rlti_drawing *d) {
    const rlt_diagnostics *x = d->diagnostics;
    for (int k = 0; k < x->force_count; k++) {
        rlti_vec3 place = rlti_v3_at(x->force_places, k), other = rlti_v3_at(x->force_others, k),
                  force = rlti_v3_at(x->force_vectors, k);
        double size = x->force_sizes[k];
        if (!(size > 0.0))
            continue;
        double depth = rlti_camera_project(&d->camera, place).depth;
        double share = fmax(rlti_scale_share(d->scale, size), 0.0);
        double length = (6.0 + 22.0 * share) * d->pen * depth / d->camera.focal;
        rlti_colour colour = rlti_scale_colour(d->scale, size);
        rlti_vec3 along = rlti_scale(length / size, force);
        add_line(lines, d, place, rlti_add(place, along), 1.4 * d->pen, colour);
        if (rlti_length(rlti_sub(other, place)) > 0.0)
            add_line(lines, d, other, rlti_sub(other, along), 1.4 * d->pen, colour);
        add_dot(lines, d, place, 1.6 * d->pen, rlti_grip_colour(x->force_slips[k]));
    }
}

/* Draws what was collected, and forgets it. */
static rlt_status draw_lines(line_list *lines, const rlti_drawing *d, rlt_messages *messages) {
    if (lines->failed)
        return rlti_out_of_memory(messages);
    rlt_status status = rlti_lines_draw(d->picture, lines->vertices, lines->count, NULL, messages);
    lines->count = 0;
    return status;
}

rlt_status rlti_draw_show(const rlti_drawing *d, rlt_show what, rlt_messages *messages) {
    line_list lines = {0};
    const rlt_diagnostics *x = d->diagnostics;
    rlti_colour colour = rlti_show_colour(what);
    int done = 1;
    switch (what) {
    case RLT_SHOW_GUIDES:
        add_curves(&lines, d, d->view->points, d->pen, colour);
        break;
    case RLT_SHOW_SMOOTHED:
        add_curves(&lines, d, x->smoothed, 1.3 * d->pen, colour);
        break;
    case RLT_SHOW_CORE:
        add_curves(&lines, d, x->core, 1.3 * d->pen, colour);
        break;
    case RLT_SHOW_FRAMES:
        add_frames(&lines, d);
        break;
    case RLT_SHOW_TARGETS:
        add_targets(&lines, d);
        break;
    case RLT_SHOW_CONTACTS:
        done = add_contacts(&lines, d);
        break;
    case RLT_SHOW_PRUNED:
        add_particles(&lines, d);
        break;
    case RLT_SHOW_STRETCH:
    case RLT_SHOW_SPEED:
    case RLT_SHOW_TWIST:
    case RLT_SHOW_CURVATURE:
    case RLT_SHOW_RESIDUAL:
        add_values(&lines, d);
        break;
    case RLT_SHOW_PENETRATION:
        add_depths(&lines, d, x->penetration, 0);
        /* the trouble over everything else */
        done = draw_lines(&lines, d, messages) == RLT_OK;
        add_depths(&lines, d, x->penetration, 1);
        break;
    case RLT_SHOW_HOLDS:
        add_holds(&lines, d);
        break;
    case RLT_SHOW_FORCES:
        add_forces(&lines, d);
        break;
    }
    rlt_status status = done ? draw_lines(&lines, d, messages) : rlti_out_of_memory(messages);
    rlti_free(lines.vertices);
    return status;
}
