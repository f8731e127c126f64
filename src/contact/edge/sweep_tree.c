#include "contact/edge/sweep_tree.h"

#include "base/memory.h"
#include "contact/box_order.h"
#include "contact/edge/four.h"

enum { WIDTH = RLTI_SWEEP_WIDTH, BLOCK = 32 };

/* Boxes are larger than what they hold by this share of their coordinates: of rounding to single precision.
 */
static const double slack = 4e-7;

rlti_sweep_box rlti_sweep_box_empty(void) {
    return (rlti_sweep_box){{rlti_run_box_empty(), rlti_run_box_empty()}};
}

static void include_point(rlti_run_box *box, rlti_vec3 point, rlti_vec3 centre, double far) {
    const double at[3] = {point.x - centre.x, point.y - centre.y, point.z - centre.z};
    for (int k = 0; k < 3; k++) {
        double more = far + slack * (fabs(at[k]) + far);
        float low = (float)(at[k] - more), high = (float)(at[k] + more);
        box->low[k] = low < box->low[k] ? low : box->low[k];
        box->high[k] = high > box->high[k] ? high : box->high[k];
    }
}

rlti_sweep_box rlti_sweep_box_around(const rlti_vec3 *start, const rlti_vec3 *end, int count,
                                     rlti_vec3 centre, double far) {
    rlti_sweep_box box = rlti_sweep_box_empty();
    double sum = 0.0; /* x - x is NaN for NaN and infinity */
    for (int i = 0; i < count; i++) {
        sum += (start[i].x - start[i].x) + (start[i].y - start[i].y) + (start[i].z - start[i].z);
        sum += (end[i].x - end[i].x) + (end[i].y - end[i].y) + (end[i].z - end[i].z);
    }
    if (!(sum == 0.0))
        return box;
    for (int i = 0; i < count; i++) {
        include_point(&box.at[0], start[i], centre, 0.0);
        include_point(&box.at[1], end[i], centre, far);
    }
    return box;
}

/* ---- nodes ---- */

void rlti_sweep_node_put(rlti_sweep_node *node, int place, const rlti_sweep_box *box) {
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 3; k++) {
            node->low[k][e][place] = box->at[e].low[k];
            node->high[k][e][place] = box->at[e].high[k];
        }
}

static rlti_sweep_box get_box(const rlti_sweep_node *node, int place) {
    rlti_sweep_box box;
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 3; k++) {
            box.at[e].low[k] = node->low[k][e][place];
            box.at[e].high[k] = node->high[k][e][place];
        }
    return box;
}

/* The least of eight. */
static inline float least_of(const float row[WIDTH]) {
    rlti_four four = rlti_four_least(rlti_four_load(row), rlti_four_load(row + 4));
    float low = four[0] < four[1] ? four[0] : four[1], high = four[2] < four[3] ? four[2] : four[3];
    return low < high ? low : high;
}
static inline float most_of(const float row[WIDTH]) {
    rlti_four four = rlti_four_most(rlti_four_load(row), rlti_four_load(row + 4));
    float low = four[0] > four[1] ? four[0] : four[1], high = four[2] > four[3] ? four[2] : four[3];
    return low > high ? low : high;
}

rlti_sweep_box rlti_sweep_node_box(const rlti_sweep_node *node) {
    rlti_sweep_box box;
    for (int e = 0; e < 2; e++)
        for (int k = 0; k < 3; k++) {
            box.at[e].low[k] = least_of(node->low[k][e]);
            box.at[e].high[k] = most_of(node->high[k][e]);
        }
    return box;
}

/* Four boxes, from the i-th on: where they are apart. */
static inline rlti_four_bits apart(const rlti_sweep_node *node, const rlti_sweep_box *box, int i) {
    rlti_four_bits apart = {0};
    for (int k = 0; k < 3; k++) {
        const rlti_four *low[2] = {(const rlti_four *)&node->low[k][0][i],
                                   (const rlti_four *)&node->low[k][1][i]},
                        *high[2] = {(const rlti_four *)&node->high[k][0][i],
                                    (const rlti_four *)&node->high[k][1][i]};
        apart |= ((*low[0] > box->at[0].high[k]) & (*low[1] > box->at[1].high[k])) |
                 ((*high[0] < box->at[0].low[k]) & (*high[1] < box->at[1].low[k]));
    }
    return apart;
}

