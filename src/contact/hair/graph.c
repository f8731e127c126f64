/* Pairs of hairs that come near each other in the groom. A tree of boxes says for each hair which ones may
 * touch it; of such a pair, hairs are cut into short runs of particles with a box each, so that most spheres
 * are never compared; and counting stops at the number of touches asked for. */
#include "contact/hair/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/memory.h"
#include "base/messages.h"
#include "base/random.h"
#include "contact/hair/run_tree.h"
#include "scene/readers.h"

/* Particles in a run. */
#define RUN 8

typedef struct builder {
    const rlti_scene_data *scene;
    const rlti_strands *strands;
    const rlti_particles *particles;
    rlti_run_tree tree;
    rlti_run_box *boxes;   /* [hairs] of the enlarged spheres */
    int *first_run;        /* [hairs + 1] */
    rlti_run_box *runs;    /* [run count] */
    float (*at)[4];        /* [particles] rest position and enlarged radius */
    int **found;           /* [hairs] partners that this hair was asked for, unsorted */
    int *counts;           /* [hairs] how many; -1: out of memory */
    int *near;             /* [hairs] pairs before the random fraction */
    long long *looked;     /* [hairs] pairs and nodes of the tree looked at */
    int *group;            /* [hair sections] sections of equal number may touch; -1: no contacts */
    unsigned char *sifted; /* [hairs] pairs of two such hairs must touch; they are in the tree */
    int *seen, *asked;     /* [threads][hairs] the tree's answers */
} builder;

void rlti_graph_destroy(rlti_graph *graph) {
    if (graph == NULL)
        return;
    RLTI_FREE(graph->first, graph->to, graph->order, graph);
}

static void add_sphere(rlti_run_box *b, const float at[4]) {
    rlti_run_box sphere = rlti_run_box_around(at, at[3]);
    rlti_run_box_include(b, &sphere);
}

static int boxes_meet(const rlti_run_box *a, const rlti_run_box *b) {
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

static const rlti_hair_data *hair_of(const builder *b, int strand) {
    return &b->scene->hair[b->strands->hair[strand]];
}

/* 1: the solver of both strands meets their contacts itself. */
static int is_solved(const builder *b, int s, int t) {
    return rlti_hair_solves_with(hair_of(b, s), hair_of(b, t));
}

int rlti_graph_group(const rlti_scene_data *scene, int hair) {
    for (int h = 0; h < hair && scene->hair[hair].contact; h++)
        if (scene->hair[h].contact &&
            strcmp(scene->hair[h].contact_group, scene->hair[hair].contact_group) == 0)
            return h;
    return scene->hair[hair].contact ? hair : -1;
}

static void make_boxes(builder *b) {
    const rlti_particles *p = b->particles;
    int run = 0;
    /* relative to some point of the groom: single precision is plenty for a count of near pairs */
    rlti_vec3 origin = p->count > 0 ? p->rest[0] : rlti_v3(0, 0, 0);
    for (int s = 0; s < p->strand_count; s++) {
        double reach = hair_of(b, s)->prune_reach;
        b->boxes[s] = rlti_run_box_empty();
        b->first_run[s] = run;
        for (int i = p->first[s]; i < p->first[s + 1]; i++) {
            rlti_vec3 at = rlti_sub(p->rest[i], origin);
            rlti_v3_round(b->at[i], at);
            b->at[i][3] = (float)(reach * (double)p->radius[i]);
            if ((i - p->first[s]) % RUN == 0)
                b->runs[run++] = rlti_run_box_empty();
            add_sphere(&b->runs[run - 1], b->at[i]);
            add_sphere(&b->boxes[s], b->at[i]);
        }
    }
    b->first_run[p->strand_count] = run;
}

/* Hairs that may touch any, and those of them that are in the tree. */
static int can_touch(const builder *b, int s) {
    return b->group[b->strands->hair[s]] >= 0 && b->particles->first[s] < b->particles->first[s + 1];
}

static void mark_sifted(builder *b) {
    for (int s = 0; s < b->particles->strand_count; s++) {
        const rlti_hair_data *hair = hair_of(b, s);
        b->sifted[s] = can_touch(b, s) && hair->prune_pairs && hair->prune_touches > 0;
    }
}

/* Sphere contacts between two runs, counted up to `enough`. */
static int count_run(const builder *b, int i0, int i1, int j0, int j1, int enough) {
    int count = 0;
    for (int i = i0; i < i1; i++)
        for (int j = j0; j < j1; j++) {
            const float *p = b->at[i], *q = b->at[j];
            float x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2], r = p[3] + q[3];
            count += x * x + y * y + z * z < r * r;
            if (count >= enough)
                return count;
        }
    return count;
}

