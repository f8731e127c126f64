/* Light along a ray: what it meets, the lights there, and where it continues.
 *
 * Light that reaches a hair deep inside has mostly come straight through others. Following that by bounces
 * alone takes dozens of them; so it is split. A shadow ray passes through hairs and keeps at each the share
 * that the model sends into the half space ahead (as in A. Zinke and others: Dual Scattering Approximation,
 * SIGGRAPH 2008). Bounces bring the rest: where a bounced ray arrives at a hair, only light that the hair
 * turns back counts, for what it passes ahead is in the shadow ray of the point before.
 *
 * Near what the eye sees each hair throws its shadow. Farther on, and for all that bounces, hairs are a cloud
 * (trace_density.c) unless the picture asks for each of them. */
#include "render/trace.h"
#include "render/trace_sample.h"

/* Where a ray arrived, ready to be lit. */
typedef struct vertex {
    const rlti_hair_look *look; /* hair */
    rlti_thing thing;
    rlti_f3 place;
    rlti_f3 out;          /* unit, back along the ray */
    rlti_f3 axis[3];      /* hair: along it, to the side, towards the ray; else the last is the normal */
    rlti_scatter scatter; /* hair */
    rlti_f3 colour;       /* body and ground */
    float sheen;          /* body: share of its broad highlight */
    float clear;          /* distance that leaves it behind [unit] */
    float cover;          /* hair: share of the ray that it stops */
} vertex;

/* ---- what the ray meets ---- */

static void meet_ground(const rlti_world *world, const rlti_ray *ray, rlti_hit *hit) {
    if (!world->ground || !(ray->direction.y < -1e-6f))
        return;
    float distance = (world->ground_level - ray->origin.y) / ray->direction.y;
    float nearest = hit->thing == RLTI_NOTHING ? ray->far : hit->distance;
    if (!(distance > ray->near && distance < nearest))
        return;
    rlti_f3 from = rlti_f3_sub(rlti_f3_madd(ray->origin, distance, ray->direction), world->ground_middle);
    if (from.x * from.x + from.z * from.z > world->ground_radius * world->ground_radius)
        return;
    hit->thing = RLTI_GROUND;
    hit->distance = distance;
}

/* Hairs differ: the pigment's amount, about bell shaped, by the hair's number alone. */
static rlti_f3 absorption_of(const rlti_hair_look *look, uint32_t hair) {
    uint32_t a = rlti_hash32(hair ^ 0x51ed270bu);
    uint32_t b = rlti_hash32(a);
    float bell = rlti_unit_float(a) + rlti_unit_float(b) + rlti_unit_float(rlti_hash32(b)) - 1.5f;
    return rlti_f3_scale(expf(1.6f * look->variation * bell), look->absorption);
}

/* Where across its width the ray meets the hair, -1 to 1 along `side`'s half: Embree does not report it for
 * straight ribbons.
 */
static float offset_of(const rlti_hair_point *at, rlti_f3 place, rlti_f3 out, rlti_f3 side) {
    rlti_f3 across = rlti_f3_normalize(rlti_f3_cross(out, at->chord));
    float offset = rlti_f3_dot(rlti_f3_sub(place, at->middle), across);
    offset = rlti_f3_dot(across, side) < 0.0f ? -offset : offset;
    return at->radius > 0.0f ? rlti_min(rlti_max(offset / at->radius, -1.0f), 1.0f) : 0.0f;
}

/* The frame of a hair with this direction; returns the sine of the ray's inclination. */
static float set_hair_axes(rlti_f3 tangent, vertex *v) {
    float sine = rlti_f3_dot(tangent, v->out);
    rlti_f3 across = rlti_f3_madd(v->out, -sine, tangent);
    v->axis[0] = tangent;
    v->axis[2] =
        rlti_f3_dot(across, across) > 1e-8f ? rlti_f3_normalize(across) : rlti_f3_perpendicular(tangent);
    v->axis[1] = rlti_f3_cross(v->axis[2], v->axis[0]);
    return sine;
}

