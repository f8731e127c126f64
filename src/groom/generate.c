#include "groom/generate.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"
#include "groom/curl.h"
#include "groom/import.h"
#include "groom/placement.h"
#include "base/number.h"

enum {
    AXIS_NODES = 96,
    TIED_NODES = 256,
    ATTEMPTS = 6,
    PHASES = 12, /* of a curl that is turned until it bends all along */
    EDGES_MIN = 2,
    STRANDS_MAX = 10000000,
    EDGES_MAX = 1000000
};

#define REACH_MAX   1e9   /* of a coordinate, as in hair.strands */
#define SEGMENT_MIN 1e-18 /* its square is still a normal number in single precision */

/* Streams of random numbers of a strand; placement.c uses those below 16. */
enum {
    STREAM_LENGTH = 16,
    STREAM_RADIUS,
    STREAM_PITCH,
    STREAM_PHASE,
    STREAM_HAND,
    STREAM_BEND,
    STREAM_LAYER,
    STREAM_ASIDE,
    STREAM_PART,
    STREAM_WANDER,
    STREAM_STRAY,
    STREAM_TIE = STREAM_STRAY + 4
};

/* Everything that is the same for all strands of a section. */
typedef struct section {
    const rlti_scene_data *scene;
    const rlti_hair_data *hair;
    rlti_section_name name;
    const rlti_body *body;
    const rlti_mesh *mesh;
    const rlti_mesh_tree *tree;
    rlti_distance_grid grid;
    rlti_surroundings around;
    uint64_t seed;
    int region;    /* -1: none */
    int is_combed; /* hair.comb is given and the character has a comb direction */
    int flows;     /* strands bend around the body: they are combed, fall or wander */
    int count;
    rlti_root *roots;
    double *lengths;
    int *counts; /* points of each strand */
    rlti_axis axis;
    rlti_fine_curve curve;
    rlti_tie tie;     /* of all strands; hair->tie.style says whether there is one */
    double tied_from; /* height above which strands are tied */
    int loose;        /* strands too short for the tie */
    int buried;       /* strands that still have points inside the body */
    int first_buried;
} section;

rlti_section_name rlti_section(const rlti_scene_data *scene, int index) {
    rlti_section_name name;
    if (scene->hair_count == 1)
        snprintf(name.text, sizeof name.text, "hair");
    else
        snprintf(name.text, sizeof name.text, "hair[%d]", index);
    return name;
}

int rlti_lock_create(int strand_count, const int *counts, rlti_lock *lock) {
    *lock = (rlti_lock){0};
    long long total = 0;
    for (int s = 0; s < strand_count; s++)
        total += counts[s];
    if (total > INT32_MAX)
        return 0;
    lock->first = RLTI_NEW(int, (size_t)strand_count + 1);
    lock->points = RLTI_NEW(rlti_vec3, total);
    lock->roots = RLTI_NEW(rlti_root, strand_count);
    if (lock->first == NULL || lock->points == NULL || lock->roots == NULL) {
        rlti_lock_clear(lock);
        return 0;
    }
    lock->strand_count = strand_count;
    lock->point_count = (int)total;
    for (int s = 0; s < strand_count; s++)
        lock->first[s + 1] = lock->first[s] + counts[s];
    return 1;
}

void rlti_lock_clear(rlti_lock *lock) {
    RLTI_FREE(lock->first, lock->points, lock->roots, lock->widths, lock->minimum);
    for (int m = 0; m < lock->map_count; m++)
        rlti_free(lock->maps[m].values);
    for (int c = 0; c < lock->source_count; c++)
        rlti_curves_close(&lock->curves[c]);
    rlti_free(lock->maps);
    rlti_free(lock->curves);
    *lock = (rlti_lock){0};
}

typedef struct number_text {
    char text[32];
} number_text;

/* A number for a message, the same in every locale. */
static number_text number(double value) {
    number_text made;
    rlti_number_format(value, made.text, sizeof made.text);
    return made;
}

/* Of what was measured: three digits. */
static number_text measured(double value) {
    number_text made;
    rlti_number_short(value, made.text, sizeof made.text);
    return made;
}

