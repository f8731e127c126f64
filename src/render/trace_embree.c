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
    RTCScene hair, body; /* apart: a ray may ask for one of them */
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
    long long maximum = atomic_load(&tracer->bytes_most);
    while (now > maximum && !atomic_compare_exchange_weak(&tracer->bytes_most, &maximum, now))
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
    if (tracer->hair != NULL)
        rtcReleaseScene(tracer->hair);
    if (tracer->body != NULL)
        rtcReleaseScene(tracer->body);
    tracer->hair = tracer->body = NULL;
    tracer->hairs = NULL;
}

void rlti_tracer_destroy(rlti_tracer *tracer) {
    if (tracer == NULL)
        return;
    rlti_tracer_clear(tracer);
    rtcReleaseDevice(tracer->device);
    rlti_free(tracer);
}

void rlti_tracer_bytes(const rlti_tracer *tracer, size_t *now, size_t *maximum) {
    *now = (size_t)atomic_load(&tracer->bytes);
    *maximum = (size_t)atomic_load(&tracer->bytes_most);
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
    rtcAttachGeometryByID(tracer->hair, geometry, GEOMETRY_HAIR);
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
    rtcAttachGeometryByID(tracer->body, geometry, GEOMETRY_BODY);
    rtcReleaseGeometry(geometry);
}

rlt_status rlti_tracer_build(rlti_tracer *tracer, const rlti_hairs *hairs, const rlti_mesh_shape *body,
                             rlt_messages *messages) {
    rlti_tracer_clear(tracer);
    atomic_store(&tracer->bytes_most, atomic_load(&tracer->bytes));
    tracer->hairs = hairs;
    tracer->hair = rtcNewScene(tracer->device);
    tracer->body = rtcNewScene(tracer->device);
    /* boxes of single curves need no copy of their points */
    rtcSetSceneFlags(tracer->hair, RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION |
                                       (hairs->segment_count > 8000000 ? RTC_SCENE_FLAG_COMPACT : 0));
    attach_hairs(tracer, hairs);
    attach_body(tracer, body);
    rtcCommitScene(tracer->hair);
    rtcCommitScene(tracer->body);
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

static void set_hit(rlti_hit *hit, unsigned geometry, unsigned primitive, float distance, float u, float v,
                    rlti_f3 normal) {
    hit->thing = geometry == RTC_INVALID_GEOMETRY_ID ? RLTI_NOTHING
                 : geometry == GEOMETRY_HAIR         ? RLTI_HAIR
                                                     : RLTI_BODY;
    hit->primitive = primitive;
    hit->distance = distance;
    hit->u = u;
    hit->v = v;
    hit->normal = normal;
}

static void closest_in(RTCScene first, RTCScene second, const rlti_ray *ray, rlti_hit *hit) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRayHit found = {.ray = start(ray)};
    found.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(first, &context, &found);
    if (second != NULL)
        rtcIntersect1(second, &context, &found);
    set_hit(hit, found.hit.geomID, found.hit.primID, found.ray.tfar, found.hit.u, found.hit.v,
            rlti_f3_of(found.hit.Ng_x, found.hit.Ng_y, found.hit.Ng_z));
}

/* The body first: hairs behind it need not be traced. */
void rlti_tracer_closest(const rlti_tracer *tracer, const rlti_ray *ray, rlti_hit *hit) {
    closest_in(tracer->body, tracer->hair, ray, hit);
}

void rlti_tracer_closest_body(const rlti_tracer *tracer, const rlti_ray *ray, rlti_hit *hit) {
    closest_in(tracer->body, NULL, ray, hit);
}

static void pack(struct RTCRay8 *to, int i, const rlti_ray *ray, float far) {
    to->org_x[i] = ray->origin.x;
    to->org_y[i] = ray->origin.y;
    to->org_z[i] = ray->origin.z;
    to->tnear[i] = ray->near;
    to->dir_x[i] = ray->direction.x;
    to->dir_y[i] = ray->direction.y;
    to->dir_z[i] = ray->direction.z;
    to->time[i] = ray->time;
    to->tfar[i] = far;
    to->mask[i] = ~0u;
    to->id[i] = 0;
    to->flags[i] = 0;
}