/* An empty box begins above all. */
unsigned rlti_sweep_node_meet(const rlti_sweep_node *node, const rlti_sweep_box *box) {
    unsigned bits = 0;
    for (int i = 0; i < WIDTH; i += 4)
        bits |= rlti_four_which(apart(node, box, i)) << i;
    return ~bits & ((1u << WIDTH) - 1u);
}

/* ---- building ---- */

/* Returns how many nodes there are. */
static int lay_out(rlti_sweep_tree *tree, int items) {
    int nodes = 0, count = tree->run_count > 0 ? tree->run_count : 1;
    for (;;) {
        tree->start[tree->level_count] = nodes;
        tree->count[tree->level_count++] = count;
        nodes += tree->level_count > 1 || items ? count : 0;
        if (count == 1 && (tree->level_count > 1 || items))
            return nodes;
        count = (count + WIDTH - 1) / WIDTH;
    }
}

int rlti_sweep_tree_create(const rlti_run_box *boxes, int run_count, int items, rlti_sweep_tree *tree) {
    *tree = (rlti_sweep_tree){.run_count = run_count};
    int nodes = lay_out(tree, items);
    tree->run = RLTI_NEW(int, (run_count + WIDTH - 1) / WIDTH * WIDTH);
    tree->place = RLTI_NEW(int, run_count);
    tree->nodes = RLTI_NEW(rlti_sweep_node, nodes);
    if (tree->run == NULL || tree->place == NULL || tree->nodes == NULL ||
        !rlti_box_order(boxes, run_count, tree->run))
        return 0;
    for (int p = 0; p < run_count; p++)
        tree->place[tree->run[p]] = p;
    rlti_sweep_box none = rlti_sweep_box_empty();
    for (int n = 0; n < nodes; n++)
        for (int i = 0; i < WIDTH; i++)
            rlti_sweep_node_put(&tree->nodes[n], i, &none);
    return 1;
}

void rlti_sweep_tree_destroy(rlti_sweep_tree *tree) {
    RLTI_FREE(tree->run, tree->place, tree->nodes);
    *tree = (rlti_sweep_tree){0};
}

/* ---- refitting ---- */

typedef struct refit {
    rlti_sweep_tree *tree;
    rlti_sweep_fill *fill;
    rlti_sweep_fit *fit;
    void *context;
    const unsigned char *some; /* runs, NULL: all */
    const rlti_sweep_tree *whole;
    int level;
} refit;

static void refit_runs(void *context, int index, int worker) {
    const refit *r = context;
    rlti_sweep_tree *tree = r->tree;
    (void)worker;
    for (int p = index * BLOCK; p < (index + 1) * BLOCK && p < tree->run_count; p++)
        r->fill(r->context, tree->run[p], &tree->nodes[p]);
}

static void refit_level(void *context, int index, int worker) {
    const refit *r = context;
    rlti_sweep_tree *tree = r->tree;
    const rlti_sweep_node *below = tree->nodes + tree->start[r->level - 1];
    (void)worker;
    for (int n = index * BLOCK; n < (index + 1) * BLOCK && n < tree->count[r->level]; n++)
        for (int i = 0; i < WIDTH && n * WIDTH + i < tree->count[r->level - 1]; i++) {
            rlti_sweep_box box = rlti_sweep_node_box(&below[n * WIDTH + i]);
            rlti_sweep_node_put(&tree->nodes[tree->start[r->level] + n], i, &box);
        }
}

static void refit_above(refit *r, int level, rlti_pool *pool) {
    for (r->level = level; r->level < r->tree->level_count; r->level++)
        rlti_pool_for(pool, (r->tree->count[r->level] + BLOCK - 1) / BLOCK, refit_level, r);
}