static rlt_status unknown_region(const section *s, rlt_messages *messages) {
    char known[1024];
    size_t used = 0;
    for (int r = 0; r < s->mesh->region_count; r++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s, ", s->mesh->region_names[r].name);
    snprintf(known + used, sizeof known - used, "none");
    return rlti_fail(messages, RLT_BAD_INPUT, "%s.region = \"%s\": no such region; known: %s", s->name.text,
                     s->hair->region, known);
}

/* The reader of scenes checks single values; these are the checks that need more than one, or the mesh. */
static rlt_status check(section *s, const rlti_body *body, rlt_messages *messages) {
    const rlti_hair_data *hair = s->hair;
    s->region = -1;
    if (strcmp(hair->region, "none") != 0) {
        s->region = rlti_body_region(body, hair->region);
        if (s->region < 0)
            return unknown_region(s, messages);
    }
    if (!(hair->length > 0.0) || !isfinite(hair->length))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s.length = %s: must be > 0", s->name.text,
                         number(hair->length).text);
    if (!(hair->length_variation >= 0.0 && hair->length_variation < 1.0))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s.length_variation = %s: must be >= 0 and < 1",
                         s->name.text, number(hair->length_variation).text);
    if (hair->style != RLTI_STYLE_STRAIGHT && hair->radius > 0.0 && !(hair->pitch > 0.0))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s.pitch = %s: must be > 0 for curled hair", s->name.text,
                         number(hair->pitch).text);
    if (s->region < 0 &&
        !(rlti_length(rlti_v3(hair->direction[0], hair->direction[1], hair->direction[2])) > 0.0))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s.direction = [0, 0, 0]: needs a length", s->name.text);
    return RLT_OK;
}

static rlt_status count_strands(section *s, rlt_messages *messages) {
    const rlti_hair_data *hair = s->hair;
    double count = hair->count;
    if (hair->count <= 0) {
        if (s->region < 0)
            return rlti_fail(messages, RLT_BAD_INPUT, "%s.count = %d: needs a count when the region is none",
                             s->name.text, hair->count);
        double area = rlti_region_area(s->mesh, s->region);
        count = floor(hair->density * area + 0.5);
        if (!(count >= 1.0))
            return rlti_fail(messages, RLT_BAD_INPUT,
                             "%s.density = %s: gives no strand on region \"%s\" (%s square units); raise it, "
                             "or give count",
                             s->name.text, number(hair->density).text, hair->region,
                             number(floor(area + 0.5)).text);
    }
    if (count > STRANDS_MAX)
        return rlti_fail(messages, RLT_BAD_INPUT, "%s: %s strands are more than %d; lower count or density",
                         s->name.text, number(count).text, STRANDS_MAX);
    s->count = (int)count;
    return RLT_OK;
}

/* The curl as the section states it, before variation. */
static rlti_curl nominal_curl(const rlti_hair_data *hair) {
    rlti_curl curl = {.style = hair->style,
                      .length = hair->length,
                      .radius = hair->radius,
                      .pitch = hair->pitch > 0.0 ? hair->pitch : 1.0,
                      .hand = 1.0,
                      .taper = hair->taper,
                      .straight_root = hair->straight_root};
    return curl;
}

typedef struct share {
    double remainder;
    int strand;
} share;

static int compare_shares(const void *a, const void *b) {
    const share *x = a;
    const share *y = b;
    if (x->remainder != y->remainder)
        return x->remainder > y->remainder ? -1 : 1;
    return x->strand < y->strand ? -1 : (x->strand > y->strand);
}

/* Exact total: edges in proportion to length (equal segments everywhere), whole numbers by largest remainder,
 * two edges at least. */
