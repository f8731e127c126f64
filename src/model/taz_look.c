#include "model/taz_look.h"

/* The same filter and frame code as the kernels, in its plain double build. */
#define RLTI_LANES_REFERENCE
#include "base/lanes.h"
#include "model/taz_filter.h"
#include "model/taz_frame.h"

static rlti_vec3 to_vec3(lane3 v) {
    return rlti_v3(v.x, v.y, v.z);
}

static void lay_smoothed(double beta, int count, const rlti_vec3 *points, rlti_vec3 *curve) {
    taz_filter filter = taz_filter_make(beta);
    taz_filter_state state = taz_filter_begin(&filter, taz_lane3(rlti_sub(points[1], points[0])));
    curve[0] = points[0];
    for (int i = 0; i + 1 < count; i++) {
        taz_filter_next(&filter, &state, taz_lane3(rlti_sub(points[i + 1], points[i])));
        curve[i + 1] = rlti_add(curve[i], to_vec3(scale3(filter.unscale, state.d)));
    }
}

void rlti_taz_look(const rlti_taz_model *model, int strand, const rlti_vec3 *points,
                   const double (*frames)[9], rlti_vec3 *smoothed, rlti_vec3 *core, rlti_vec3 *targets) {
    const rlti_taz_strand *s = &model->strands[strand];
    lay_smoothed(s->bend_beta, s->points, points, smoothed);
    lay_smoothed(s->core_beta, s->points, points, core);
    for (int i = 0; i + 1 < s->points; i++) {
        const double *f = frames[i], *t = model->target[s->first + i];
        taz_frame frame = {{f[0], f[1], f[2]}, {f[3], f[4], f[5]}};
        lane3 target = {t[0], t[1], t[2]};
        targets[i] = to_vec3(taz_frame_vector(&frame, target));
    }
    targets[s->points - 1] = rlti_v3(0, 0, 0);
}
