#include "render/render.h"

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"

#define COPIES_MAX   15
#define VERTICES_MAX 3e6 /* of all hairs drawn, to bound memory and time */

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
    int longest = rlti_longest_run(view->first, view->strand_count);
    wisps->longest = longest < RLT_FILL_POINTS_MAX ? longest : RLT_FILL_POINTS_MAX;
    rlti_vec3 middle = rlti_v3_at(view->points, view->point_count / 2);
    double depth = rlti_dot(rlti_sub(camera->eye, middle), camera->back);
    double sample = (depth > camera->nearest ? depth : camera->nearest) / camera->focal; /* [unit] */
    double edge = mean_edge(view);

    /* curve pieces of about ten samples look smooth */
    double pieces = ceil(edge / (10.0 * sample));
    wisps->pieces = pieces < 1.0 ? 1 : (pieces > 8.0 ? 8 : (int)pieces);
    double maximum = VERTICES_MAX / ((double)view->strand_count * wisps->longest * wisps->pieces);
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

/* A wisp narrows towards its tip; some of its hairs end early, which makes the tip soft. */
static rlt_fill_def fill_of(const rlti_wisps *wisps) {
    rlt_fill_def def = rlt_fill_defaults();
    def.blend = RLT_FILL_WISPS;
    def.hairs = (long long)wisps->copies * wisps->view->strand_count;
    def.points = wisps->longest;
    def.wisp_radius = fmin(wisps->spread, 1e6); /* the fill takes no more */
    def.wisp_tip = 0.45;
    def.length_variation = 0.16;
    def.noise = 0.12 * def.wisp_radius;
    def.noise_length = fmin(fmax(mean_edge(wisps->view) * wisps->longest, 1e-6), 1e9);
    def.frizz = def.strays = 0.0;
    def.outside = 0;
    return def;
}

rlt_status rlti_wisps_create(rlti_wisps *wisps, const rlt_frame_view *view, const rlti_camera *camera,
                             rlt_messages *messages) {
    *wisps = (rlti_wisps){.view = view};
    if (view->strand_count == 0)
        return RLT_OK;
    choose_sizes(wisps, camera);
    rlt_fill_def def = fill_of(wisps);
    wisps->scratch = RLTI_NEW(float, 4 * (size_t)wisps->longest);
    rlt_status status = wisps->scratch != NULL ? rlt_fill_create(view, &def, messages, &wisps->fill)
                                               : rlti_out_of_memory(messages);
    if (status != RLT_OK)
        rlti_wisps_destroy(wisps);
    return status;
}

void rlti_wisps_destroy(rlti_wisps *wisps) {
    rlt_fill_destroy(wisps->fill);
    rlti_free(wisps->scratch);
    wisps->fill = NULL;
    wisps->scratch = NULL;
}

int rlti_wisps_hair(const rlti_wisps *wisps, int strand, int copy, rlti_vec3 *points) {
    float *at = wisps->scratch, *widths = at + 3 * (size_t)wisps->longest;
    int count = 0;
    rlt_fill_block(wisps->fill, (long long)copy * wisps->view->strand_count + strand, 1, at, widths, &count);
    for (int i = 0; i < count; i++)
        points[i] = rlti_v3((double)at[3 * i], (double)at[3 * i + 1], (double)at[3 * i + 2]);
    return count;
}