static rlt_status share_points(section *s, rlt_messages *messages) {
    int total = s->hair->total_points;
    long long minimum = (long long)s->count * (EDGES_MIN + 1);
    if (total < minimum)
        return rlti_fail(messages, RLT_BAD_INPUT, "%s.total_points = %d: %d strands need at least %lld",
                         s->name.text, total, s->count, minimum);
    share *shares = RLTI_NEW(share, s->count);
    if (shares == NULL)
        return rlti_out_of_memory(messages);
    double length = 0.0;
    for (int k = 0; k < s->count; k++)
        length += s->lengths[k];
    int edges = total - s->count;
    int given = 0;
    for (int k = 0; k < s->count; k++) {
        double wanted = edges * (s->lengths[k] / length);
        int whole = (int)floor(wanted);
        if (whole < EDGES_MIN)
            whole = EDGES_MIN;
        s->counts[k] = whole + 1;
        given += whole;
        shares[k] = (share){wanted - whole, k};
    }
    qsort(shares, (size_t)s->count, sizeof *shares, compare_shares);
    for (int k = 0; given < edges; k = (k + 1) % s->count, given++)
        s->counts[shares[k].strand]++;
    /* only where very short strands were raised to two edges */
    for (int k = s->count - 1; given > edges; k = (k + s->count - 1) % s->count)
        if (s->counts[shares[k].strand] > EDGES_MIN + 1) {
            s->counts[shares[k].strand]--;
            given--;
        }
    rlti_free(shares);
    return RLT_OK;
}

static rlt_status count_points(section *s, rlt_messages *messages) {
    const rlti_hair_data *hair = s->hair;
    for (int k = 0; k < s->count; k++)
        s->lengths[k] = hair->length * (1.0 + hair->length_variation *
                                                  rlti_random_signed(s->seed, (uint64_t)k, STREAM_LENGTH));
    if (hair->total_points > 0)
        return share_points(s, messages);
    rlti_curl curl = nominal_curl(hair);
    double segment = hair->segment;
    if (hair->points_per_turn > 0.0 && hair->style != RLTI_STYLE_STRAIGHT)
        segment = rlti_curl_turn(&curl) / hair->points_per_turn;
    if (!(segment > 0.0))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s.segment = %s: must be > 0", s->name.text,
                         number(hair->segment).text);
    for (int k = 0; k < s->count; k++) {
        double edges = floor(s->lengths[k] / segment + 0.5);
        if (edges > EDGES_MAX)
            return rlti_fail(messages, RLT_BAD_INPUT,
                             "%s: a strand of %s units in segments of %s needs %s points; raise segment, or "
                             "shorten the hair",
                             s->name.text, measured(s->lengths[k]).text, measured(segment).text,
                             number(edges + 1.0).text);
        s->counts[k] = (edges < EDGES_MIN ? EDGES_MIN : (int)edges) + 1;
    }
    return RLT_OK;
}

/* Roots on a square grid from the character's position on, in rows across the direction of growth. */
static void hang_roots(section *s) {
    const rlti_hair_data *hair = s->hair;
    const double *at = s->scene->character.position;
    rlti_vec3 direction = rlti_normalize(rlti_v3(hair->direction[0], hair->direction[1], hair->direction[2]));
    rlti_vec3 right = rlti_perpendicular(direction);
    rlti_vec3 onward = rlti_cross(direction, right);
    int columns = (int)ceil(sqrt((double)s->count));
    for (int k = 0; k < s->count; k++) {
        rlti_vec3 p = rlti_v3(at[0], at[1], at[2]);
        p = rlti_madd(p, hair->spacing * (k % columns), right);
        p = rlti_madd(p, hair->spacing * (k / columns), onward);
        s->roots[k] = (rlti_root){.triangle = -1, .bone = RLTI_BONE_HEAD, .position = p};
    }
}

/* The box of the region named face, which hair is to leave free. */
static void find_face(section *s, const rlti_body *body) {
    int face = rlti_body_region(body, "face");
    s->around.has_face = 0;
    for (int t = 0; face >= 0 && t < s->mesh->triangle_count; t++) {
        if (!((s->mesh->regions[t] >> face) & 1u))
            continue;
        for (int k = 0; k < 3; k++) {
            rlti_vec3 p = s->mesh->vertices[s->mesh->triangles[t][k]];
            rlti_vec3 *low = &s->around.face_low;
            rlti_vec3 *high = &s->around.face_high;
            if (!s->around.has_face)
                *low = *high = p;
            s->around.has_face = 1;
            *low = rlti_v3(fmin(low->x, p.x), fmin(low->y, p.y), fmin(low->z, p.z));
            *high = rlti_v3(fmax(high->x, p.x), fmax(high->y, p.y), fmax(high->z, p.z));
        }
    }
}

static int compare_heights(const void *a, const void *b) {
    const double *x = a, *y = b;
    return *x < *y ? 1 : (*x > *y ? -1 : 0);
}