/* `table`: its light is that of a table, so that nothing needs to be known of how it scatters. */
static void meet_hair(const rlti_world *world, const rlti_ray *ray, const rlti_hit *hit, int table,
                      vertex *v) {
    rlti_hair_point at = rlti_hairs_at(world->hairs, hit->primitive, hit->u, ray->time);
    float sine = set_hair_axes(at.tangent, v);
    v->clear = 2.5f * at.radius + world->step;
    v->cover = at.cover;
    if (at.cover < 1.0f && table)
        return;
    uint32_t hair = world->hairs->segments[hit->primitive] / (uint32_t)world->hairs->stride;
    float h = offset_of(&at, v->place, v->out, v->axis[1]);
    v->look = &world->looks[rlti_hairs_look(world->hairs, hit->primitive)];
    rlti_scatter_begin(&v->look->fibre, absorption_of(v->look, hair), h, sine, &v->scatter);
}

/* The look of a hair of the cloud: each hair stands for its share. */
static const rlti_hair_look *any_look(const rlti_world *world, uint32_t key) {
    if (world->hairs->looks == NULL)
        return &world->looks[0];
    return &world->looks[world->hairs->looks[rlti_hash32(key) % (uint64_t)world->hairs->count]];
}

/* A hair of the cloud: it runs about as the others there do, and is met anywhere across. */
static void meet_cloud(const rlti_world *world, const rlti_ray *ray, float distance, rlti_f3 mean,
                       rlti_sampler *sampler, vertex *v) {
    float u[2], w[2];
    rlti_sampler_next(sampler, u);
    rlti_sampler_next(sampler, w);
    *v = (vertex){.thing = RLTI_HAIR, .out = rlti_f3_scale(-1.0f, ray->direction), .clear = world->step};
    v->place = rlti_f3_madd(ray->origin, distance, ray->direction);
    float z = 2.0f * u[0] - 1.0f, around = 2.0f * RLTI_PI_F * u[1];
    float r = sqrtf(rlti_max(0.0f, 1.0f - z * z));
    float order = sqrtf(rlti_f3_dot(mean, mean));
    rlti_f3 any = rlti_f3_of(r * cosf(around), r * sinf(around), z);
    rlti_f3 tangent = rlti_f3_normalize(rlti_f3_madd(mean, 1.0f - rlti_min(order, 1.0f), any));
    if (!(rlti_f3_dot(tangent, tangent) > 0.5f))
        tangent = any;
    float sine = set_hair_axes(tangent, v);
    uint32_t hair = (uint32_t)(w[1] * 16777216.0f); /* for its pigment */
    v->look = any_look(world, hair);
    rlti_scatter_begin(&v->look->fibre, absorption_of(v->look, hair), 2.0f * w[0] - 1.0f, sine, &v->scatter);
}

static void meet_body(const rlti_world *world, const rlti_hit *hit, vertex *v) {
    const rlti_mesh_shape *body = world->body;
    const uint32_t *corners = body->triangles + 3 * (size_t)hit->primitive;
    const float weights[3] = {1.0f - hit->u - hit->v, hit->u, hit->v};
    rlti_f3 normal = rlti_f3_of(0.0f, 0.0f, 0.0f);
    for (int i = 0; i < 3; i++) {
        const float *n = body->normals + 3 * (size_t)corners[i];
        normal = rlti_f3_madd(normal, weights[i], rlti_f3_of(n[0], n[1], n[2]));
    }
    rlti_f3 flat = rlti_f3_normalize(hit->normal);
    if (rlti_f3_dot(flat, v->out) < 0.0f)
        flat = rlti_f3_scale(-1.0f, flat); /* seen from inside */
    normal = rlti_f3_normalize(normal);
    if (rlti_f3_dot(normal, flat) < 0.0f)
        normal = rlti_f3_scale(-1.0f, normal);
    v->axis[2] = rlti_f3_dot(normal, v->out) > 0.0f ? normal : flat;
    v->axis[0] = rlti_f3_perpendicular(v->axis[2]);
    v->axis[1] = rlti_f3_cross(v->axis[2], v->axis[0]);
    v->place = rlti_f3_madd(v->place, world->step, flat);
    float scalp;
    v->colour = rlti_mesh_colour(world, hit->primitive, weights, &scalp);
    v->sheen = 1.0f - scalp;
}

