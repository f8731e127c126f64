#include "render/render.h"

#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"

#define COPIES_MAX   15
#define VERTICES_MAX 3000000 /* of all hairs drawn, to bound memory and time */

/* Streams of the random numbers of one hair. */
enum { RANDOM_RADIUS, RANDOM_ANGLE, RANDOM_LENGTH, RANDOM_WAVE, RANDOM_PHASE };

static int nearest_vertex(const rlt_frame_view *view, rlti_vec3 p) {
    int nearest = 0;
    double minimum = HUGE_VAL;
    for (int v = 0; v < view->vertex_count; v++) {
        rlti_vec3 d = rlti_sub(rlti_v3_at(view->vertices, v), p);
        double square = rlti_dot(d, d);
        if (square < minimum) {
            minimum = square;
            nearest = v;
        }
    }
    return nearest;
}

/* Axes across the strand at its root. On a body they follow an edge of the mesh, which turns with the head; a
 * fixed world axis would make the copies crawl around the strand. */
static void root_axes(const rlt_frame_view *view, const rlti_vec3 *normals, const int *edge_end, int strand,
                      rlti_vec3 across[2]) {
    int root = view->first[strand];
    rlti_vec3 p = rlti_v3_at(view->points, root);
    rlti_vec3 normal = rlti_sub(rlti_v3_at(view->points, root + 1), p);
    rlti_vec3 along = rlti_v3(0.0, 0.0, 0.0);
    if (view->vertex_count > 0) {
        int v = nearest_vertex(view, p);
        normal = normals[v];
        along = rlti_sub(rlti_v3_at(view->vertices, edge_end[v]), rlti_v3_at(view->vertices, v));
    }
    normal = rlti_normalize(normal);
    along = rlti_normalize(rlti_madd(along, -rlti_dot(along, normal), normal));
    if (rlti_dot(along, along) < 0.5)
        along = rlti_perpendicular(normal);
    across[0] = along;
    across[1] = rlti_cross(normal, along);
}

/* Mean distance from a root to its nearest neighbour, over at most 256 of them. */
static double root_spacing(const rlt_frame_view *view) {
    int stride = view->strand_count / 256 + 1;
    double sum = 0.0;
    int count = 0;
    for (int s = 0; s < view->strand_count; s += stride) {
        rlti_vec3 p = rlti_v3_at(view->points, view->first[s]);
        double minimum = HUGE_VAL;
        for (int other = 0; other < view->strand_count; other++) {
            rlti_vec3 d = rlti_sub(rlti_v3_at(view->points, view->first[other]), p);
            double square = rlti_dot(d, d);
            if (other != s && square < minimum)
                minimum = square;
        }
        if (minimum < HUGE_VAL) {
            sum += sqrt(minimum);
            count++;
        }
    }
    return count > 0 ? sum / count : 0.0;
}

static double mean_edge(const rlt_frame_view *view) {
    double sum = 0.0;
    int count = 0;
    for (int s = 0; s < view->strand_count; s++)
        for (int i = view->first[s]; i + 1 < view->first[s + 1]; i++) {
            sum += rlti_length(rlti_sub(rlti_v3_at(view->points, i + 1), rlti_v3_at(view->points, i)));
            count++;
        }
    return count > 0 ? sum / count : 0.0;
}