/* The tie, off the skin, and which strands it holds. */
static rlt_status place_tie(section *s, rlt_messages *messages) {
    const rlti_tie_data *tie = &s->hair->tie;
    rlti_nearest nearest;
    s->tie = (rlti_tie){.place = rlti_v3(tie->position[0], tie->position[1], tie->position[2]),
                        .radius = tie->radius,
                        .bun = tie->style == RLTI_TIE_BUN ? tie->size : 0.0};
    rlti_mesh_tree_nearest(s->tree, s->tie.place, &nearest);
    s->tie.out = rlti_mesh_tree_normal(s->tree, nearest.triangle, nearest.barycentric);
    if (nearest.distance < 0.0 || nearest.distance > 8.0 * s->around.size)
        return rlti_fail(
            messages, RLT_BAD_INPUT,
            "%s.tie.position = [%s, %s, %s]: is %s units %s the body; just off the skin there is "
            "[%s, %s, %s]",
            s->name.text, number(tie->position[0]).text, number(tie->position[1]).text,
            number(tie->position[2]).text, measured(fabs(nearest.distance)).text,
            nearest.distance < 0.0 ? "inside" : "off",
            measured(nearest.point.x + s->tie.radius * s->tie.out.x).text,
            measured(nearest.point.y + s->tie.radius * s->tie.out.y).text,
            measured(nearest.point.z + s->tie.radius * s->tie.out.z).text);
    double *heights = RLTI_NEW(double, s->count);
    if (heights == NULL)
        return rlti_out_of_memory(messages);
    for (int k = 0; k < s->count; k++)
        heights[k] = s->roots[k].position.y;
    qsort(heights, (size_t)s->count, sizeof *heights, compare_heights);
    int tied = (int)floor(tie->share * s->count + 0.5);
    s->tied_from = tied > 0 ? heights[tied - 1] : HUGE_VAL;
    rlti_free(heights);
    return RLT_OK;
}

static rlt_status place(section *s, const rlti_body *body, rlt_messages *messages) {
    if (s->region < 0) {
        hang_roots(s);
        if (s->hair->tie.style != RLTI_TIE_NONE)
            return rlti_fail(messages, RLT_BAD_INPUT,
                             "%s.tie.style: needs hair that grows on a body; give hair.region", s->name.text);
        return RLT_OK;
    }
    if (!(rlti_region_area(s->mesh, s->region) > 0.0))
        return rlti_fail(messages, RLT_BAD_INPUT, "%s.region = \"%s\": the region has no area", s->name.text,
                         s->hair->region);
    if (!rlti_place_roots(s->mesh, s->region, s->count, s->seed, s->roots))
        return rlti_out_of_memory(messages);
    s->around.size = s->scene->character.scale;
    s->around.grid = &s->grid;
    find_face(s, body);
    rlti_vec3 direction;
    s->is_combed = s->hair->comb > 0.0 && rlti_body_comb(body, s->region, s->roots[0].position, &direction);
    int tied = s->hair->tie.style != RLTI_TIE_NONE;
    s->flows = s->hair->fall > 0.0 || s->hair->wander > 0.0 || s->is_combed || tied;
    if (s->flows && !rlti_distance_grid_create(s->tree, 1.3 * s->around.size, 4.0 * s->around.size, &s->grid))
        return rlti_out_of_memory(messages);
    return tied ? place_tie(s, messages) : RLT_OK;
}

/* The section's curl with this strand's variation. A quarter of full variation already spreads the phases
 * over all of the circle: neighbours in step look combed. */
static rlti_curl vary_curl(const section *s, int strand) {
    const rlti_hair_data *hair = s->hair;
    uint64_t id = (uint64_t)strand;
    rlti_curl curl = nominal_curl(hair);
    double variation = hair->variation;
    double minimum = 0.05; /* relative: a curl never vanishes */
    curl.length = s->lengths[strand];
    curl.radius *= fmax(minimum, 1.0 + variation * rlti_random_signed(s->seed, id, STREAM_RADIUS));
    curl.pitch *= fmax(minimum, 1.0 + variation * rlti_random_signed(s->seed, id, STREAM_PITCH));
    curl.phase = 2.0 * RLTI_PI * fmin(1.0, 4.0 * variation) * rlti_random(s->seed, id, STREAM_PHASE);
    /* single strands hung for an experiment are right-handed unless variety is asked for */
    if (s->region >= 0 || variation > 0.0)
        curl.hand = rlti_random(s->seed, id, STREAM_HAND) < 0.5 ? -1.0 : 1.0;
    return curl;
}

