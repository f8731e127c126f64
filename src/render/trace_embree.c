/* Embree: the tree of boxes and the rays. One device a renderer, with one thread of its own kind: building in
 * parallel may order primitives differently from run to run, and the library's threads are its own. */
#include <stdatomic.h>
#include <string.h>

#include <embree3/rtcore.h>

#include "base/memory.h"
#include "base/messages.h"
#include "render/trace.h"
#include "render/trace_sample.h"

enum { GEOMETRY_HAIR = 0, GEOMETRY_BODY = 1 };

struct rlti_tracer {
    RTCDevice device;
    RTCScene scene;
    const rlti_hairs *hairs;
    _Atomic long long bytes, bytes_most;
    enum RTCError error; /* the first since it was asked for */
    char reason[256];
};

int rlt_render_available(void) {
    return 1;
}

static void keep_error(void *user, enum RTCError code, const char *text) {
    rlti_tracer *tracer = user;
    if (tracer->error != RTC_ERROR_NONE)
        return;
    tracer->error = code;
    strncpy(tracer->reason, text != NULL ? text : "no reason given", sizeof tracer->reason - 1);
}

static bool count_bytes(void *user, ssize_t bytes, bool post) {
    (void)post;
    rlti_tracer *tracer = user;
    long long now = atomic_fetch_add(&tracer->bytes, bytes) + bytes;
    long long most = atomic_load(&tracer->bytes_most);
    while (now > most && !atomic_compare_exchange_weak(&tracer->bytes_most, &most, now))
        continue;
    return true;
}

static rlt_status check_error(rlti_tracer *tracer, rlt_messages *messages) {
    enum RTCError code = tracer->error;
    tracer->error = RTC_ERROR_NONE;
    if (code == RTC_ERROR_NONE)
        return RLT_OK;
    if (code == RTC_ERROR_OUT_OF_MEMORY)
        return rlti_out_of_memory(messages);
    return rlti_fail(messages, RLT_FAILED, "Embree: %s", tracer->reason);
}

rlt_status rlti_tracer_create(rlt_messages *messages, rlti_tracer **out) {
    *out = NULL;
    rlti_tracer *tracer = RLTI_NEW(rlti_tracer, 1);
    if (tracer == NULL)
        return rlti_out_of_memory(messages);
    tracer->device = rtcNewDevice("threads=1,user_threads=1");
    if (tracer->device == NULL) {
        rlti_free(tracer);
        return rlti_fail(messages, RLT_FAILED, "Embree: cannot start on this processor (error %d)",
                         (int)rtcGetDeviceError(NULL));
    }
    rtcSetDeviceErrorFunction(tracer->device, keep_error, tracer);
    rtcSetDeviceMemoryMonitorFunction(tracer->device, count_bytes, tracer);
    *out = tracer;
    return RLT_OK;
}

void rlti_tracer_clear(rlti_tracer *tracer) {
    if (tracer->scene != NULL)
        rtcReleaseScene(tracer->scene);
    tracer->scene = NULL;
    tracer->hairs = NULL;
}

void rlti_tracer_destroy(rlti_tracer *tracer) {
    if (tracer == NULL)
        return;
    rlti_tracer_clear(tracer);
    rtcReleaseDevice(tracer->device);
    rlti_free(tracer);
}

void rlti_tracer_bytes(const rlti_tracer *tracer, size_t *now, size_t *most) {
    *now = (size_t)atomic_load(&tracer->bytes);
    *most = (size_t)atomic_load(&tracer->bytes_most);
}

/* ---- building ---- */

/* Straight ribbons that face the ray: half the memory and building time of cubic curves, and some faster to
 * hit. Hairs have points enough that corners are below a pixel; the shading sees the smooth curve's
 * direction, and takes the hair as round by where across the ribbon the ray arrives. */
static void attach_hairs(rlti_tracer *tracer, const rlti_hairs *hairs) {
    if (hairs->segment_count == 0)
        return;
    RTCGeometry geometry = rtcNewGeometry(tracer->device, RTC_GEOMETRY_TYPE_FLAT_LINEAR_CURVE);
    rtcSetGeometryTimeStepCount(geometry, (unsigned)hairs->steps);
    size_t vertices = (size_t)hairs->count * (size_t)hairs->stride;
    for (int step = 0; step < hairs->steps; step++)
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, (unsigned)step, RTC_FORMAT_FLOAT4,
                                   hairs->vertices[step], 4 * sizeof(float), 4 * sizeof(float), vertices - 1);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT, hairs->segments, 0,
                               sizeof(uint32_t), hairs->segment_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(tracer->scene, geometry, GEOMETRY_HAIR);
    rtcReleaseGeometry(geometry);
}

static void attach_body(rlti_tracer *tracer, const rlti_mesh_shape *body) {
    if (body->triangle_count == 0)
        return;
    RTCGeometry geometry = rtcNewGeometry(tracer->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetGeometryTimeStepCount(geometry, (unsigned)body->steps);
    for (int step = 0; step < body->steps; step++)
        rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, (unsigned)step, RTC_FORMAT_FLOAT3,
                                   body->vertices[step], 0, 3 * sizeof(float), (size_t)body->vertex_count);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, body->triangles, 0,
                               3 * sizeof(uint32_t), (size_t)body->triangle_count);
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(tracer->scene, geometry, GEOMETRY_BODY);
    rtcReleaseGeometry(geometry);
}