static void meet(const rlti_world *world, const rlti_ray *ray, const rlti_hit *hit, int table, vertex *v) {
    v->thing = hit->thing;
    v->place = rlti_f3_madd(ray->origin, hit->distance, ray->direction);
    v->out = rlti_f3_scale(-1.0f, ray->direction);
    v->clear = world->step;
    v->cover = 1.0f;
    v->sheen = 0.0f;
    if (hit->thing == RLTI_HAIR) {
        meet_hair(world, ray, hit, table, v);
    } else if (hit->thing == RLTI_BODY) {
        meet_body(world, hit, v);
    } else {
        v->axis[0] = rlti_f3_of(1.0f, 0.0f, 0.0f);
        v->axis[1] = rlti_f3_of(0.0f, 0.0f, 1.0f);
        v->axis[2] = rlti_f3_of(0.0f, 1.0f, 0.0f);
        v->colour = world->ground_colour;
    }
}

static rlti_f3 to_local(const vertex *v, rlti_f3 d) {
    return rlti_f3_of(rlti_f3_dot(d, v->axis[0]), rlti_f3_dot(d, v->axis[1]), rlti_f3_dot(d, v->axis[2]));
}

static rlti_f3 to_world(const vertex *v, rlti_f3 d) {
    rlti_f3 sum = rlti_f3_scale(d.x, v->axis[0]);
    return rlti_f3_madd(rlti_f3_madd(sum, d.y, v->axis[1]), d.z, v->axis[2]);
}

/* ---- surfaces ---- */

/* A broad highlight (the microfacet distribution of Trowbridge and Reitz), with Schlick's Fresnel term. */
static float sheen_of(const vertex *v, rlti_f3 light, float cos_light) {
    const float alpha2 = 0.2f * 0.2f * 4.0f; /* roughness 0.4 */
    rlti_f3 half = rlti_f3_normalize(rlti_f3_add(light, v->out));
    float cos_half = rlti_max(0.0f, rlti_f3_dot(half, v->axis[2]));
    float cos_out = rlti_max(0.05f, rlti_f3_dot(v->out, v->axis[2]));
    float d = cos_half * cos_half * (alpha2 - 1.0f) + 1.0f;
    float edge = 1.0f - rlti_max(0.0f, rlti_f3_dot(half, light));
    float fresnel = 0.028f + 0.972f * edge * edge * edge * edge * edge;
    float k = 0.5f * sqrtf(alpha2);
    float masks = (cos_light * (1.0f - k) + k) * (cos_out * (1.0f - k) + k);
    return cos_light * fresnel * alpha2 / (4.0f * RLTI_PI_F * d * d * masks);
}

/* Light from one direction, cosine included. Under the skin light spreads, red the farthest: where a surface
 * turns away from the light, red fades last. */
static rlti_f3 surface_value(const vertex *v, rlti_f3 light) {
    float cosine = rlti_f3_dot(light, v->axis[2]);
    if (v->thing == RLTI_GROUND)
        return rlti_f3_scale(rlti_max(0.0f, cosine) / RLTI_PI_F, v->colour);
    const float spread[3] = {0.22f * v->sheen, 0.07f * v->sheen, 0.03f * v->sheen};
    float wrapped[3];
    for (int c = 0; c < 3; c++) {
        float w = rlti_max(0.0f, (cosine + spread[c]) / (1.0f + spread[c]));
        wrapped[c] = w / ((1.0f + spread[c]) * RLTI_PI_F);
    }
    rlti_f3 value = rlti_f3_times(v->colour, rlti_f3_of(wrapped[0], wrapped[1], wrapped[2]));
    if (cosine > 0.0f && v->sheen > 0.0f) {
        float sheen = v->sheen * sheen_of(v, light, cosine);
        value = rlti_f3_add(value, rlti_f3_of(sheen, sheen, sheen));
    }
    return value;
}

/* ---- lights ---- */

static rlti_f3 toward_light(const rlti_source_light *light, const float u[2]) {
    float cosine = 1.0f - u[0] * (1.0f - light->cos_size);
    float sine = sqrtf(rlti_max(0.0f, 1.0f - cosine * cosine));
    float angle = 2.0f * RLTI_PI_F * u[1];
    rlti_f3 d = rlti_f3_scale(cosine, light->direction);
    d = rlti_f3_madd(d, sine * cosf(angle), light->side[0]);
    return rlti_f3_madd(d, sine * sinf(angle), light->side[1]);
}

/* The weight of light from this direction at a vertex. */
static rlti_f3 light_value(const vertex *v, const rlti_source_light *light, rlti_f3 direction, int bounced) {
    rlti_f3 value = {0.0f, 0.0f, 0.0f};
    if (v->thing != RLTI_HAIR)
        value = surface_value(v, direction);
    else if (!bounced || rlti_f3_dot(direction, v->out) > 0.0f)
        rlti_scatter_eval(&v->look->fibre, &v->scatter, to_local(v, direction), &value);
    return rlti_f3_times(value, light->colour);
}