/* The strand leaves its root between the normal and the coat's direction there, and falls to that side. */
static void comb_growth(const section *s, const rlti_root *root, rlti_growth *growth) {
    rlti_vec3 coat;
    growth->start = growth->normal;
    growth->is_combed = s->is_combed && rlti_body_comb(s->body, s->region, root->position, &coat);
    if (!growth->is_combed)
        return;
    double comb = s->hair->comb;
    /* along the skin: what of the direction goes into it would be pushed out again */
    rlti_vec3 along = rlti_madd(coat, -rlti_dot(coat, growth->normal), growth->normal);
    if (rlti_length(along) < 0.3)
        along = coat;
    growth->start =
        rlti_normalize(rlti_madd(rlti_scale(1.0 - comb, growth->normal), comb, rlti_normalize(along)));
    growth->over = rlti_normalize(rlti_v3(coat.x, 0.0, coat.z));
}

/* How far curls push each other off the head: tight coils, which do not lie in each other, most [unit]. */
static double volume_of(const rlti_curl *curl, double size) {
    if (curl->style == RLTI_STYLE_STRAIGHT || !(curl->radius > 0.0))
        return 0.0;
    return curl->style == RLTI_STYLE_WAVY ? 0.5 * curl->radius
                                          : size * fmin(3.5, 1.0 + 1.25 * size / curl->radius);
}

static rlti_growth plan_growth(const section *s, int strand, const rlti_curl *curl) {
    const rlti_root *root = &s->roots[strand];
    uint64_t id = (uint64_t)strand;
    double size = s->around.size;
    double reach = curl->style == RLTI_STYLE_STRAIGHT ? 0.0 : curl->radius;
    rlti_growth growth = {.root = root->position, .fall = s->hair->fall, .radius = reach};
    growth.normal = rlti_mesh_tree_normal(s->tree, root->triangle, root->barycentric);
    comb_growth(s, root, &growth);
    growth.length = rlti_curl_axis_length(curl);
    growth.bend = fmin(size * (7.0 + 4.0 * rlti_random(s->seed, id, STREAM_BEND)), 0.6 * growth.length);
    /* Hair from high on the head hangs over the hair from below it: this is what gives volume. */
    double height = 0.5 * (1.0 + growth.normal.y);
    double layer = 0.3 + 0.7 * rlti_random(s->seed, id, STREAM_LAYER);
    growth.clear = reach + s->hair->thickness + size * (0.4 + 3.5 * height * layer);
    if (growth.is_combed) /* a short coat has no layers */
        growth.clear = fmin(growth.clear, reach + s->hair->thickness + 0.12 * growth.length);
    if (growth.is_combed && s->around.has_face) { /* follows the skull, layer on layer towards the ears */
        growth.rise = 12.0 * size;
        growth.clear =
            reach + s->hair->thickness + 0.4 * size + (size + volume_of(curl, size)) * height * layer;
    }
    growth.aside = rlti_random_signed(s->seed, id, STREAM_ASIDE);
    growth.wander = 2.0 * RLTI_PI * rlti_random(s->seed, id, STREAM_WANDER);
    growth.stray = s->hair->wander;
    for (int k = 0; k < 4; k++)
        growth.strays[k] = rlti_random(s->seed, id, STREAM_STRAY + (uint64_t)k);
    double middle = 0.5 * (s->around.face_low.x + s->around.face_high.x);
    double from_middle =
        root->position.x - middle + 0.8 * size * rlti_random_signed(s->seed, id, STREAM_PART);
    if (growth.is_combed) /* to the side it is combed to */
        from_middle = growth.over.x;
    growth.part = from_middle < 0.0 ? -1 : 1;
    return growth;
}

/* Leads hair that a tie leaves loose down the skin and backwards, behind the ears: no hair from above lies
 * under it and lifts it off the head, as plan_growth assumes. */
