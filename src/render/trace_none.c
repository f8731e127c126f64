/* Built without Embree: nothing can be traced. */
#include "base/messages.h"
#include "render/trace.h"

int rlt_render_available(void) {
    return 0;
}

rlt_status rlti_tracer_create(rlt_messages *messages, rlti_tracer **tracer) {
    *tracer = NULL;
    return rlti_refuse(
        messages,
        "render: this Ringlet was built without Embree; install it (Debian: libembree-dev) and build again");
}

void rlti_tracer_destroy(rlti_tracer *tracer) {
    (void)tracer;
}

rlt_status rlti_tracer_build(rlti_tracer *tracer, const rlti_hairs *hairs, const rlti_mesh_shape *body,
                             rlt_messages *messages) {
    (void)tracer;
    (void)hairs;
    (void)body;
    return rlti_refuse(messages, "render: this Ringlet was built without Embree");
}

void rlti_tracer_clear(rlti_tracer *tracer) {
    (void)tracer;
}

void rlti_tracer_bytes(const rlti_tracer *tracer, size_t *now, size_t *maximum) {
    (void)tracer;
    *now = 0;
    *maximum = 0;
}

void rlti_tracer_closest(const rlti_tracer *tracer, const rlti_ray *ray, rlti_hit *hit) {
    (void)tracer;
    (void)ray;
    hit->thing = RLTI_NOTHING;
}

void rlti_tracer_closest_all(const rlti_tracer *tracer, const rlti_ray *rays, int count, rlti_hit *hits) {
    for (int i = 0; i < count; i++)
        rlti_tracer_closest(tracer, &rays[i], &hits[i]);
}

void rlti_tracer_body_all(const rlti_tracer *tracer, const rlti_ray *rays, int count, rlti_hit *hits) {
    for (int i = 0; i < count; i++)
        rlti_tracer_closest(tracer, &rays[i], &hits[i]);
}

void rlti_tracer_hairs_all(const rlti_tracer *tracer, const rlti_ray *rays, int count, rlti_hit *hits) {
    for (int i = 0; i < count; i++)
        rlti_tracer_closest(tracer, &rays[i], &hits[i]);
}

void rlti_tracer_closest_body(const rlti_tracer *tracer, const rlti_ray *ray, rlti_hit *hit) {
    rlti_tracer_closest(tracer, ray, hit);
}

void rlti_tracer_light(const rlti_tracer *tracer, const rlti_ray *rays, const int *wanted, int count,
                       uint32_t own, float reach, const rlti_hair_look *looks, const uint32_t *keys,
                       rlti_f3 *light) {
    (void)tracer;
    (void)rays;
    (void)wanted;
    (void)own;
    (void)reach;
    (void)looks;
    (void)keys;
    for (int i = 0; i < count; i++)
        light[i] = rlti_f3_of(1.0f, 1.0f, 1.0f);
}

int rlti_tracer_blocked(const rlti_tracer *tracer, const rlti_ray *ray) {
    (void)tracer;
    (void)ray;
    return 0;
}

int rlti_tracer_blocked_body(const rlti_tracer *tracer, const rlti_ray *ray) {
    return rlti_tracer_blocked(tracer, ray);
}