static uint32_t key_of(const float u[2]) {
    return rlti_hash32((uint32_t)(u[0] * 16777216.0f) ^ rlti_hash32((uint32_t)(u[1] * 16777216.0f)));
}

/* The share of light that hairs beyond the reach of the traced ones let through. */
static rlti_f3 light_from_afar(const rlti_world *world, rlti_ray shadow, float from, uint32_t key) {
    if (world->density == NULL)
        return rlti_f3_of(1.0f, 1.0f, 1.0f);
    shadow.near = from;
    const rlti_hair_look *look = any_look(world, key);
    return rlti_density_light(world->density, &shadow, &look->forward, rlti_unit_float(rlti_hash32(key)));
}

/* All lights, where the eye looks: the shadow rays of all vertices towards one light go together. */
static void lights_seen(const rlti_world *world, const vertex *vertices, const rlti_ray *rays, int count,
                        rlti_sampler *samplers, rlti_f3 *sums, rlti_counts *counts) {
    for (int i = 0; i < count; i++)
        sums[i] = rlti_f3_of(0.0f, 0.0f, 0.0f);
    for (int l = 0; l < world->light_count; l++) {
        rlti_ray shadows[RLTI_PACKET];
        rlti_f3 values[RLTI_PACKET], light[RLTI_PACKET];
        uint32_t keys[RLTI_PACKET];
        int wanted[RLTI_PACKET], any = 0;
        for (int i = 0; i < count; i++) {
            const vertex *v = &vertices[i];
            float u[2];
            rlti_sampler_next(&samplers[i], u);
            rlti_f3 direction = toward_light(&world->lights[l], u);
            values[i] = light_value(v, &world->lights[l], direction, 0);
            wanted[i] = rlti_f3_largest(values[i]) > 1e-5f;
            shadows[i] = (rlti_ray){v->place, direction, v->clear, HUGE_VALF, rays[i].time};
            keys[i] = key_of(u);
            any += wanted[i];
        }
        if (any == 0)
            continue;
        counts->shadow += any;
        rlti_tracer_light(world->tracer, shadows, wanted, count, RLTI_NO_HAIR, world->reach, world->looks,
                          keys, light);
        for (int i = 0; i < count; i++)
            if (rlti_f3_largest(light[i]) > 0.0f) {
                rlti_f3 afar = light_from_afar(world, shadows[i], world->reach, keys[i]);
                sums[i] = rlti_f3_add(sums[i], rlti_f3_times(values[i], rlti_f3_times(light[i], afar)));
            }
    }
}

/* After a bounce: one of the lights, chosen by its share. */
static rlti_f3 light_bounced(const rlti_world *world, const vertex *v, float time, rlti_sampler *sampler,
                             rlti_counts *counts) {
    const rlti_f3 none = {0.0f, 0.0f, 0.0f};
    if (world->light_count == 0)
        return none;
    float choice[2], u[2];
    rlti_sampler_next(sampler, choice);
    rlti_sampler_next(sampler, u);
    int l = 0;
    float rest = choice[0];
    while (l < world->light_count - 1 && rest >= world->light_share[l])
        rest -= world->light_share[l++];
    rlti_f3 direction = toward_light(&world->lights[l], u);
    rlti_f3 value = light_value(v, &world->lights[l], direction, 1);
    if (!(rlti_f3_largest(value) > 1e-5f))
        return none;
    counts->shadow++;
    rlti_ray shadow = {v->place, direction, v->clear, HUGE_VALF, time};
    rlti_f3 light;
    if (world->density == NULL) {
        const int wanted = 1;
        uint32_t key = key_of(u);
        rlti_tracer_light(world->tracer, &shadow, &wanted, 1, RLTI_NO_HAIR, HUGE_VALF, world->looks, &key,
                          &light);
    } else if (rlti_tracer_blocked_body(world->tracer, &shadow)) {
        light = none;
    } else {
        light = light_from_afar(world, shadow, v->clear, key_of(u));
    }
    return rlti_f3_scale(1.0f / world->light_share[l], rlti_f3_times(value, light));
}