static void loosen_growth(const section *s, int strand, rlti_growth *growth) {
    const rlti_vec3 down = rlti_v3(0.0, -1.0, 0.0), back = rlti_v3(0.0, 0.0, -1.0);
    rlti_vec3 n = growth->normal;
    rlti_vec3 along = rlti_madd(down, -rlti_dot(down, n), n);
    double size = s->around.size;
    growth->start = rlti_normalize(rlti_madd(rlti_scale(0.3, n), 0.7, along));
    growth->over = rlti_madd(rlti_madd(back, -rlti_dot(back, n), n), 0.3, down);
    growth->rise = 0.0;
    growth->bend = fmin(4.0 * size, growth->bend);
    growth->clear = growth->radius + s->hair->thickness +
                    size * (0.2 + 0.6 * rlti_random(s->seed, (uint64_t)strand, STREAM_LAYER));
}

/* How deep the deepest point lies inside the body [unit], 0 for none. */
static double depth(const section *s, const rlti_vec3 *points, int count) {
    double deepest = 0.0;
    for (int i = 1; i < count; i++) {
        rlti_vec3 normal;
        /* the grid is good to a fraction of its cell: only near the surface is the exact search needed */
        if (rlti_distance_grid_at(&s->grid, points[i], &normal) > s->grid.cell)
            continue;
        rlti_nearest nearest;
        rlti_mesh_tree_nearest(s->tree, points[i], &nearest);
        deepest = fmax(deepest, -nearest.distance);
    }
    return deepest;
}

/* Refuses what would take all memory to wind, or come out as points that coincide in single precision. */
static rlt_status check_strand(const section *s, int strand, const rlti_curl *curl, rlt_messages *messages) {
    rlti_vec3 p = s->roots[strand].position;
    int edges = s->counts[strand] - 1;
    double segment = curl->length / edges;
    double finest = fmax(FLT_EPSILON * fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))), SEGMENT_MIN);
    if (edges > EDGES_MAX)
        return rlti_fail(messages, RLT_BAD_INPUT, "%s.total_points = %d: strand %d gets %d; at most %d",
                         s->name.text, s->hair->total_points, strand, edges + 1, EDGES_MAX + 1);
    if (!(segment > finest))
        return rlti_fail(messages, RLT_BAD_INPUT,
                         "%s.length = %s: segments of %s are too short for single precision where the "
                         "strands grow; longer hair or fewer points",
                         s->name.text, number(s->hair->length).text, measured(segment).text);
    if (!(rlti_curl_steps(curl, edges) <= RLTI_CURL_STEPS_MAX))
        return rlti_fail(messages, RLT_BAD_INPUT,
                         "%s.pitch = %s: too many turns on a length of %s; a greater pitch or shorter hair",
                         s->name.text, number(s->hair->pitch).text, number(s->hair->length).text);
    return RLT_OK;
}

/* Extreme lengths, radii and distances end in infinite coordinates. */
static rlt_status check_reach(const section *s, int strand, const rlti_vec3 *points, rlt_messages *messages) {
    for (int i = 0; i < s->counts[strand]; i++)
        if (!(fabs(points[i].x) <= REACH_MAX && fabs(points[i].y) <= REACH_MAX &&
              fabs(points[i].z) <= REACH_MAX))
            return rlti_fail(
                messages, RLT_BAD_INPUT,
                "%s: strand %d reaches further than %s units; a smaller length, radius, spacing or "
                "collide.thickness",
                s->name.text, strand, number(REACH_MAX).text);
    return RLT_OK;
}

/* A strand that goes to the tie. 1: made, 0: it is too short, -1: out of memory. */
static int tie_strand(section *s, int strand, const rlti_growth *planned, const rlti_curl *shape,
                      rlti_vec3 *points) {
    rlti_growth growth = *planned;
    rlti_curl curl = *shape;
    rlti_tie tie = s->tie;
    uint64_t id = (uint64_t)strand;
    double angle = 2.0 * RLTI_PI * rlti_random(s->seed, id, STREAM_TIE);
    double from = sqrt(rlti_random(s->seed, id, STREAM_TIE + 1));
    tie.inside[0] = from * rlti_cos(angle);
    tie.inside[1] = from * rlti_sin(angle);
    tie.turn = rlti_random(s->seed, id, STREAM_TIE + 2);
    /* pulled close to the head, layer on layer */
    growth.clear =
        s->hair->thickness + s->around.size * (0.15 + 0.5 * rlti_random(s->seed, id, STREAM_LAYER));
    growth.length = curl.length; /* pulled straight: the axis of its curl would end too early */
    double before = rlti_axis_tie(&growth, &s->around, &tie, TIED_NODES, &s->axis);
    if (!(before > 0.0))
        return 0;
    curl.straight_root = fmax(curl.straight_root, fmin(1.0, 1.5 * before));
    if (tie.bun > 0.0)
        curl.style = RLTI_STYLE_STRAIGHT;
    if (!rlti_curl_wind(&curl, &s->axis, growth.root, s->counts[strand] - 1, &s->curve))
        return -1;
    rlti_curve_divide(&s->curve, s->counts[strand], points);
    if (depth(s, points, s->counts[strand]) > s->hair->thickness && s->buried++ == 0)
        s->first_buried = strand;
    return 1;
}

