/* Light at the points of hairs, found once and kept: a frame's rays meet the same hairs again and again, and
 * what light reaches them changes little from point to point. So shadows have no grain, however few the rays.
 *
 * Each light comes as far as shadow rays say. Light that has been scattered more than once is modelled as
 * previews do (raster.c); paths say how much of it there is (trace_scattered.c). A point's light
 * depends on the point alone, whichever thread asks first. */
#include <stdatomic.h>

#include "base/memory.h"
#include "base/messages.h"
#include "render/raster.h"
#include "render/trace_sample.h"

enum { EVERY = 4, RAYS = 1, KEPT_MAX = 2000000 }; /* points between kept ones; to each light; entries */
#define SURFACE 0.05f
enum { EMPTY, BEING_LIT, LIT };

struct rlti_kept {
    const rlti_hairs *hairs;
    const rlti_raster_light *light;
    const rlti_raster_table *table;
    int every;                /* points of a hair for each that is kept */
    int stride;               /* kept ones of a hair */
    rlti_hair_light *entries; /* [hairs * stride] */
    _Atomic unsigned char *states;
};

rlt_status rlti_kept_create(const rlti_hairs *hairs, const rlti_raster_light *light,
                            const rlti_raster_table *table, rlt_messages *messages, rlti_kept **out) {
    rlti_kept *kept = RLTI_NEW(rlti_kept, 1);
    *out = kept;
    if (kept == NULL)
        return rlti_out_of_memory(messages);
    *kept = (rlti_kept){.hairs = hairs, .light = light, .table = table, .every = EVERY};
    while (hairs->count * (long long)(hairs->stride / kept->every + 2) > KEPT_MAX &&
           kept->every < hairs->stride)
        kept->every++;
    kept->stride = hairs->stride / kept->every + 2;
    size_t count = (size_t)hairs->count * (size_t)kept->stride;
    kept->entries = RLTI_NEW(rlti_hair_light, count);
    kept->states = rlti_allocate(count > 0 ? count : 1, sizeof *kept->states);
    return kept->entries != NULL && kept->states != NULL ? RLT_OK : rlti_out_of_memory(messages);
}

void rlti_kept_destroy(rlti_kept *kept) {
    if (kept == NULL)
        return;
    rlti_free(kept->entries);
    rlti_free((void *)kept->states);
    rlti_free(kept);
}

size_t rlti_kept_bytes(const rlti_kept *kept) {
    return kept == NULL ? 0 : (size_t)kept->hairs->count * (size_t)kept->stride * (sizeof *kept->entries + 1);
}

/* A point of a hair in the middle of the shutter. */
typedef struct hair_place {
    rlti_f3 place, tangent;
    float clear; /* distance that leaves the hair behind, which is thinner than drawn [unit] */
} hair_place;

/* Points are between 0 and the hair's last; the mirrored ones beyond its ends are not lit. `vertex` is the
 * one before the point. */
static hair_place place_at(const rlti_world *world, size_t vertex) {
    const rlti_hairs *hairs = world->hairs;
    float p[12];
    for (size_t i = 0; i < 12; i++) {
        p[i] = hairs->vertices[0][4 * vertex + i];
        if (hairs->steps == 2)
            p[i] = 0.5f * (p[i] + hairs->vertices[1][4 * vertex + i]);
    }
    float cover = hairs->cover != NULL ? hairs->cover[vertex + 1] : 1.0f;
    hair_place at = {.place = rlti_f3_of(p[4], p[5], p[6]), .clear = 2.5f * cover * p[7] + world->step};
    at.tangent = rlti_f3_normalize(rlti_f3_of(p[8] - p[0], p[9] - p[1], p[10] - p[2]));
    return at;
}

static rlti_hair_light light_point(const rlti_world *world, long long hair, int point, rlti_counts *counts) {
    const rlti_kept *kept = world->kept;
    const rlti_hairs *hairs = kept->hairs;
    size_t vertex = (size_t)hair * (size_t)hairs->stride + (size_t)point;
    hair_place at = place_at(world, vertex);
    int look = hairs->looks != NULL ? hairs->looks[hair] : 0;
    rlti_hair_light light = {0};
    rlti_sampler sampler = {.key = rlti_hash32((uint32_t)vertex ^ (uint32_t)world->seed)};
    for (int ray = 0; ray < RAYS; ray++) {
        rlti_f3 shares[RLTI_LIGHTS_MAX];
        sampler.index = (uint32_t)ray;
        sampler.pair = 0;
        rlti_path_lights(world, at.place, (uint32_t)hair, at.clear, &sampler, shares, counts);
        for (int l = 0; l < world->light_count; l++)
            light.share[l] = rlti_f3_madd(light.share[l], 1.0f / RAYS, shares[l]);
    }
    float crossed[RASTER_DEPTHS];
    rlti_raster_crossed(kept->light, at.place, crossed);
    /* some is reflected by the hair's surface, whatever its pigment */
    rlti_f3 albedo = rlti_f3_add(kept->table->albedo[look], rlti_f3_of(SURFACE, SURFACE, SURFACE));
    light.scattered = rlti_raster_scattered(world, albedo, rlti_raster_around(world), at.tangent, crossed);
    return light;
}