/* n_ij >= enough? Both ways round it is the same question, so the answer does not depend on the order. */
static int touch_often(const builder *b, int s, int t, int enough) {
    const int *first = b->particles->first;
    int count = 0;
    for (int u = b->first_run[s]; u < b->first_run[s + 1] && count < enough; u++) {
        if (!boxes_meet(&b->runs[u], &b->boxes[t]))
            continue;
        int i0 = first[s] + (u - b->first_run[s]) * RUN;
        int i1 = i0 + RUN < first[s + 1] ? i0 + RUN : first[s + 1];
        for (int w = b->first_run[t]; w < b->first_run[t + 1] && count < enough; w++) {
            if (!boxes_meet(&b->runs[u], &b->runs[w]))
                continue;
            int j0 = first[t] + (w - b->first_run[t]) * RUN;
            int j1 = j0 + RUN < first[t + 1] ? j0 + RUN : first[t + 1];
            count += count_run(b, i0, i1, j0, j1, enough - count);
        }
    }
    return count >= enough;
}

/* Is the pair kept? *near says whether it was before the random fraction. */
static int keep_pair(const builder *b, int s, int t, int *near) {
    const rlti_hair_data *x = hair_of(b, s), *y = hair_of(b, t);
    *near = 1;
    if (!x->prune_pairs || !y->prune_pairs)
        return 1;
    int enough = x->prune_touches < y->prune_touches ? x->prune_touches : y->prune_touches;
    if (enough > 0 && (!boxes_meet(&b->boxes[s], &b->boxes[t]) || !touch_often(b, s, t, enough))) {
        *near = 0;
        return 0;
    }
    int low = s < t ? s : t, high = s < t ? t : s;
    double fraction = fmin(x->prune_random, y->prune_random);
    return rlti_random((uint64_t)hair_of(b, low)->prune_seed, (uint64_t)low, (uint64_t)high) >= fraction;
}

/* Remembers a partner. 0: out of memory. */
static int add_partner(builder *b, int s, int t, int *capacity) {
    if (b->counts[s] == *capacity) {
        *capacity = *capacity == 0 ? 16 : 2 * *capacity;
        int *more = rlti_allocate((size_t)*capacity, sizeof(int));
        if (more == NULL)
            return 0;
        if (b->counts[s] > 0)
            memcpy(more, b->found[s], (size_t)b->counts[s] * sizeof(int));
        rlti_free(b->found[s]);
        b->found[s] = more;
    }
    b->found[s][b->counts[s]++] = t;
    return 1;
}

/* Looks at one pair, which no other hair looks at. 0: out of memory. */
static int try_pair(builder *b, int s, int t, int *capacity) {
    int near;
    if (!can_touch(b, t) || is_solved(b, s, t) ||
        b->group[b->strands->hair[s]] != b->group[b->strands->hair[t]])
        return 1;
    int keep = keep_pair(b, s, t, &near);
    b->near[s] += near;
    b->looked[s]++;
    return !keep || add_partner(b, s, t, capacity);
}

/* Fetches what a pair will read first: with many hairs it is not in the cache. */
static void fetch_hair(const builder *b, int t) {
    enum { LINE = 64 };
    const int *run = &b->first_run[t], *first = &b->particles->first[t];
    __builtin_prefetch(&b->boxes[t]);
    for (const char *at = (const char *)&b->runs[run[0]]; at < (const char *)&b->runs[run[1]]; at += LINE)
        __builtin_prefetch(at);
    for (const char *at = (const char *)b->at[first[0]]; at < (const char *)b->at[first[1]]; at += LINE)
        __builtin_prefetch(at);
}

/* Partners of one hair: from the tree those after it, or, where pairs need not touch, all but the like before
 * it. */
static void find_partners(void *context, int index, int worker) {
    builder *b = context;
    int s = b->tree.order[index], hairs = b->particles->strand_count, capacity = 0, done = 1;
    if (!can_touch(b, s))
        return;
    if (b->sifted[s]) {
        int *asked = b->asked + (size_t)worker * (size_t)hairs;
        int count =
            rlti_run_tree_find(&b->tree, s, b->seen + (size_t)worker * (size_t)hairs, asked, &b->looked[s]);
        for (int k = 0; k < count && done; k++) {
            if (k + 4 < count)
                fetch_hair(b, asked[k + 4]);
            done = try_pair(b, s, asked[k], &capacity);
        }
    } else {
        for (int t = 0; t < hairs && done; t++)
            if (t > s || b->sifted[t])
                done = t == s || try_pair(b, s, t, &capacity);
    }
    if (!done)
        b->counts[s] = -1; /* told apart later; the task itself cannot fail */
}

