/* Which hair grows where, and from which guides it takes its shape: decided once. */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/sized.h"
#include "base/random.h"
#include "fill/fill_data.h"

/* Guides near a guide that its hairs may be blended from. */
enum { CANDIDATES = 24 };

rlt_status rlt_fill_def_reset(rlt_fill_def *def) {
    const rlt_fill_def standard = {.blend = RLT_FILL_LOCKS,
                                   .hairs_per_guide = 50.0,
                                   .neighbours = 3,
                                   .spread = 0.8,
                                   .parting = 75.0,
                                   .clump = 0.8,
                                   .clump_start = 0.03,
                                   .wisp_tip = 0.4,
                                   .phase = 70.0,
                                   .length_variation = 0.2,
                                   .noise = 0.15,
                                   .noise_length = 4.0,
                                   .width = 1.0,
                                   .tip = 0.35,
                                   .outside = 1,
                                   .seed = 1,
                                   .locks = 4,
                                   .clump_large = 0.2,
                                   .clump_small = 0.5,
                                   .frizz = 0.02,
                                   .frizz_length = 1.5,
                                   .strays = 0.04,
                                   .hairline = 0.7,
                                   .tip_start = 0.2};
    return RLTI_WRITE(rlt_fill_def, def, &standard, NULL);
}

/* ---- checks ---- */

typedef struct limit {
    const char *name;
    double value, minimum, maximum;
} limit;