/* Hits in one of the trees, before those known, which they replace. */
static void closest_all_in(RTCScene scene, const rlti_ray *rays, int count, rlti_hit *hits) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    struct RTCRayHit8 found;
    int valid[RLTI_PACKET] __attribute__((aligned(32)));
    for (int i = 0; i < RLTI_PACKET; i++) {
        valid[i] = i < count ? -1 : 0;
        const rlti_hit *hit = &hits[i < count ? i : 0];
        const rlti_ray *ray = &rays[i < count ? i : 0];
        pack(&found.ray, i, ray, hit->thing == RLTI_NOTHING ? ray->far : hit->distance);
        found.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
        found.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    rtcIntersect8(valid, scene, &context, &found);
    for (int i = 0; i < count; i++)
        if (found.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID)
            set_hit(&hits[i], found.hit.geomID[i], found.hit.primID[i], found.ray.tfar[i], found.hit.u[i],
                    found.hit.v[i], rlti_f3_of(found.hit.Ng_x[i], found.hit.Ng_y[i], found.hit.Ng_z[i]));
}

void rlti_tracer_body_all(const rlti_tracer *tracer, const rlti_ray *rays, int count, rlti_hit *hits) {
    for (int i = 0; i < count; i++)
        hits[i] = (rlti_hit){.thing = RLTI_NOTHING, .distance = rays[i].far};
    closest_all_in(tracer->body, rays, count, hits);
}

void rlti_tracer_hairs_all(const rlti_tracer *tracer, const rlti_ray *rays, int count, rlti_hit *hits) {
    closest_all_in(tracer->hair, rays, count, hits);
}

void rlti_tracer_closest_all(const rlti_tracer *tracer, const rlti_ray *rays, int count, rlti_hit *hits) {
    rlti_tracer_body_all(tracer, rays, count, hits);
    rlti_tracer_hairs_all(tracer, rays, count, hits);
}

static int blocked_in(RTCScene scene, const rlti_ray *ray) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    struct RTCRay r = start(ray);
    rtcOccluded1(scene, &context, &r);
    return r.tfar < 0.0f;
}

int rlti_tracer_blocked_body(const rlti_tracer *tracer, const rlti_ray *ray) {
    return blocked_in(tracer->body, ray);
}

int rlti_tracer_blocked(const rlti_tracer *tracer, const rlti_ray *ray) {
    return blocked_in(tracer->body, ray) || blocked_in(tracer->hair, ray);
}

/* Below this share of light a ray continues by chance only, and then stands for those that did not. */
#define DIM 0.25f

/* Embree hands the context back to the filter; what follows it is ours. */
typedef struct light_context {
    struct RTCIntersectContext context; /* first */
    const rlti_hairs *hairs;
    const rlti_hair_look *looks;
    rlti_f3 *light;       /* [rays] */
    const uint32_t *keys; /* [rays] of their chances */
    uint32_t own;         /* hair that does not count */
} light_context;