/* Every pair from both ends, neighbours ascending. */
static int make_rows(const builder *b, rlti_graph *graph) {
    int hairs = graph->count;
    for (int s = 0; s < hairs; s++) {
        if (b->counts[s] < 0)
            return 0;
        graph->edges_near += b->near[s];
        graph->looked += b->looked[s];
        graph->edges_final += b->counts[s];
        graph->first[s + 1] += b->counts[s];
        for (int k = 0; k < b->counts[s]; k++)
            graph->first[b->found[s][k] + 1]++;
    }
    for (int s = 0; s < hairs; s++)
        graph->first[s + 1] += graph->first[s];
    graph->to = rlti_allocate((size_t)graph->first[hairs] + 1, sizeof(int));
    long long *next = rlti_allocate((size_t)hairs + 1, sizeof(long long));
    if (graph->to == NULL || next == NULL) {
        rlti_free(next);
        return 0;
    }
    memcpy(next, graph->first, (size_t)hairs * sizeof(long long));
    for (int s = 0; s < hairs; s++)
        for (int k = 0; k < b->counts[s]; k++) {
            int t = b->found[s][k];
            graph->to[next[s]++] = t;
            graph->to[next[t]++] = s;
        }
    for (int s = 0; s < hairs; s++)
        qsort(graph->to + graph->first[s], (size_t)(graph->first[s + 1] - graph->first[s]), sizeof(int),
              rlti_compare_ints);
    rlti_free(next);
    return 1;
}

/* Pairs within each group, among hairs that have any particle. */
static long long count_full(const builder *b) {
    long long full = 0;
    for (int g = 0; g < b->scene->hair_count; g++) {
        long long members = 0;
        for (int s = 0; s < b->particles->strand_count; s++)
            members +=
                b->group[b->strands->hair[s]] == g && b->particles->first[s] < b->particles->first[s + 1];
        full += members * (members - 1) / 2;
    }
    return full;
}

static int builder_create(builder *b, int threads) {
    int hairs = b->particles->strand_count;
    size_t run_count = (size_t)b->particles->count / RUN + (size_t)hairs + 1;
    return RLTI_ALLOCATE(RLTI_ITEMS(b->boxes, hairs), RLTI_ITEMS(b->first_run, hairs + 1),
                         RLTI_ITEMS(b->runs, run_count), RLTI_ITEMS(b->at, (size_t)b->particles->count + 1),
                         RLTI_ITEMS(b->found, hairs), RLTI_ITEMS(b->counts, hairs),
                         RLTI_ITEMS(b->near, hairs), RLTI_ITEMS(b->looked, hairs),
                         RLTI_ITEMS(b->group, b->scene->hair_count), RLTI_ITEMS(b->sifted, hairs),
                         RLTI_ITEMS(b->seen, (size_t)threads * (size_t)hairs),
                         RLTI_ITEMS(b->asked, (size_t)threads * (size_t)hairs));
}

static void builder_destroy(builder *b) {
    for (int s = 0; b->found != NULL && s < b->particles->strand_count; s++)
        rlti_free(b->found[s]);
    rlti_run_tree_destroy(&b->tree);
    RLTI_FREE(b->boxes, b->first_run, b->runs, b->at, b->found, b->counts, b->near, b->looked, b->group,
              b->sifted, b->seen, b->asked);
}

rlt_status rlti_graph_create(const rlti_scene_data *scene, const rlti_strands *strands,
                             const rlti_particles *particles, rlti_pool *pool, rlt_messages *messages,
                             rlti_graph **graph) {
    int hairs = particles->strand_count, done = 0;
    builder b = {.scene = scene, .strands = strands, .particles = particles};
    rlti_graph *made = RLTI_NEW(rlti_graph, 1);
    if (made != NULL) {
        made->count = hairs;
        made->first = rlti_allocate((size_t)hairs + 1, sizeof(long long));
    }
    if (made != NULL && made->first != NULL && builder_create(&b, rlti_pool_threads(pool))) {
        for (int h = 0; h < scene->hair_count; h++)
            b.group[h] = rlti_graph_group(scene, h);
        make_boxes(&b);
        mark_sifted(&b);
        done = rlti_run_tree_create((const float(*)[4])b.at, particles->first, hairs, b.sifted, &b.tree);
    }
    if (done) {
        rlti_pool_for(pool, hairs, find_partners, &b);
        done = make_rows(&b, made);
        made->edges_full = count_full(&b);
        made->order = b.tree.order;
        b.tree.order = NULL;
    }
    builder_destroy(&b);
    if (!done) {
        rlti_graph_destroy(made);
        *graph = NULL;
        return rlti_out_of_memory(messages);
    }
    *graph = made;
    return RLT_OK;
}
