/* From simulated strands back to the curves of a file. */
#include <stddef.h>
#include <string.h>

#include "base/sized.h"
#include "ringlet/source.h"

/* p M of a point or, without the last row, of a direction. */
static void transform(const double m[16], const double p[3], double w, double to[3]) {
    for (int k = 0; k < 3; k++)
        to[k] = p[0] * m[k] + p[1] * m[4 + k] + p[2] * m[8 + k] + w * m[12 + k];
}

/* Values of a strand at a place between two of its points. */
static void blend(const double *values, int count, double at, double to[3]) {
    int i = at > 0.0 ? (int)at : 0;
    i = i < count - 1 ? i : count - 1;
    int next = i + 1 < count ? i + 1 : i;
    double share = at - i;
    for (int k = 0; k < 3; k++)
        to[k] = values[3 * i + k] + share * (values[3 * next + k] - values[3 * i + k]);
}

static void write_curve(const rlt_source *source, const rlt_frame_view *view, int strand, size_t first,
                        int count, float *points, float *velocities) {
    size_t begin = 3 * (size_t)view->first[strand];
    int own = view->first[strand + 1] - view->first[strand];
    for (int i = 0; i < count; i++) {
        size_t to = 3 * (first + (size_t)i);
        double at = source->along != NULL ? source->along[first + (size_t)i] : i;
        double p[3], v[3], moved[3], rate[3];
        blend(view->points + begin, own, at, p);
        transform(source->to_source, p, 1.0, moved);
        for (int k = 0; k < 3; k++)
            points[to + (size_t)k] = (float)moved[k];
        if (velocities == NULL)
            continue;
        blend(view->velocities + begin, own, at, v);
        transform(source->to_source, v, 0.0, moved);
        transform(source->to_source_rate, p, 1.0, rate);
        for (int k = 0; k < 3; k++)
            velocities[to + (size_t)k] = (float)(moved[k] + rate[k]);
    }
}

/* The curves that one section simulates. */
static void write_curves(const rlt_source *source, const rlt_frame_view *view, float *points,
                         float *velocities) {
    size_t first = 0;
    for (int c = 0, s = 0; c < source->curve_count && s < source->strand_count; c++) {
        if (source->curve[s] == c)
            write_curve(source, view, source->first_strand + s++, first, source->counts[c], points,
                        velocities);
        first += (size_t)source->counts[c];
    }
}

rlt_status rlt_source_points(const rlt_source *source, const rlt_frame_view *view, float *points,
                             float *velocities) {
    rlt_frame_view own = {0};
    if (RLTI_READ(rlt_frame_view, &own, view, NULL) != RLT_OK)
        return RLT_BAD_INPUT;
    size_t bytes = 3 * (size_t)source->point_count * sizeof(float);
    int k = source->first_of_prim;
    const rlt_source *first = own.sources[k];
    if (bytes > 0) {
        memcpy(points, first->moved != NULL ? first->moved : source->points, bytes);
        if (velocities != NULL && first->moved_velocities != NULL)
            memcpy(velocities, first->moved_velocities, bytes);
        else if (velocities != NULL)
            memset(velocities, 0, bytes);
    }
    do {
        write_curves(own.sources[k], &own, points, velocities);
        k = own.sources[k]->next_of_prim;
    } while (k > 0);
    return RLT_OK;
}