static void choose_sizes(rlti_wisps *wisps, const rlti_camera *camera) {
    const rlt_frame_view *view = wisps->view;
    for (int s = 0; s < view->strand_count; s++) {
        int points = view->first[s + 1] - view->first[s];
        wisps->longest = points > wisps->longest ? points : wisps->longest;
    }
    rlti_vec3 middle = rlti_v3_at(view->points, view->point_count / 2);
    double depth = rlti_dot(rlti_sub(camera->eye, middle), camera->back);
    double sample = (depth > camera->nearest ? depth : camera->nearest) / camera->focal; /* [unit] */
    double edge = mean_edge(view);

    /* curve pieces of about ten samples look smooth */
    double pieces = ceil(edge / (10.0 * sample));
    wisps->pieces = pieces < 1.0 ? 1 : (pieces > 8.0 ? 8 : (int)pieces);
    double maximum = (double)VERTICES_MAX / ((double)view->point_count * wisps->pieces);
    wisps->copies = maximum < 1.0 ? 1 : (maximum > COPIES_MAX ? COPIES_MAX : (int)maximum);

    /* the wisps of neighbouring strands just overlap; a lone strand gets a thin lock */
    double spacing = root_spacing(view);
    wisps->spread = spacing > 0.0 ? 0.75 * spacing : 0.25 * edge;
    double widest = 0.9 * edge; /* roots far apart: still hair, not a broom */
    wisps->spread = wisps->spread > widest ? widest : wisps->spread;

    /* thin enough to read as hair, never below what one sample can show */
    double sum = 0.0;
    for (int i = 0; i < view->point_count; i++)
        sum += view->widths[i];
    double width = sum / view->point_count;
    width = width > 2.4 * sample ? 2.4 * sample : width;
    wisps->width = width < 1.1 * sample ? 1.1 * sample : width;
}

rlt_status rlti_wisps_create(rlti_wisps *wisps, const rlt_frame_view *view, const rlti_vec3 *normals,
                             const rlti_camera *camera, rlt_messages *messages) {
    *wisps = (rlti_wisps){.view = view};
    if (view->strand_count == 0)
        return RLT_OK;
    int *edge_end =
        RLTI_NEW(int, view->vertex_count); /* for each vertex, the other end of one of its edges */
    wisps->across = RLTI_NEW(rlti_vec3, 2 * (size_t)view->strand_count);
    rlt_status status = RLT_OK;
    if (edge_end == NULL || wisps->across == NULL) {
        status = rlti_out_of_memory(messages);
    } else {
        for (int t = view->triangle_count - 1; t >= 0; t--)
            for (int c = 0; c < 3; c++)
                edge_end[view->triangles[3 * t + c]] = view->triangles[3 * t + (c + 1) % 3];
        for (int s = 0; s < view->strand_count; s++)
            root_axes(view, normals, edge_end, s, wisps->across + 2 * (size_t)s);
        choose_sizes(wisps, camera);
    }
    rlti_free(edge_end);
    if (status != RLT_OK)
        rlti_wisps_destroy(wisps);
    return status;
}

void rlti_wisps_destroy(rlti_wisps *wisps) {
    rlti_free(wisps->across);
    wisps->across = NULL;
}

int rlti_wisps_hair(const rlti_wisps *wisps, int strand, int copy, rlti_vec3 *points) {
    const rlt_frame_view *view = wisps->view;
    int first = view->first[strand];
    int count = view->first[strand + 1] - first;
    uint64_t seed = (uint64_t)strand;
    uint64_t id = (uint64_t)copy;
    double radius = copy == 0 ? 0.0 : wisps->spread * sqrt(rlti_random(seed, id, RANDOM_RADIUS));
    double angle = 2.0 * RLTI_PI * rlti_random(seed, id, RANDOM_ANGLE);
    double wave = radius * 0.5 * rlti_random_signed(seed, id, RANDOM_WAVE);
    double phase = 2.0 * RLTI_PI * rlti_random(seed, id, RANDOM_PHASE);
    /* some hairs of a wisp end early, which makes its tip soft */
    int shown = count - (int)(0.16 * count * rlti_random(seed, id, RANDOM_LENGTH));
    shown = shown < 2 ? 2 : shown;

    const rlti_vec3 *across = wisps->across + 2 * (size_t)strand;
    double cosine = rlti_cos(angle);
    double sine = rlti_sin(angle);
    for (int i = 0; i < shown; i++) {
        double s = (double)i / (count - 1);
        double closing = 1.0 - 0.55 * s; /* a wisp narrows towards its tip */
        double side = wave * s * rlti_sin(phase + 7.0 * s);
        rlti_vec3 p = rlti_v3_at(view->points, first + i);
        p = rlti_madd(p, radius * closing * cosine - side * sine, across[0]);
        points[i] = rlti_madd(p, radius * closing * sine + side * cosine, across[1]);
    }
    return shown;
}