void rlti_sweep_tree_refit(rlti_sweep_tree *tree, rlti_pool *pool, rlti_sweep_fill *fill, void *context) {
    refit r = {.tree = tree, .fill = fill, .context = context};
    rlti_pool_for(pool, (tree->run_count + BLOCK - 1) / BLOCK, refit_runs, &r);
    refit_above(&r, 1, pool);
}

static void fit_eights(void *context, int index, int worker) {
    const refit *r = context;
    rlti_sweep_tree *tree = r->tree;
    (void)worker;
    for (int p = index * BLOCK; p < (index + 1) * BLOCK && p < tree->run_count; p++) {
        if (r->some != NULL && !r->some[tree->run[p]])
            continue;
        rlti_sweep_box box = r->fit(r->context, tree->run[p]);
        rlti_sweep_node_put(&tree->nodes[tree->start[1] + p / WIDTH], p % WIDTH, &box);
    }
}

void rlti_sweep_tree_fit(rlti_sweep_tree *tree, const unsigned char *some, rlti_pool *pool,
                         rlti_sweep_fit *fit, void *context) {
    refit r = {.tree = tree, .fit = fit, .context = context, .some = some};
    rlti_pool_for(pool, (tree->run_count + BLOCK - 1) / BLOCK, fit_eights, &r);
    refit_above(&r, 2, pool);
}

/* ---- some of the runs ---- */

int rlti_sweep_tree_create_part(const rlti_sweep_tree *whole, rlti_sweep_tree *part) {
    int top = whole->level_count - 1;
    *part = *whole;
    part->nodes = RLTI_NEW(rlti_sweep_node, part->start[top] + part->count[top]);
    rlti_sweep_box none = rlti_sweep_box_empty();
    for (int n = 0; part->nodes != NULL && n < part->start[top] + part->count[top]; n++)
        for (int i = 0; i < WIDTH; i++)
            rlti_sweep_node_put(&part->nodes[n], i, &none);
    return part->nodes != NULL;
}

void rlti_sweep_tree_destroy_part(rlti_sweep_tree *part) {
    RLTI_FREE(part->nodes);
    *part = (rlti_sweep_tree){0};
}

static void put_part(void *context, int index, int worker) {
    const refit *r = context;
    const rlti_sweep_tree *whole = r->whole;
    const rlti_sweep_box none = rlti_sweep_box_empty();
    (void)worker;
    for (int n = index * BLOCK; n < (index + 1) * BLOCK && n < whole->count[1]; n++)
        for (int i = 0; i < WIDTH && n * WIDTH + i < whole->run_count; i++) {
            rlti_sweep_box box = none;
            if (r->some[whole->run[n * WIDTH + i]])
                box = get_box(&whole->nodes[whole->start[1] + n], i);
            rlti_sweep_node_put(&r->tree->nodes[r->tree->start[1] + n], i, &box);
        }
}

void rlti_sweep_tree_put_part(const rlti_sweep_tree *whole, const unsigned char *some, rlti_pool *pool,
                              rlti_sweep_tree *part) {
    refit r = {.tree = part, .some = some, .whole = whole};
    rlti_pool_for(pool, (whole->count[1] + BLOCK - 1) / BLOCK, put_part, &r);
    refit_above(&r, 2, pool);
}

/* ---- asking ---- */

rlti_sweep_box rlti_sweep_tree_box(const rlti_sweep_tree *tree, int run) {
    int p = tree->place[run];
    return get_box(&tree->nodes[tree->start[1] + p / WIDTH], p % WIDTH);
}

void rlti_sweep_walk_begin(rlti_sweep_walk *walk, const rlti_sweep_tree *tree, const rlti_sweep_box *box) {
    walk->tree = tree;
    walk->box = *box;
    walk->depth = tree->run_count > 0;
    walk->stack[0][0] = tree->level_count - 1;
    walk->stack[0][1] = 0;
}
