#include "io/frame_check.h"

#include <math.h>

#include "base/messages.h"

/* Sums and differences of two such numbers are still finite in single precision. */
#define LARGEST 1e38

static rlt_status bad_frame(const char *target, const rlt_frame_view *view, rlt_messages *messages,
                            const char *problem) {
    return rlti_refuse(messages, "%s: frame %d: %s", target, view->frame, problem);
}

/* `vectors` may be NULL. */
static rlt_status check_finite(const char *target, const rlt_frame_view *view, const char *what,
                               const double *vectors, int count, rlt_messages *messages) {
    for (size_t i = 0; vectors != NULL && i < 3 * (size_t)count; i++)
        if (!(fabs(vectors[i]) <= LARGEST))
            return rlti_refuse(messages, "%s: frame %d: %s %d is not finite", target, view->frame, what,
                               (int)(i / 3));
    return RLT_OK;
}

static rlt_status check_hair(const char *target, const rlt_frame_view *view, rlt_messages *messages) {
    if (view->first == NULL || view->points == NULL || view->widths == NULL)
        return bad_frame(target, view, messages, "hair without points or widths");
    if (view->first[0] != 0 || view->first[view->strand_count] != view->point_count)
        return bad_frame(target, view, messages, "the strands do not cover the points");
    for (int s = 0; s < view->strand_count; s++)
        if (view->first[s + 1] - view->first[s] < 2)
            return rlti_refuse(messages, "%s: frame %d: strand %d has fewer than 2 points", target,
                               view->frame, s);
    for (int i = 0; i < view->point_count; i++)
        if (!(view->widths[i] >= 0.0 && view->widths[i] <= LARGEST))
            return rlti_refuse(messages, "%s: frame %d: the width of point %d must be >= 0", target,
                               view->frame, i);
    rlt_status status = check_finite(target, view, "point", view->points, view->point_count, messages);
    if (status == RLT_OK)
        status = check_finite(target, view, "the velocity of point", view->velocities, view->point_count,
                              messages);
    if (status == RLT_OK)
        status = check_finite(target, view, "rest point", view->rest, view->point_count, messages);
    return status;
}

static rlt_status check_body(const char *target, const rlt_frame_view *view, rlt_messages *messages) {
    if (view->vertices == NULL || (view->triangle_count > 0 && view->triangles == NULL))
        return bad_frame(target, view, messages, "a body without vertices or triangles");
    for (size_t i = 0; i < 3 * (size_t)view->triangle_count; i++)
        if (view->triangles[i] < 0 || view->triangles[i] >= view->vertex_count)
            return rlti_refuse(messages, "%s: frame %d: triangle %d names vertex %d, which does not exist",
                               target, view->frame, (int)(i / 3), view->triangles[i]);
    return check_finite(target, view, "vertex", view->vertices, view->vertex_count, messages);
}

rlt_status rlti_frame_check(const char *target, const rlt_frame_view *view, rlt_messages *messages) {
    if (view->strand_count < 0 || view->point_count < 0 || view->vertex_count < 0 || view->triangle_count < 0)
        return bad_frame(target, view, messages, "a count is negative");
    if (view->strand_count == 0 && view->vertex_count == 0)
        return bad_frame(target, view, messages, "neither hair nor body to write");
    if (view->vertex_count == 0 && view->triangle_count > 0)
        return bad_frame(target, view, messages, "a body without vertices or triangles");
    rlt_status status = RLT_OK;
    if (view->strand_count > 0)
        status = check_hair(target, view, messages);
    if (status == RLT_OK && view->vertex_count > 0)
        status = check_body(target, view, messages);
    return status;
}