static rlti_hair_light kept_entry(const rlti_world *world, long long hair, int entry, rlti_counts *counts) {
    const rlti_kept *kept = world->kept;
    size_t at = (size_t)hair * (size_t)kept->stride + (size_t)entry;
    if (atomic_load_explicit(&kept->states[at], memory_order_acquire) == LIT)
        return kept->entries[at];
    int last = kept->hairs->counts[hair] - 1, point = entry * kept->every;
    rlti_hair_light light = light_point(world, hair, point < last ? point : last, counts);
    unsigned char empty = EMPTY;
    if (atomic_compare_exchange_strong(&kept->states[at], &empty, BEING_LIT)) {
        kept->entries[at] = light;
        atomic_store_explicit(&kept->states[at], LIT, memory_order_release);
    }
    return light;
}

rlti_hair_light rlti_kept_at(const rlti_world *world, uint32_t segment, float u, rlti_counts *counts) {
    const rlti_kept *kept = world->kept;
    uint32_t vertex = kept->hairs->segments[segment], stride = (uint32_t)kept->hairs->stride;
    long long hair = vertex / stride;
    float at = ((float)(vertex % stride) + u) / (float)kept->every;
    int entry = (int)at;
    float share = at - (float)entry;
    rlti_hair_light a = kept_entry(world, hair, entry, counts);
    if (!(share > 0.0f))
        return a;
    rlti_hair_light b = kept_entry(world, hair, entry + 1, counts);
    for (int l = 0; l < world->light_count; l++)
        a.share[l] = rlti_f3_mix(a.share[l], b.share[l], share);
    a.scattered = rlti_f3_mix(a.scattered, b.scattered, share);
    return a;
}

rlti_f3 rlti_kept_thin(const rlti_world *world, uint32_t segment, rlti_f3 tangent,
                       const rlti_hair_light *at) {
    const rlti_kept *kept = world->kept;
    const rlti_raster_table *table = kept->table;
    int look = rlti_hairs_look(kept->hairs, segment), square = rlti_raster_table_at(tangent);
    rlti_f3 sum = {0.0f, 0.0f, 0.0f};
    for (int l = 0; l < world->light_count; l++)
        sum = rlti_f3_add(sum, rlti_f3_times(table->value[look * table->lights + l][square], at->share[l]));
    return rlti_f3_times(sum, rlti_kept_tint(world, segment));
}

rlti_f3 rlti_kept_tint(const rlti_world *world, uint32_t segment) {
    const rlti_kept *kept = world->kept;
    uint32_t hair = kept->hairs->segments[segment] / (uint32_t)kept->hairs->stride;
    int look = rlti_hairs_look(kept->hairs, segment);
    return rlti_raster_tint(&world->looks[look], kept->table->albedo[look], hair);
}

/* ---- the cloud ---- */

enum { FIT_RAYS = 1500, FIT_STEPS = 12 };
/* The share of light that a hair passes on for which cloud and hairs are compared. Between light hair, where
 * the number of hairs on a way counts, and dark, where the gaps do: no one density serves both. */
#define FIT_PASS 0.82f

/* Depth of the cloud [exponent] along a ray from a hair to a light, less than 0 behind the body; adds the
 * light that comes through traced hairs. */
static float fit_ray(const rlti_world *world, const rlti_density *density, const rlti_hair_look *looks,
                     uint32_t number, double *traced) {
    const rlti_hairs *hairs = world->hairs;
    uint32_t a = rlti_hash32(number ^ 0x7f4a7c15u), b = rlti_hash32(a);
    uint32_t segment = a % (uint32_t)hairs->segment_count, vertex = hairs->segments[segment];
    hair_place at = place_at(world, vertex);
    const rlti_source_light *light = &world->lights[number % (uint32_t)world->light_count];
    rlti_ray ray = {at.place, light->direction, at.clear, HUGE_VALF, 0.5f};
    if (rlti_tracer_blocked_body(world->tracer, &ray))
        return -1.0f;
    const int wanted = 1;
    rlti_f3 share;
    rlti_tracer_light(world->tracer, &ray, &wanted, 1, vertex / (uint32_t)hairs->stride, HUGE_VALF, looks, &b,
                      &share);
    *traced += (double)rlti_f3_luminance(share);
    float through = rlti_f3_luminance(rlti_density_light(density, &ray, &looks->forward, rlti_unit_float(b)));
    return -logf(rlti_max(through, 1e-3f));
}

void rlti_kept_fit_cloud(const rlti_world *world, rlti_density *density) {
    float depths[FIT_RAYS];
    double traced = 0.0;
    int count = 0;
    if (world->hairs->segment_count == 0 || world->light_count == 0 || density->cells == NULL)
        return;
    rlti_hair_look looks[RLT_RENDER_LOOKS_MAX];
    for (int k = 0; k < RLT_RENDER_LOOKS_MAX; k++)
        for (int i = 0; i <= RLTI_FORWARD_STEPS; i++)
            looks[k].forward.pass[i] = rlti_f3_of(FIT_PASS, FIT_PASS, FIT_PASS);
    for (uint32_t i = 0; i < FIT_RAYS; i++) {
        depths[count] = fit_ray(world, density, looks, i, &traced);
        count += depths[count] >= 0.0f;
    }
    float low = 0.25f, high = 2.0f;
    for (int step = 0; step < FIT_STEPS && count > 0; step++) {
        float factor = 0.5f * (low + high);
        double sum = 0.0;
        for (int i = 0; i < count; i++)
            sum += (double)expf(-factor * depths[i]);
        if (sum > traced)
            low = factor;
        else
            high = factor;
    }
    if (count > FIT_RAYS / 20) /* else nearly all is in the body's shadow */
        rlti_density_scale(density, 0.5f * (low + high));
}