/* Grows, winds and divides one strand; where points end up inside the body, again with more clearance. 0 when
 * out of memory. */
static int make_strand(section *s, int strand, const rlti_curl *shape, rlti_vec3 *points) {
    rlti_curl curl = *shape;
    const rlti_root *root = &s->roots[strand];
    int count = s->counts[strand];
    if (s->region < 0) {
        const double *d = s->hair->direction;
        rlti_axis_straight(root->position, rlti_v3(d[0], d[1], d[2]), curl.length, &s->axis);
        if (!rlti_curl_wind(&curl, &s->axis, root->position, count - 1, &s->curve))
            return 0;
        rlti_curve_divide(&s->curve, count, points);
        return 1;
    }
    rlti_growth growth = plan_growth(s, strand, &curl);
    if (s->hair->tie.style != RLTI_TIE_NONE) {
        if (root->position.y >= s->tied_from) {
            int made = tie_strand(s, strand, &growth, &curl, points);
            if (made != 0)
                return made > 0;
            s->loose++;
        }
        loosen_growth(s, strand, &growth);
    }
    double deepest = 0.0;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (s->flows)
            rlti_axis_grow(&growth, &s->around, AXIS_NODES, &s->axis);
        else
            rlti_axis_straight(growth.root, growth.normal, growth.length, &s->axis);
        if (!rlti_curl_wind(&curl, &s->axis, root->position, count - 1, &s->curve))
            return 0;
        rlti_curve_divide(&s->curve, count, points);
        deepest = s->flows ? depth(s, points, count) : 0.0;
        if (deepest <= (growth.is_combed ? 0.0 : s->hair->thickness))
            return 1;
        growth.clear += (growth.rise > 0.0 ? 0.25 : 0.5) * s->around.size + deepest;
        growth.rise *= 0.6;
        /* in a fold of the skin only the direction straight out is free */
        if (growth.is_combed && (!(growth.rise > 0.0) || attempt >= 2))
            growth.start = rlti_normalize(rlti_madd(growth.start, 0.7, growth.normal));
    }
    if (deepest > s->hair->thickness && s->buried++ == 0)
        s->first_buried = strand;
    return 1;
}

/* The sine of the least angle by which a strand turns at a point, but near its tip, which bears little. */
static double straightest(const rlti_vec3 *points, int count) {
    double least = 1.0;
    for (int i = 1; i < count * 3 / 4; i++) {
        rlti_vec3 a = rlti_normalize(rlti_sub(points[i], points[i - 1]));
        least = fmin(least, rlti_length(rlti_cross(a, rlti_normalize(rlti_sub(points[i + 1], points[i])))));
    }
    return least;
}

/* Coils bear nothing where they are straight, which they are where the bends of the axis undo those of the
 * curl: such a strand's curl is turned about its axis, to where it bends most. */
static int make_bent_strand(section *s, int strand, const rlti_curl *shape, rlti_vec3 *points) {
    const double enough = 0.1;
    const section before = *s; /* what is counted is of the last one only */
    rlti_curl curl = *shape, best = *shape;
    double most = -1.0;
    for (int k = 0; k < PHASES; k++) {
        curl.phase = shape->phase + 2.0 * RLTI_PI * k / PHASES;
        s->loose = before.loose;
        s->buried = before.buried;
        if (!make_strand(s, strand, &curl, points))
            return 0;
        double bent = straightest(points, s->counts[strand]);
        if (bent > enough)
            return 1;
        if (bent > most) {
            most = bent;
            best = curl;
        }
    }
    s->loose = before.loose;
    s->buried = before.buried;
    return make_strand(s, strand, &best, points);
}