void rlti_path_lights(const rlti_world *world, rlti_f3 place, uint32_t hair, float clear,
                      rlti_sampler *sampler, rlti_f3 shares[RLTI_LIGHTS_MAX], rlti_counts *counts) {
    rlti_ray shadows[RLTI_LIGHTS_MAX];
    uint32_t keys[RLTI_LIGHTS_MAX];
    int wanted[RLTI_LIGHTS_MAX];
    for (int l = 0; l < world->light_count; l++) {
        float u[2];
        rlti_sampler_next(sampler, u);
        shadows[l] = (rlti_ray){place, toward_light(&world->lights[l], u), clear, HUGE_VALF, 0.5f};
        keys[l] = key_of(u);
        wanted[l] = 1;
    }
    counts->shadow += world->light_count;
    rlti_tracer_light(world->tracer, shadows, wanted, world->light_count, hair, world->reach, world->looks,
                      keys, shares);
    for (int l = 0; l < world->light_count; l++)
        if (rlti_f3_largest(shares[l]) > 0.0f)
            shares[l] = rlti_f3_times(shares[l], light_from_afar(world, shadows[l], world->reach, keys[l]));
}

static rlti_f3 environment(const rlti_world *world, rlti_f3 direction) {
    float y = direction.y;
    float s = sqrtf(fabsf(y));
    return rlti_f3_mix(world->horizon, y > 0.0f ? world->sky : world->floor, s);
}

/* ---- the path ---- */

/* A new direction and what light from there is worth; 0 where the path ends. */
static rlti_f3 scatter_on(const vertex *v, rlti_sampler *sampler, rlti_f3 *direction) {
    float u[4];
    rlti_sampler_next(sampler, u);
    rlti_sampler_next(sampler, u + 2);
    if (v->thing == RLTI_HAIR) {
        rlti_f3 in = rlti_scatter_sample(&v->look->fibre, &v->scatter, u);
        rlti_f3 value;
        float density = rlti_scatter_eval(&v->look->fibre, &v->scatter, in, &value);
        *direction = to_world(v, in);
        return rlti_f3_scale(density > 1e-8f ? 1.0f / density : 0.0f, value);
    }
    /* by the cosine, which cancels */
    float radius = sqrtf(u[0]);
    float angle = 2.0f * RLTI_PI_F * u[1];
    *direction = to_world(v, rlti_f3_of(radius * cosf(angle), radius * sinf(angle), sqrtf(1.0f - u[0])));
    return v->colour;
}

/* Light that arrives by bounces is held below a limit: one sample in thousands that finds a light by luck
 * would stand out as a speck. */
static rlti_f3 held(const rlti_world *world, rlti_f3 light) {
    float maximum = rlti_f3_largest(light);
    if (!(maximum <= 1e30f))
        return rlti_f3_of(0.0f, 0.0f, 0.0f);
    return maximum > world->clamp ? rlti_f3_scale(world->clamp / maximum, light) : light;
}

static void note_sight(const rlti_world *world, const rlti_hit *hit, const vertex *v, rlti_sight *sight) {
    rlti_f3 d = rlti_f3_sub(v->place, world->lens.eye);
    sight->depth = -rlti_f3_dot(d, world->lens.back);
    sight->tangent = v->thing == RLTI_HAIR ? v->axis[0] : v->axis[2];
    sight->id = v->thing == RLTI_BODY ? RLT_RENDER_ID_BODY : RLT_RENDER_ID_GROUND;
    if (v->thing == RLTI_GROUND) {
        rlti_f3 from = rlti_f3_sub(v->place, world->ground_middle);
        float share = sqrtf(from.x * from.x + from.z * from.z) / world->ground_radius;
        float open = rlti_max(0.0f, 1.0f - share);
        sight->alpha = open * open * (3.0f - 2.0f * open);
    }
    if (v->thing != RLTI_HAIR)
        return;
    uint32_t hair = world->hairs->segments[hit->primitive] / (uint32_t)world->hairs->stride;
    sight->id = RLT_RENDER_ID_FIRST_HAIR + hair;
    if (world->hairs->steps == 2) {
        float from[2], to[2];
        rlti_lens_project(&world->lens, rlti_hairs_at(world->hairs, hit->primitive, hit->u, 0.0f).place,
                          from);
        rlti_lens_project(&world->lens, rlti_hairs_at(world->hairs, hit->primitive, hit->u, 1.0f).place, to);
        sight->motion[0] = to[0] - from[0];
        sight->motion[1] = to[1] - from[1];
    }
}