/* A hair on the path passes part of the light on. Returns 1 where the ray continues, 0 where it is dark. */
static int pass_hair(const light_context *context, unsigned ray, unsigned segment, rlti_f3 direction) {
    if (context->own != RLTI_NO_HAIR &&
        context->hairs->segments[segment] / (uint32_t)context->hairs->stride == context->own)
        return 1;
    const float *p = context->hairs->vertices[0] + 4 * (size_t)context->hairs->segments[segment];
    rlti_f3 chord = rlti_f3_of(p[8] - p[4], p[9] - p[5], p[10] - p[6]);
    float length = sqrtf(rlti_f3_dot(chord, chord));
    float sine = length > 0.0f ? rlti_f3_dot(chord, direction) / length : 0.0f;
    const rlti_forward *forward = &context->looks[rlti_hairs_look(context->hairs, segment)].forward;
    rlti_f3 passed = rlti_forward_at(forward, sine);
    if (context->hairs->cover != NULL)
        passed = rlti_f3_mix(rlti_f3_of(1.0f, 1.0f, 1.0f), passed,
                             context->hairs->cover[context->hairs->segments[segment] + 1]);
    rlti_f3 light = rlti_f3_times(context->light[ray], passed);
    float maximum = rlti_f3_largest(light);
    if (maximum < DIM) {
        float chance = maximum / DIM;
        if (!(rlti_unit_float(rlti_hash32(context->keys[ray] ^ segment)) < chance))
            return 0;
        light = rlti_f3_scale(1.0f / chance, light);
    }
    context->light[ray] = light;
    return 1;
}

/* Fields of Embree's packets, which are arrays of `count` numbers one after the other: in the order of RTCRay
 * and RTCHit. Embree's own accessors are C++. */
enum { RAY_DIR_X = 4, RAY_DIR_Y = 5, RAY_DIR_Z = 6, RAY_ID = 10, HIT_PRIMITIVE = 5 };

static float float_field(const void *packet, unsigned field, unsigned count, unsigned i) {
    return ((const float *)packet)[field * count + i];
}

static unsigned number_field(const void *packet, unsigned field, unsigned count, unsigned i) {
    return ((const unsigned *)packet)[field * count + i];
}

/* Embree met hairs with some rays of the packet. */
static void pass_hairs(const struct RTCFilterFunctionNArguments *args) {
    const light_context *context = (const light_context *)args->context;
    unsigned count = args->N;
    for (unsigned i = 0; i < count; i++)
        if (args->valid[i] != 0) {
            rlti_f3 direction = rlti_f3_of(float_field(args->ray, RAY_DIR_X, count, i),
                                           float_field(args->ray, RAY_DIR_Y, count, i),
                                           float_field(args->ray, RAY_DIR_Z, count, i));
            /* the ray's own number: packets may be taken apart meanwhile */
            unsigned ray = number_field(args->ray, RAY_ID, count, i);
            if (pass_hair(context, ray, number_field(args->hit, HIT_PRIMITIVE, count, i), direction))
                args->valid[i] = 0;
        }
}

void rlti_tracer_light(const rlti_tracer *tracer, const rlti_ray *rays, const int *wanted, int count,
                       uint32_t own, float reach, const rlti_hair_look *looks, const uint32_t *keys,
                       rlti_f3 *light) {
    light_context context = {
        .hairs = tracer->hairs, .looks = looks, .light = light, .keys = keys, .own = own};
    rtcInitIntersectContext(&context.context);
    context.context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    struct RTCRay8 packet;
    int valid[RLTI_PACKET] __attribute__((aligned(32)));
    for (int i = 0; i < RLTI_PACKET; i++) {
        valid[i] = i < count && wanted[i] ? -1 : 0;
        pack(&packet, i, &rays[i < count ? i : 0], rays[i < count ? i : 0].far);
        packet.id[i] = (unsigned)i;
    }
    rtcOccluded8(valid, tracer->body, &context.context, &packet);
    for (int i = 0; i < count; i++) {
        int open = valid[i] != 0 && !(packet.tfar[i] < 0.0f);
        light[i] = open ? rlti_f3_of(1.0f, 1.0f, 1.0f) : rlti_f3_of(0.0f, 0.0f, 0.0f);
        valid[i] = open ? -1 : 0;
        packet.tfar[i] = rlti_min(rays[i].far, reach);
    }
    context.context.filter = pass_hairs;
    rtcOccluded8(valid, tracer->hair, &context.context, &packet);
    for (int i = 0; i < count; i++)
        if (valid[i] != 0 && packet.tfar[i] < 0.0f)
            light[i] = rlti_f3_of(0.0f, 0.0f, 0.0f);
}