static rlt_status make_strands(section *s, rlt_messages *messages, rlti_lock *lock) {
    if (!rlti_axis_reserve(&s->axis, TIED_NODES) || !rlti_lock_create(s->count, s->counts, lock))
        return rlti_out_of_memory(messages);
    int turns = strcmp(s->hair->model, "coil") == 0 && s->hair->style != RLTI_STYLE_STRAIGHT && s->flows;
    for (int k = 0; k < s->count; k++) {
        rlti_curl curl = vary_curl(s, k);
        lock->roots[k] = s->roots[k];
        rlt_status status = check_strand(s, k, &curl, messages);
        rlti_vec3 *points = lock->points + lock->first[k];
        if (status == RLT_OK &&
            !(turns ? make_bent_strand(s, k, &curl, points) : make_strand(s, k, &curl, points)))
            status = rlti_out_of_memory(messages);
        if (status == RLT_OK)
            status = check_reach(s, k, lock->points + lock->first[k], messages);
        if (status != RLT_OK)
            return status;
    }
    if (s->loose > 0)
        rlti_message(
            messages, RLT_WARNING,
            "%s.tie: %d of %d strands are too short to reach the tie and stay loose; longer hair, or a "
            "nearer tie",
            s->name.text, s->loose, s->count);
    if (s->buried > 0)
        rlti_message(messages, RLT_WARNING,
                     "%s: %d of %d strands have points inside the body at rest (first: %d)", s->name.text,
                     s->buried, s->count, s->first_buried);
    return RLT_OK;
}

/* A section's values at its beginning. */
static section begin(const rlti_scene_data *scene, const rlti_body *body, int index, int like) {
    section s = {.scene = scene, .hair = &scene->hair[index], .body = body, .region = -1};
    s.name = rlti_section(scene, index);
    s.mesh = body != NULL ? rlti_body_mesh(body) : NULL;
    /* sections with the same seed still differ */
    s.seed = rlti_hash64((uint64_t)(int64_t)s.hair->seed ^ ((uint64_t)like << 40));
    return s;
}

/* Counts strands, and the points of each. */
static rlt_status count(section *s, rlt_messages *messages) {
    rlt_status status = count_strands(s, messages);
    if (status != RLT_OK)
        return status;
    s->lengths = RLTI_NEW(double, s->count);
    s->counts = RLTI_NEW(int, s->count);
    return s->lengths != NULL && s->counts != NULL ? count_points(s, messages) : rlti_out_of_memory(messages);
}

rlt_status rlti_generate_count(const rlti_scene_data *scene, const rlti_body *body, int index,
                               rlt_messages *messages, int *strands, long long *points) {
    section s = begin(scene, body, index, index);
    rlt_status status = body != NULL ? check(&s, body, messages) : RLT_OK;
    if (status == RLT_OK)
        status = count(&s, messages);
    *strands = status == RLT_OK ? s.count : 0;
    *points = 0;
    for (int k = 0; k < *strands; k++)
        *points += s.counts[k];
    RLTI_FREE(s.lengths, s.counts);
    return status;
}

rlt_status rlti_generate(const rlti_scene_data *scene, const rlti_body *body, const rlti_mesh_tree *tree,
                         int index, int like, rlt_messages *messages, rlti_lock *lock) {
    section s = begin(scene, body, index, like);
    s.tree = tree;
    *lock = (rlti_lock){0};

    rlt_status status = check(&s, body, messages);
    if (status == RLT_OK)
        status = count(&s, messages);
    if (status == RLT_OK && (s.roots = RLTI_NEW(rlti_root, s.count)) == NULL)
        status = rlti_out_of_memory(messages);
    if (status == RLT_OK)
        status = place(&s, body, messages);
    if (status == RLT_OK)
        status = make_strands(&s, messages, lock);

    if (status != RLT_OK)
        rlti_lock_clear(lock);
    rlti_distance_grid_clear(&s.grid);
    rlti_axis_clear(&s.axis);
    rlti_fine_curve_clear(&s.curve);
    RLTI_FREE(s.roots, s.lengths, s.counts);
    return status;
}