/* Where a ray that left a vertex arrives; 0: nowhere. */
static int arrive(const rlti_world *world, const rlti_ray *ray, rlti_sampler *sampler, vertex *v) {
    rlti_hit hit;
    if (world->density != NULL)
        rlti_tracer_closest_body(world->tracer, ray, &hit);
    else
        rlti_tracer_closest(world->tracer, ray, &hit);
    meet_ground(world, ray, &hit);
    if (world->density != NULL) {
        float u[2], distance;
        rlti_f3 mean;
        rlti_ray until = *ray;
        until.far = hit.thing == RLTI_NOTHING ? ray->far : hit.distance;
        rlti_sampler_next(sampler, u);
        if (rlti_density_meet(world->density, &until, u, &distance, &mean)) {
            meet_cloud(world, ray, distance, mean, sampler, v);
            return 1;
        }
    }
    if (hit.thing == RLTI_NOTHING)
        return 0;
    meet(world, ray, &hit, 0, v);
    return 1;
}

/* Light that reaches the vertex after one or more bounces. */
static rlti_f3 bounces_at(const rlti_world *world, vertex v, int bounces, float time, rlti_sampler *sampler,
                          rlti_counts *counts) {
    rlti_f3 sum = {0.0f, 0.0f, 0.0f};
    rlti_f3 worth = {1.0f, 1.0f, 1.0f};
    for (int depth = 0; depth < bounces; depth++) {
        rlti_ray ray = {.near = v.clear, .far = HUGE_VALF, .time = time};
        worth = rlti_f3_times(worth, scatter_on(&v, sampler, &ray.direction));
        float maximum = rlti_f3_largest(worth);
        if (depth >= 2) { /* paths worth little end early, the others stand for them */
            float u[2];
            float stay = rlti_min(0.95f, maximum);
            rlti_sampler_next(sampler, u);
            if (!(u[0] < stay))
                break;
            worth = rlti_f3_scale(1.0f / stay, worth);
        }
        if (!(maximum > 1e-4f))
            break;
        ray.origin = v.place;
        counts->bounce++;
        if (!arrive(world, &ray, sampler, &v)) {
            rlti_f3 sky = rlti_f3_times(worth, environment(world, ray.direction));
            return rlti_f3_add(sum, held(world, sky));
        }
        rlti_f3 lit = light_bounced(world, &v, time, sampler, counts);
        sum = rlti_f3_add(sum, held(world, rlti_f3_times(worth, lit)));
    }
    return sum;
}

/* Every ray finds its own light. */
static void trace_exactly(const rlti_world *world, const rlti_ray *rays, const rlti_sampler *samplers,
                          int count, rlti_sight *sights, rlti_counts *counts) {
    rlti_hit hits[RLTI_PACKET];
    vertex vertices[RLTI_PACKET];
    rlti_ray seen[RLTI_PACKET]; /* rays that met something, side by side */
    rlti_sampler numbers[RLTI_PACKET];
    rlti_f3 lit[RLTI_PACKET];
    int of[RLTI_PACKET], found = 0;
    counts->primary += count;
    rlti_tracer_closest_all(world->tracer, rays, count, hits);
    for (int i = 0; i < count; i++) {
        sights[i] = (rlti_sight){.depth = HUGE_VALF, .id = RLT_RENDER_ID_NONE};
        meet_ground(world, &rays[i], &hits[i]);
        if (hits[i].thing == RLTI_NOTHING)
            continue;
        meet(world, &rays[i], &hits[i], 0, &vertices[found]);
        sights[i].alpha = 1.0f;
        note_sight(world, &hits[i], &vertices[found], &sights[i]);
        seen[found] = rays[i];
        numbers[found] = samplers[i];
        of[found++] = i;
    }
    if (found > 0)
        lights_seen(world, vertices, seen, found, numbers, lit, counts);
    for (int k = 0; k < found; k++) {
        rlti_sight *sight = &sights[of[k]];
        rlti_f3 bounced = bounces_at(world, vertices[k], world->bounces, seen[k].time, &numbers[k], counts);
        sight->light = rlti_f3_scale(sight->alpha, rlti_f3_add(lit[k], bounced));
    }
}

/* ---- with light kept at hairs ---- */