rlt_status rlti_fill_check(const rlt_fill_def *d, rlt_messages *messages) {
    const limit limits[] = {{"hairs", (double)d->hairs, 0, 1e9},
                            {"hairs per guide", d->hairs_per_guide, 0, 1e6},
                            {"points", d->points, 0, RLT_FILL_POINTS_MAX},
                            {"neighbours", d->neighbours, 1, RLT_FILL_NEIGHBOURS_MAX},
                            {"spread", d->spread, 0, 100},
                            {"parting", d->parting, 0, 180},
                            {"clump", d->clump, 0, 1},
                            {"clump start", d->clump_start, 0, 1},
                            {"wisp radius", d->wisp_radius, 0, 1e6},
                            {"wisp tip", d->wisp_tip, 0, 10},
                            {"phase", d->phase, 0, 180},
                            {"length variation", d->length_variation, 0, 1},
                            {"noise", d->noise, 0, 1e6},
                            {"noise length", d->noise_length, 1e-6, 1e9},
                            {"width", d->width, 1e-9, 1e6},
                            {"tip", d->tip, 0, 10},
                            {"locks", d->locks, 1, RLT_FILL_LOCKS_MAX},
                            {"full", d->full, 0, 1e6},
                            {"large clump", d->clump_large, 0, 1},
                            {"small clump", d->clump_small, 0, 1},
                            {"lock radius", d->lock_radius, 0, 1e6},
                            {"frizz", d->frizz, 0, 1e6},
                            {"frizz length", d->frizz_length, 1e-6, 1e9},
                            {"strays", d->strays, 0, 1},
                            {"hairline", d->hairline, 0, 1},
                            {"tip start", d->tip_start, 0, 1}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (!(limits[i].value >= limits[i].minimum && limits[i].value <= limits[i].maximum))
            return rlti_refuse(messages, "render hairs: %s must be %g to %g", limits[i].name,
                               limits[i].minimum, limits[i].maximum);
    if ((int)d->blend < 0 || d->blend > RLT_FILL_LOCKS)
        return rlti_refuse(messages, "render hairs: blend must be curls, points, wisps or locks");
    return RLT_OK;
}

static rlt_status check_view(const rlt_frame_view *view, rlt_messages *messages) {
    if (view->strand_count < 1)
        return rlti_refuse(messages, "render hairs: there are no guides");
    for (int s = 0; s < view->strand_count; s++)
        if (view->first[s + 1] - view->first[s] < 2)
            return rlti_refuse(messages, "render hairs: guide %d has fewer than 2 points", s);
    return RLT_OK;
}

/* ---- few guides ---- */

/* The same on our own copy. */
static void fit_def(rlt_fill_def *def, int guides) {
    double more = guides > 0 ? (double)def->full / guides : 0.0;
    if (!(more > 1.0))
        return;
    int wisps = def->blend == RLT_FILL_WISPS;
    if (wisps) { /* as many wisps, in the places of locks */
        def->blend = RLT_FILL_LOCKS;
        def->locks = 1;
        def->lock_radius = def->wisp_radius;
        def->clump = 1.0;
        def->clump_large = def->clump_small = 0.0;
        def->phase = 180.0; /* as far apart as guides' own curls are */
    }
    /* locks of few guides are broader as well as more */
    double locks = floor((wisps ? more : sqrt(more)) * def->locks + 0.5);
    def->locks = locks < RLT_FILL_LOCKS_MAX ? (int)locks : RLT_FILL_LOCKS_MAX;
    def->hairs_per_guide = fmin(more * def->hairs_per_guide, 1e6);
    def->full = 0;
}

rlt_status rlt_fill_fit(rlt_fill_def *def, int guides) {
    rlt_fill_def own = rlt_fill_defaults();
    if (RLTI_READ(rlt_fill_def, &own, def, NULL) != RLT_OK)
        return RLT_BAD_INPUT;
    fit_def(&own, guides);
    return RLTI_WRITE(rlt_fill_def, def, &own, NULL);
}

/* ---- guides ---- */

/* Samples lie at equal distances along the groomed guide, whatever its points do. */
static void place_samples(rlt_fill *fill, int g, const double *points) {
    rlti_fill_guide *guide = &fill->guides[g];
    int n = fill->samples, piece = 0;
    int *at = fill->sample_at + (size_t)g * (size_t)n;
    float *share = fill->sample_share + (size_t)g * (size_t)n;
    double before = 0.0, length = 0.0;
    for (int i = 1; i < guide->count; i++)
        guide->length += rlti_length(
            rlti_sub(rlti_v3_at(points, guide->first + i), rlti_v3_at(points, guide->first + i - 1)));
    for (int i = 0; i < n; i++) {
        double wanted = guide->length * i / (n - 1);
        for (;; piece++, before += length) {
            length = rlti_length(rlti_sub(rlti_v3_at(points, guide->first + piece + 1),
                                          rlti_v3_at(points, guide->first + piece)));
            if (piece + 2 >= guide->count || wanted < before + length)
                break;
        }
        double t = length > 0.0 ? (wanted - before) / length : 0.0;
        at[i] = piece;
        share[i] = (float)(t < 0.0 ? 0.0 : (t > 1.0 ? 1.0 : t));
    }
}

static void set_guides(rlt_fill *fill, const rlt_frame_view *view, const double *rest) {
    for (int g = 0; g < fill->guide_count; g++) {
        rlti_fill_guide *guide = &fill->guides[g];
        guide->first = view->first[g];
        guide->count = view->first[g + 1] - view->first[g];
        guide->width = view->widths != NULL ? (float)view->widths[guide->first] : 0.05f;
        guide->triangle = -1;
        guide->group = view->hair != NULL ? view->hair[g] : 0;
        place_samples(fill, g, rest);
    }
    rlti_fill_measure(fill, rest);
}

/* ---- neighbours ---- */

typedef struct candidate {
    double distance;
    int guide;
} candidate;

/* Keeps the list of the nearest sorted; ties go to the lower index, which came first. */
static int insert(candidate *list, int count, int capacity, candidate new_one) {
    int i = count < capacity ? count : capacity - 1;
    if (count == capacity && !(new_one.distance < list[i].distance))
        return count;
    for (; i > 0 && new_one.distance < list[i - 1].distance; i--)
        list[i] = list[i - 1];
    list[i] = new_one;
    return count < capacity ? count + 1 : capacity;
}

static double root_distance(const rlt_fill *fill, int a, int b) {
    return rlti_length(rlti_sub(fill->roots[a], fill->roots[b]));
}

/* Across a parting hair falls to different sides, long hair at its beginning alone; across regions it belongs
 * to different grooms. */
static int may_blend(const rlt_fill *fill, int a, int b, double minimum_cosine) {
    const rlti_fill_guide *p = &fill->guides[a], *q = &fill->guides[b];
    return p->group == q->group && rlti_dot(p->direction, q->direction) >= minimum_cosine &&
           rlti_dot(p->early, q->early) >= minimum_cosine;
}

/* The mean distance of guides from their nearest; 0 where there is none. Guides far from all others (a
 * region with a single one) say nothing about it. `sorted` is scratch for as many. */
static double mean_distance(const double *nearest, int count, double *sorted) {
    enum { FAR = 10 }; /* medians */
    double sum = 0.0;
    int counted = 0;
    for (int g = 0; g < count; g++)
        if (nearest[g] < HUGE_VAL)
            sorted[counted++] = nearest[g];
    if (counted == 0)
        return 0.0;
    qsort(sorted, (size_t)counted, sizeof *sorted, rlti_compare_doubles);
    double maximum = FAR * sorted[(counted - 1) / 2];
    counted = 0;
    for (int g = 0; g < count; g++)
        if (nearest[g] <= maximum) {
            sum += nearest[g];
            counted++;
        }
    return sum / counted;
}

/* For each guide the nearest that it may blend with, itself first. [guide_count][CANDIDATES], index -1 where
 * there are fewer. Also how far each is from its nearest, whatever that is: HUGE_VAL without one. */
static void find_candidates(const rlt_fill *fill, candidate *lists, double *nearest_of) {
    double minimum_cosine = rlti_cos(fill->def.parting * RLTI_PI / 180.0);
    for (int g = 0; g < fill->guide_count; g++) {
        candidate *list = lists + (size_t)g * CANDIDATES;
        double nearest = HUGE_VAL;
        int count = insert(list, 0, CANDIDATES, (candidate){-1.0, g});
        for (int other = 0; other < fill->guide_count; other++) {
            if (other == g)
                continue;
            double distance = root_distance(fill, g, other);
            nearest = distance > 0.0 && distance < nearest ? distance : nearest;
            if (may_blend(fill, g, other, minimum_cosine))
                count = insert(list, count, CANDIDATES, (candidate){distance, other});
        }
        for (int i = count; i < CANDIDATES; i++)
            list[i] = (candidate){HUGE_VAL, -1};
        nearest_of[g] = nearest;
    }
}

/* The nearest guides of a hair whose root is at `root`, with shares that vanish as a guide leaves the list.
 * The guide it grew around is always one of them. */
static void choose_guides(const rlt_fill *fill, const candidate *list, rlti_vec3 root, rlti_fill_hair *hair) {
    candidate near[RLT_FILL_NEIGHBOURS_MAX + 1] = {{0}};
    int wanted = fill->def.neighbours, count = 0;
    for (int i = 0; i < CANDIDATES && list[i].guide >= 0; i++) {
        int g = list[i].guide;
        double distance = rlti_length(rlti_sub(fill->roots[g], root));
        count = insert(near, count, wanted + 1, (candidate){distance, g});
    }
    double edge = count > wanted ? near[wanted].distance : 2.0 * near[count - 1].distance, sum = 0.0;
    count = count < wanted ? count : wanted;
    hair->count = 0;
    for (int i = 0; i < count; i++) {
        double share = edge > 0.0 ? 1.0 - near[i].distance / edge : (i == 0 ? 1.0 : 0.0);
        share = share * share;
        if (i > 0 && share <= 0.0)
            continue;
        hair->guide[hair->count] = near[i].guide;
        hair->share[hair->count++] = (float)share;
        sum += share;
    }
    for (int i = 0; i < hair->count; i++)
        hair->share[i] = sum > 0.0 ? (float)((double)hair->share[i] / sum) : (i == 0 ? 1.0f : 0.0f);
}

/* ---- roots ---- */

static rlti_vec3 row_vector(const rlt_fill *fill, int g, int row) {
    const float *r = rlti_fill_row(fill, g, row);
    int n = fill->samples;
    return rlti_v3((double)r[0], (double)r[n], (double)r[2 * n]);
}

void rlti_fill_choose(const rlt_fill *fill, const void *lists, int g, rlti_vec3 root, rlti_fill_hair *hair) {
    choose_guides(fill, (const candidate *)lists + (size_t)g * CANDIDATES, root, hair);
}

rlti_vec3 rlti_fill_place_root(const rlt_fill *fill, int g, double u, double v, int *triangle, float at[3]) {
    const rlti_mesh_tree *tree = fill->tree; /* NULL: no body */
    rlti_vec3 t = row_vector(fill, g, FILL_T), n = row_vector(fill, g, FILL_N);
    int skin = tree != NULL && fill->def.blend != RLT_FILL_WISPS; /* a wisp lies around its guide, wherever */
    rlti_nearest nearest;
    *triangle = -1;
    if (skin) {
        rlti_mesh_tree_nearest(tree, fill->roots[g], &nearest);
        t = nearest.normal;
        n = rlti_perpendicular(t);
    }
    rlti_vec3 root = rlti_madd(rlti_madd(fill->roots[g], u, n), v, rlti_cross(t, n));
    at[0] = (float)u;
    at[1] = (float)v;
    at[2] = 0.0f;
    if (skin && (u != 0.0 || v != 0.0)) {
        rlti_mesh_tree_nearest(tree, root, &nearest);
        *triangle = nearest.triangle;
        root = nearest.point;
        for (int k = 0; k < 3; k++)
            at[k] = (float)nearest.barycentric[k];
    }
    return root;
}

/* Hair h grows around guide g: at a random place of a disc on the skin. */
static void place_hair(rlt_fill *fill, const candidate *lists, long long h, int g) {
    rlti_fill_hair *hair = &fill->hairs[h];
    const rlt_fill_def *def = &fill->def;
    double reach = def->blend != RLT_FILL_WISPS ? def->spread * fill->spacing
                   : def->wisp_radius > 0.0     ? def->wisp_radius
                                                : 0.5 * fill->spacing;
    /* the first hair of a guide is the guide */
    double radius =
        h < fill->guide_count ? 0.0 : reach * sqrt(rlti_random(def->seed, (uint64_t)h, RANDOM_RADIUS));
    double angle = 2.0 * RLTI_PI * rlti_random(def->seed, (uint64_t)h, RANDOM_ANGLE);
    rlti_vec3 root = rlti_fill_place_root(fill, g, radius * rlti_cos(angle), radius * rlti_sin(angle),
                                          &hair->triangle, hair->at);
    hair->home = g;
    if (def->blend != RLT_FILL_WISPS) {
        rlti_fill_choose(fill, lists, g, root, hair);
        return;
    }
    hair->guide[0] = g; /* whatever is nearer */
    hair->share[0] = 1.0f;
    hair->count = 1;
}

static rlt_status place_hairs(rlt_fill *fill, const rlt_frame_view *view, rlt_messages *messages) {
    candidate *lists = rlti_allocate((size_t)fill->guide_count * CANDIDATES, sizeof *lists);
    double *nearest_of = RLTI_NEW(double, 2 * (size_t)fill->guide_count);
    int ok = lists != NULL && nearest_of != NULL;
    for (int g = 0; ok && fill->tree != NULL && g < fill->guide_count; g++) {
        rlti_nearest nearest;
        rlti_mesh_tree_nearest(fill->tree, rlti_v3_at(view->points, fill->guides[g].first), &nearest);
        fill->guides[g].triangle = nearest.triangle;
    }
    if (ok) {
        rlti_fill_take(fill, view->points, view->vertices);
        if (fill->def.blend != RLT_FILL_WISPS || !(fill->def.wisp_radius > 0.0)) {
            find_candidates(fill, lists, nearest_of);
            fill->spacing = mean_distance(nearest_of, fill->guide_count, nearest_of + fill->guide_count);
        }
        if (fill->spacing == 0.0)
            fill->spacing = 0.1 * fill->guides[0].length; /* one guide: a lock around it */
        for (long long h = 0; fill->hairs != NULL && h < fill->hair_count; h++)
            place_hair(fill, lists, h, (int)(h % fill->guide_count));
        if (fill->locks != NULL && (ok = rlti_locks_place(fill, lists)) != 0)
            rlti_locks_take(fill);
    }
    RLTI_FREE(lists, nearest_of);
    return ok ? RLT_OK : rlti_out_of_memory(messages);
}

/* ---- life ---- */

void rlt_fill_destroy(rlt_fill *fill) {
    if (fill == NULL)
        return;
    for (int p = 0; p < fill->part_count && fill->parts != NULL; p++)
        rlt_fill_destroy(fill->parts[p]);
    RLTI_FREE(fill->parts, fill->order, fill->first_guide);
    RLTI_FREE(fill->guides, fill->sample_at, fill->sample_share, fill->hairs, fill->rows, fill->roots,
              fill->corners, fill->triangles, fill->scratch, fill->weights, fill->locks, fill->strands,
              fill->lock_rows);
    rlti_fill_forget_body(fill);
    rlti_free(fill);
}

static int allocate(rlt_fill *fill, const rlt_frame_view *view) {
    size_t guides = (size_t)fill->guide_count, samples = guides * (size_t)fill->samples;
    int locks = fill->def.blend == RLT_FILL_LOCKS;
    if (!RLTI_ALLOCATE(
            RLTI_ITEMS(fill->guides, guides), RLTI_ITEMS(fill->sample_at, samples),
            RLTI_ITEMS(fill->sample_share, samples), RLTI_ITEMS(fill->rows, FILL_ROWS * samples),
            RLTI_ITEMS(fill->roots, guides), RLTI_ITEMS(fill->corners, 3 * (size_t)view->vertex_count),
            RLTI_ITEMS(fill->triangles, 3 * (size_t)view->triangle_count),
            RLTI_ITEMS(fill->scratch, 2 * (size_t)fill->samples), RLTI_ITEMS(fill->weights, fill->samples)))
        return 0;
    if (!locks && !RLTI_ALLOCATE(RLTI_ITEMS(fill->hairs, fill->hair_count)))
        return 0;
    size_t lock_count = guides * (size_t)fill->def.locks;
    if (locks &&
        !RLTI_ALLOCATE(RLTI_ITEMS(fill->locks, lock_count), RLTI_ITEMS(fill->strands, fill->hair_count),
                       RLTI_ITEMS(fill->lock_rows, LOCK_ROWS * lock_count * (size_t)fill->samples)))
        return 0;
    if (view->triangle_count > 0)
        memcpy(fill->triangles, view->triangles, 3 * (size_t)view->triangle_count * sizeof(int));
    return 1;
}

void rlti_fill_take_hidden(rlt_fill *fill, const rlt_frame_view *view) {
    fill->hidden_guides = view->hidden != NULL ? 0 : -1;
    for (int s = 0; view->hidden != NULL && s < view->strand_count; s++)
        fill->hidden_guides += view->hidden[s] != 0;
}

/* A lock of fewer hairs than this is none. */
enum { LOCK_HAIRS = 5 };

static void limit_locks(rlt_fill *fill) {
    long long most = fill->hair_count / fill->guide_count / LOCK_HAIRS;
    most = most < 1 ? 1 : most;
    fill->def.locks = fill->def.locks > most ? (int)most : fill->def.locks;
}

rlt_status rlti_fill_make(const rlt_frame_view *view, const rlt_fill_def *def, const rlt_fill *whole,
                          rlt_messages *messages, rlt_fill **fill) {
    rlt_status status = RLT_OK;
    rlt_fill *made = RLTI_NEW(rlt_fill, 1);
    if (made == NULL)
        return rlti_out_of_memory(messages);
    made->whole = whole;
    made->def = *def;
    fit_def(&made->def, view->strand_count);
    def = &made->def;
    made->guide_count = view->strand_count;
    int longest = rlti_longest_run(view->first, view->strand_count);
    made->samples = def->points >= 2                ? def->points
                    : longest < RLT_FILL_POINTS_MAX ? longest
                                                    : RLT_FILL_POINTS_MAX;
    double hairs =
        def->hairs > 0 ? (double)def->hairs : floor(def->hairs_per_guide * view->strand_count + 0.5);
    made->hair_count = hairs < 1.0 ? 1 : (hairs > 1e9 ? 1000000000 : (long long)hairs);
    limit_locks(made);
    made->vertex_count = view->vertex_count;
    made->triangle_count = view->triangle_count;
    made->point_count = view->point_count;
    rlti_fill_take_hidden(made, view);
    if (allocate(made, view)) {
        set_guides(made, view, view->rest != NULL ? view->rest : view->points);
        status = rlti_fill_take_body(made, view->vertices) ? place_hairs(made, view, messages)
                                                           : rlti_out_of_memory(messages);
    } else {
        status = rlti_out_of_memory(messages);
    }
    if (status != RLT_OK) {
        rlt_fill_destroy(made);
        return status;
    }
    *fill = made;
    return RLT_OK;
}

rlt_status rlt_fill_create(const rlt_frame_view *view, const rlt_fill_def *def, rlt_messages *messages,
                           rlt_fill **fill) {
    rlt_frame_view own_view = {0};
    rlt_fill_def own_def = rlt_fill_defaults();
    *fill = NULL;
    if (RLTI_READ(rlt_frame_view, &own_view, view, messages) != RLT_OK ||
        RLTI_READ(rlt_fill_def, &own_def, def, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    rlt_status status = rlti_fill_check(&own_def, messages);
    if (status == RLT_OK)
        status = check_view(&own_view, messages);
    if (status != RLT_OK)
        return status;
    if (own_def.sections != NULL && own_def.section_count > 1 && own_view.hair != NULL)
        return rlti_fill_make_whole(&own_view, &own_def, messages, fill);
    return rlti_fill_make(&own_view, &own_def, NULL, messages, fill);
}

long long rlt_fill_hairs(const rlt_fill *fill) {
    return fill->hair_count;
}

int rlt_fill_points(const rlt_fill *fill) {
    return fill->samples;
}

int rlt_fill_guide(const rlt_fill *fill, long long hair) {
    if (fill->parts == NULL)
        return (int)(hair % fill->guide_count);
    rlti_fill_place at = fill->order[hair];
    return fill->first_guide[at.part] + rlt_fill_guide(fill->parts[at.part], at.hair);
}

rlt_status rlt_fill_frame(rlt_fill *fill, const rlt_frame_view *view, rlt_messages *messages) {
    rlt_frame_view own = {0};
    if (RLTI_READ(rlt_frame_view, &own, view, messages) != RLT_OK)
        return RLT_BAD_INPUT;
    view = &own;
    if (view->strand_count != fill->guide_count || view->point_count != fill->point_count ||
        view->vertex_count != fill->vertex_count || view->triangle_count != fill->triangle_count)
        return rlti_refuse(
            messages, "render hairs: frame %d has other strands or another mesh than the first", view->frame);
    if (fill->parts != NULL)
        return rlti_fill_frame_whole(fill, view, messages);
    rlti_fill_take_hidden(fill, view);
    rlti_fill_take(fill, view->points, view->vertices);
    if (fill->locks != NULL)
        rlti_locks_take(fill);
    /* roots stay in their triangles: only who keeps hairs out needs the body again */
    if (!fill->def.outside)
        return RLT_OK;
    return rlti_fill_take_body(fill, view->vertices) ? RLT_OK : rlti_out_of_memory(messages);
}