rlt_status rlti_tracer_build(rlti_tracer *tracer, const rlti_hairs *hairs, const rlti_mesh_shape *body,
                             rlt_messages *messages) {
    rlti_tracer_clear(tracer);
    atomic_store(&tracer->bytes_most, atomic_load(&tracer->bytes));
    tracer->hairs = hairs;
    tracer->scene = rtcNewScene(tracer->device);
    rtcSetSceneBuildQuality(tracer->scene, RTC_BUILD_QUALITY_MEDIUM);
    /* boxes of single curves need no copy of their points */
    rtcSetSceneFlags(tracer->scene, RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION |
                                        (hairs->segment_count > 8000000 ? RTC_SCENE_FLAG_COMPACT : 0));
    attach_hairs(tracer, hairs);
    attach_body(tracer, body);
    rtcCommitScene(tracer->scene);
    rlt_status status = check_error(tracer, messages);
    if (status != RLT_OK)
        rlti_tracer_clear(tracer);
    return status;
}

/* ---- rays ---- */

static struct RTCRay start(const rlti_ray *ray) {
    struct RTCRay r = {
        .org_x = ray->origin.x,
        .org_y = ray->origin.y,
        .org_z = ray->origin.z,
        .tnear = ray->near,
        .dir_x = ray->direction.x,
        .dir_y = ray->direction.y,
        .dir_z = ray->direction.z,
        .time = ray->time,
        .tfar = ray->far,
        .mask = ~0u,
    };
    return r;
}

void rlti_tracer_closest(const rlti_tracer *tracer, const rlti_ray *ray, rlti_hit *hit) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit found = {.ray = start(ray)};
    found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(tracer->scene, &context, &found);
    hit->thing = RLTI_NOTHING;
    if (found.hit.geomID == RTC_INVALID_GEOMETRY_ID)
        return;
    hit->thing = found.hit.geomID == GEOMETRY_HAIR ? RLTI_HAIR : RLTI_BODY;
    hit->primitive = found.hit.primID;
    hit->distance = found.ray.tfar;
    hit->u = found.hit.u;
    hit->v = found.hit.v;
    hit->normal = rlti_f3_of(found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z);
}

int rlti_tracer_blocked(const rlti_tracer *tracer, const rlti_ray *ray) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay r = start(ray);
    rtcOccluded1(tracer->scene, &context, &r);
    return r.tfar < 0.0f;
}

/* Below this share of light a ray goes on by chance only, and then stands for those that did not. */
#define DIM 0.25f

/* Embree hands the context back to the filter; what follows it is ours. */
typedef struct light_context {
    struct RTCIntersectContext context; /* first */
    const rlti_hairs *hairs;
    const rlti_forward *forward;
    rlti_f3 light;
    uint32_t key; /* of the ray's chances */
} light_context;

/* A hair on the way passes part of the light on; the ray goes through until it is dark. */
static void pass_hair(const struct RTCFilterFunctionNArguments *args) {
    light_context *context = (light_context *)args->context;
    /* one ray at a time: the packets' layout is that of single ones */
    const struct RTCHit *hit = (const struct RTCHit *)args->hit;
    const struct RTCRay *ray = (const struct RTCRay *)args->ray;
    if (args->valid[0] == 0 || hit->geomID != GEOMETRY_HAIR)
        return;
    const float *p = context->hairs->vertices[0] + 4 * (size_t)context->hairs->segments[hit->primID];
    rlti_f3 chord = rlti_f3_of(p[8] - p[4], p[9] - p[5], p[10] - p[6]);
    rlti_f3 direction = rlti_f3_of(ray->dir_x, ray->dir_y, ray->dir_z);
    float length = sqrtf(rlti_f3_dot(chord, chord));
    float sine = length > 0.0f ? rlti_f3_dot(chord, direction) / length : 0.0f;
    context->light = rlti_f3_times(context->light, rlti_forward_at(context->forward, sine));
    float most = rlti_f3_most(context->light);
    if (most < DIM) {
        float chance = most / DIM;
        if (!(rlti_unit_float(rlti_hash32(context->key ^ hit->primID)) < chance))
            return; /* dark */
        context->light = rlti_f3_scale(1.0f / chance, context->light);
    }
    args->valid[0] = 0; /* go on */
}

rlti_f3 rlti_tracer_light(const rlti_tracer *tracer, const rlti_ray *ray, const rlti_forward *forward,
                          uint32_t key) {
    light_context context = {
        .hairs = tracer->hairs, .forward = forward, .light = {1.0f, 1.0f, 1.0f}, .key = key};
    rtcInitIntersectContext(&context.context);
    context.context.filter = pass_hair;
    struct RTCRay r = start(ray);
    rtcOccluded1(tracer->scene, &context.context, &r);
    return r.tfar < 0.0f ? rlti_f3_of(0.0f, 0.0f, 0.0f) : context.light;
}