/* Of this many hairs a ray sees the share that they cover; those behind stop it by chance. */
enum { LAYERS = 3, LAYERS_MAX = 64 };
/* Of this many samples one follows light that bounces to the body, and stands for the others. */
enum { BODY_SHARE = 4 };
/* And one that which is scattered among hairs. */
enum { FOLLOW_SHARE = 8 };

/* Light of a hair to the eye, scattered by it alone; and a model of what others scattered before. Thick ones
 * show where across their width they are seen. */
static rlti_f3 hair_seen(const rlti_world *world, const rlti_hit *hit, const vertex *v, rlti_f3 *scattered,
                         rlti_counts *counts) {
    rlti_hair_light at = rlti_kept_at(world, hit->primitive, hit->u, counts);
    *scattered = rlti_f3_times(at.scattered, rlti_kept_tint(world, hit->primitive));
    if (v->cover < 1.0f)
        return held(world, rlti_kept_thin(world, hit->primitive, v->axis[0], &at));
    rlti_f3 sum = {0.0f, 0.0f, 0.0f};
    for (int l = 0; l < world->light_count; l++) {
        rlti_f3 value = light_value(v, &world->lights[l], world->lights[l].direction, 0);
        sum = rlti_f3_add(sum, rlti_f3_times(value, at.share[l]));
    }
    return held(world, sum);
}

/* The body and the ground: one of the lights, in turn, and now and then a bounce. */
static rlti_f3 surface_seen(const rlti_world *world, const vertex *v, const rlti_ray *ray,
                            const rlti_sampler *pixel, rlti_counts *counts) {
    rlti_f3 sum = {0.0f, 0.0f, 0.0f};
    rlti_sampler even = {.key = pixel->block, .index = pixel->block_index};
    if (world->light_count > 0) {
        rlti_f3 share;
        float u[2];
        int l = (int)((pixel->index + (pixel->key >> 8)) % (uint32_t)world->light_count);
        rlti_sampler_next(&even, u);
        rlti_f3 direction = toward_light(&world->lights[l], u);
        rlti_f3 value = light_value(v, &world->lights[l], direction, 0);
        if (rlti_f3_largest(value) > 1e-5f) {
            rlti_ray shadow = {v->place, direction, v->clear, HUGE_VALF, ray->time};
            const uint32_t key = key_of(u);
            const int wanted = 1;
            counts->shadow++;
            rlti_tracer_light(world->tracer, &shadow, &wanted, 1, RLTI_NO_HAIR, world->reach, world->looks,
                              &key, &share);
            if (rlti_f3_largest(share) > 0.0f)
                share = rlti_f3_times(share, light_from_afar(world, shadow, world->reach, key));
            sum = rlti_f3_scale((float)world->light_count, rlti_f3_times(value, share));
        }
    }
    if (even.index % BODY_SHARE == 0)
        sum = rlti_f3_madd(sum, BODY_SHARE, bounces_at(world, *v, world->bounces, ray->time, &even, counts));
    return sum;
}

/* A ray ends at body or ground, which takes all that is left of it. */
static void end_on_surface(const rlti_world *world, const vertex *v, const rlti_ray *ray, float share,
                           const rlti_sampler *sampler, rlti_sight *sight, rlti_counts *counts) {
    rlti_f3 light = surface_seen(world, v, ray, sampler, counts), tint = v->colour;
    const float least = 1e-3f;
    sight->surface = share;
    sight->reached = rlti_f3_of(light.x / rlti_max(tint.x, least), light.y / rlti_max(tint.y, least),
                                light.z / rlti_max(tint.z, least));
    sight->tint = tint;
    sight->normal = v->axis[2];
}

/* A ray on its way through hairs. */
typedef struct passing {
    rlti_ray ray;
    float through;   /* share of it that is left */
    uint32_t before; /* segment that it met last */
    int sample;
    rlti_hit behind; /* body or ground where it ends */
    rlti_hit hair;   /* one of those seen, by their shares */
    float seen;      /* share of the ray that hairs took */
} passing;

/* Of the hairs that a ray sees one is followed: light that others scattered towards it. */
static void choose_hair(passing *p, const rlti_hit *hit, float weight, uint32_t key) {
    p->seen += weight;
    if (rlti_unit_float(rlti_hash32(key)) * p->seen < weight)
        p->hair = *hit;
}

static void follow_hair(const rlti_world *world, const passing *p, rlti_sampler *sampler, rlti_sight *sight,
                        rlti_counts *counts) {
    vertex v;
    if (sampler->index % FOLLOW_SHARE != 0 || (sampler->key & world->follow) != 0)
        return;
    sight->follows = 1;
    if (!(p->seen > 0.0f))
        return;
    meet(world, &p->ray, &p->hair, 0, &v);
    sight->followed =
        rlti_f3_scale(p->seen, bounces_at(world, v, world->hair_bounces, p->ray.time, sampler, counts));
}

/* One step of a ray: adds the thing that it meets next, and returns 1 if the ray continues behind it. */
static int pass_layer(const rlti_world *world, passing *p, rlti_hit *hit, int layer, rlti_sampler *sampler,
                      rlti_sight *sight, rlti_counts *counts) {
    vertex v;
    rlti_sight noted = {.alpha = 1.0f};
    if (hit->thing == RLTI_NOTHING)
        return 0;
    meet(world, &p->ray, hit, 1, &v);
    note_sight(world, hit, &v, layer == 0 ? sight : &noted);
    if (v.thing != RLTI_HAIR) {
        float share = p->through * (v.thing == RLTI_GROUND && layer == 0 ? sight->alpha : noted.alpha);
        sight->alpha = 1.0f - p->through + share;
        end_on_surface(world, &v, &p->ray, share, sampler, sight, counts);
        return 0;
    }
    p->ray.near = hit->distance * 1.000001f + 0.1f * world->step;
    /* ribbons of neighbouring segments overlap where a hair bends */
    int again = layer > 0 && (hit->primitive == p->before + 1 || hit->primitive + 1 == p->before);
    p->before = hit->primitive;
    if (again && layer < LAYERS_MAX - 1)
        return 1;
    int last = p->through * (1.0f - v.cover) < 0.05f || layer == LAYERS_MAX - 1;
    uint32_t key = sampler->key ^ rlti_hash32(sampler->index ^ rlti_hash32((uint32_t)layer));
    if (layer >= LAYERS && !last) {
        last = rlti_unit_float(rlti_hash32(key)) < v.cover;
        if (!last)
            return 1;
    }
    float weight = last ? p->through : p->through * v.cover;
    rlti_f3 scattered;
    sight->light = rlti_f3_madd(sight->light, weight, hair_seen(world, hit, &v, &scattered, counts));
    sight->scattered = rlti_f3_madd(sight->scattered, weight, scattered);
    choose_hair(p, hit, weight, key ^ 0x2545f491u);
    p->through -= weight;
    sight->alpha = 1.0f - p->through;
    return !last;
}

static void trace_layers(const rlti_world *world, const rlti_ray *from, rlti_sampler *samplers, int count,
                         rlti_sight *sights, rlti_counts *counts) {
    rlti_hit hits[RLTI_PACKET];
    rlti_ray rays[RLTI_PACKET];
    passing ways[RLTI_PACKET];
    int going = count;
    for (int i = 0; i < count; i++) {
        sights[i] = (rlti_sight){.depth = HUGE_VALF, .id = RLT_RENDER_ID_NONE};
        ways[i] = (passing){.ray = from[i], .through = 1.0f, .sample = i};
    }
    counts->primary += count;
    rlti_tracer_body_all(world->tracer, from, count, hits);
    for (int i = 0; i < count; i++) {
        meet_ground(world, &from[i], &hits[i]);
        ways[i].behind = hits[i];
    }
    for (int layer = 0; layer < LAYERS_MAX && going > 0; layer++) {
        int left = 0;
        for (int k = 0; k < going; k++) {
            rays[k] = ways[k].ray;
            hits[k] = ways[k].behind;
        }
        rlti_tracer_hairs_all(world->tracer, rays, going, hits);
        for (int k = 0; k < going; k++) {
            int i = ways[k].sample;
            if (pass_layer(world, &ways[k], &hits[k], layer, &samplers[i], &sights[i], counts))
                ways[left++] = ways[k];
            else
                follow_hair(world, &ways[k], &samplers[i], &sights[i], counts);
        }
        going = left;
    }
}

void rlti_path_trace(const rlti_world *world, const rlti_ray *rays, rlti_sampler *samplers, int count,
                     rlti_sight *sights, rlti_counts *counts) {
    if (world->kept != NULL)
        trace_layers(world, rays, samplers, count, sights, counts);
    else
        trace_exactly(world, rays, samplers, count, sights, counts);
}
