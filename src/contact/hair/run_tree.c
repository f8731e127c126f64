#include "contact/hair/run_tree.h"

#include <math.h>
#include <stdint.h>

#include "base/memory.h"

enum { WIDTH = RLTI_RUN_TREE_WIDTH };

/* A run is at most so many radii of its first sphere long. */
static const float run_length = 4.0f;

/* Boxes are larger than their spheres by this share of the largest coordinate: whoever compares the spheres
 * themselves may round as he likes. */
static const float slack = 4e-6f;

static rlti_run_box sphere_box(const float at[4]) {
    rlti_run_box box;
    for (int k = 0; k < 3; k++) {
        float far = at[3] + slack * (fabsf(at[k]) + at[3]);
        box.low[k] = at[k] - far;
        box.high[k] = at[k] + far;
    }
    return box;
}

static float longest_side(const rlti_run_box *box) {
    float longest = 0.0f;
    for (int k = 0; k < 3; k++)
        longest = fmaxf(longest, box->high[k] - box->low[k]);
    return longest;
}

/* Cuts one hair into runs; returns how many. `boxes` has room for one per sphere, or is NULL to count. */
static int cut_hair(const float (*at)[4], int begin, int end, rlti_run_box *boxes) {
    int count = 0;
    for (int i = begin; i < end; count++) {
        rlti_run_box run = sphere_box(at[i]), longer = run;
        float most = run_length * at[i][3];
        for (i++; i < end; i++) {
            rlti_run_box sphere = sphere_box(at[i]);
            rlti_run_box_include(&longer, &sphere);
            if (!(longest_side(&longer) <= most))
                break;
            run = longer;
        }
        if (boxes != NULL)
            boxes[count] = run;
    }
    return count;
}

/* ---- order: runs that lie together, along Hilbert's curve through space ---- */

typedef struct placed {
    uint64_t key;
    int run;
} placed;

enum { KEY_BITS = 21 }; /* of each coordinate */

/* The place of a cell on Hilbert's curve: neighbours on it are neighbours in space, so that what is asked
 * about one hair is still in the caches for the next. J. Skilling, "Programming the Hilbert curve" (2004). */
static uint64_t hilbert_key(uint32_t cell[3]) {
    uint64_t key = 0;
    uint32_t flip = 0;
    for (uint32_t bit = 1u << (KEY_BITS - 1); bit > 1; bit >>= 1)
        for (int k = 0; k < 3; k++) {
            uint32_t low = bit - 1, swap = (cell[0] ^ cell[k]) & low;
            if (cell[k] & bit)
                cell[0] ^= low;
            else {
                cell[0] ^= swap;
                cell[k] ^= swap;
            }
        }
    cell[1] ^= cell[0];
    cell[2] ^= cell[1];
    for (uint32_t bit = 1u << (KEY_BITS - 1); bit > 1; bit >>= 1)
        flip ^= cell[2] & bit ? bit - 1 : 0;
    for (int b = KEY_BITS - 1; b >= 0; b--)
        for (int k = 0; k < 3; k++)
            key = key << 1 | ((cell[k] ^ flip) >> b & 1u);
    return key;
}

static uint64_t key_of(const rlti_run_box *box, const rlti_run_box *all) {
    const double cells = 1 << KEY_BITS;
    uint32_t cell[3];
    for (int k = 0; k < 3; k++) {
        double side = (double)all->high[k] - (double)all->low[k];
        double middle = 0.5 * ((double)box->low[k] + (double)box->high[k]) - (double)all->low[k];
        double place = side > 0.0 ? middle / side * cells : 0.0;
        /* what is not a number goes to the beginning */
        cell[k] = place > 0.0 ? (uint32_t)(place < cells - 1.0 ? place : cells - 1.0) : 0;
    }
    return hilbert_key(cell);
}

/* By the key, 8 bits at a time from the lowest; eight passes, so that it ends in `items`. */
static void sort_placed(placed *items, placed *other, int count) {
    for (int shift = 0; shift < 64; shift += 8) {
        int next[257] = {0};
        for (int i = 0; i < count; i++)
            next[(items[i].key >> shift & 255u) + 1]++;
        for (int b = 0; b < 256; b++)
            next[b + 1] += next[b];
        for (int i = 0; i < count; i++)
            other[next[items[i].key >> shift & 255u]++] = items[i];
        placed *kept = items;
        items = other;
        other = kept;
    }
}

/* ---- building ---- */

static void put_box(rlti_run_node *node, int place, const rlti_run_box *box) {
    for (int k = 0; k < 3; k++) {
        node->low[k][place] = box->low[k];
        node->high[k][place] = box->high[k];
    }
}

static rlti_run_box box_of(const rlti_run_node *node) {
    rlti_run_box box = rlti_run_box_empty();
    for (int i = 0; i < WIDTH; i++)
        for (int k = 0; k < 3; k++) {
            box.low[k] = node->low[k][i] < box.low[k] ? node->low[k][i] : box.low[k];
            box.high[k] = node->high[k][i] > box.high[k] ? node->high[k][i] : box.high[k];
        }
    return box;
}

/* Levels from the runs up, until one has a single node; returns the nodes of all. */
static int lay_out(rlti_run_tree *tree) {
    int nodes = 0, count = tree->run_count;
    do {
        count = (count + WIDTH - 1) / WIDTH;
        tree->start[tree->level_count++] = nodes;
        nodes += count;
    } while (count > 1);
    return nodes;
}

static void fill_nodes(rlti_run_tree *tree, const placed *order, int nodes) {
    rlti_run_box none = rlti_run_box_empty();
    for (int n = 0; n < nodes; n++)
        for (int i = 0; i < WIDTH; i++)
            put_box(&tree->nodes[n], i, &none);
    for (int r = 0; r < tree->run_count; r++)
        put_box(&tree->nodes[r / WIDTH], r % WIDTH, &tree->boxes[order[r].run]);
    for (int level = 1; level < tree->level_count; level++) {
        const rlti_run_node *below = tree->nodes + tree->start[level - 1];
        for (int n = 0; n < tree->start[level] - tree->start[level - 1]; n++) {
            rlti_run_box box = box_of(&below[n]);
            put_box(&tree->nodes[tree->start[level] + n / WIDTH], n % WIDTH, &box);
        }
    }
}

/* Which hair each run is of; `order` names runs by hair. */
static void name_hairs(rlti_run_tree *tree, const placed *order, int *hair_of) {
    for (int h = 0; h < tree->hair_count; h++)
        for (int r = tree->first_run[h]; r < tree->first_run[h + 1]; r++)
            hair_of[r] = h;
    for (int r = 0; r < tree->run_count; r++)
        tree->hair[r] = hair_of[order[r].run];
}

/* Hairs in the order in which the tree comes to them, then those it does not hold. */
static void order_hairs(rlti_run_tree *tree, unsigned char *listed) {
    int count = 0;
    for (int r = 0; r < tree->run_count; r++)
        if (!listed[tree->hair[r]]) {
            listed[tree->hair[r]] = 1;
            tree->order[count++] = tree->hair[r];
        }
    for (int h = 0; h < tree->hair_count; h++)
        if (!listed[h])
            tree->order[count++] = h;
}

/* Boxes are there; everything else follows. */
static int make_tree(rlti_run_tree *tree) {
    int nodes = lay_out(tree), count = tree->run_count;
    placed *order = RLTI_NEW(placed, count), *other = RLTI_NEW(placed, count);
    int *hair_of = RLTI_NEW(int, count);
    unsigned char *listed = RLTI_NEW(unsigned char, tree->hair_count);
    tree->hair = RLTI_NEW(int, count);
    tree->order = RLTI_NEW(int, tree->hair_count);
    tree->nodes = RLTI_NEW(rlti_run_node, nodes);
    int done = order != NULL && other != NULL && hair_of != NULL && listed != NULL && tree->order != NULL &&
               tree->hair != NULL && tree->nodes != NULL;
    if (done) {
        rlti_run_box all = rlti_run_box_empty();
        for (int r = 0; r < count; r++)
            rlti_run_box_include(&all, &tree->boxes[r]);
        for (int r = 0; r < count; r++)
            order[r] = (placed){key_of(&tree->boxes[r], &all), r};
        sort_placed(order, other, count);
        name_hairs(tree, order, hair_of);
        fill_nodes(tree, order, nodes);
        order_hairs(tree, listed);
    }
    RLTI_FREE(order, other, hair_of, listed);
    return done;
}

int rlti_run_tree_create(const float (*at)[4], const int *first, int hair_count, const unsigned char *taken,
                         rlti_run_tree *tree) {
    *tree = (rlti_run_tree){.hair_count = hair_count};
    tree->first_run = RLTI_NEW(int, (size_t)hair_count + 1);
    if (tree->first_run == NULL)
        return 0;
    for (int h = 0; h < hair_count; h++)
        tree->first_run[h + 1] =
            tree->first_run[h] + (taken[h] ? cut_hair(at, first[h], first[h + 1], NULL) : 0);
    tree->run_count = tree->first_run[hair_count];
    tree->boxes = RLTI_NEW(rlti_run_box, tree->run_count);
    if (tree->boxes == NULL)
        return 0;
    for (int h = 0; h < hair_count; h++)
        if (taken[h])
            cut_hair(at, first[h], first[h + 1], tree->boxes + tree->first_run[h]);
    return make_tree(tree);
}

void rlti_run_tree_destroy(rlti_run_tree *tree) {
    RLTI_FREE(tree->first_run, tree->boxes, tree->hair, tree->order, tree->nodes);
    *tree = (rlti_run_tree){0};
}

/* ---- asking ---- */

/* Bit i: the i-th box of the node meets this one. */
static unsigned meets(const rlti_run_node *node, const rlti_run_box *box) {
    int apart[WIDTH] = {0};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < WIDTH; i++)
            apart[i] |= (node->low[k][i] > box->high[k]) | (node->high[k][i] < box->low[k]);
    unsigned bits = 0;
    for (int i = 0; i < WIDTH; i++)
        bits |= (unsigned)(apart[i] == 0) << i;
    return bits;
}

int rlti_run_tree_find(const rlti_run_tree *tree, int hair, int *seen, int *found, long long *visited) {
    int count = 0;
    for (int r = tree->first_run[hair]; r < tree->first_run[hair + 1]; r++) {
        struct {
            int level, node;
        } stack[RLTI_RUN_TREE_LEVELS * WIDTH];
        int depth = 0;
        stack[depth].level = tree->level_count - 1;
        stack[depth++].node = 0;
        while (depth > 0) {
            int level = stack[--depth].level, node = stack[depth].node;
            unsigned bits = meets(&tree->nodes[tree->start[level] + node], &tree->boxes[r]);
            (*visited)++;
            for (; bits != 0; bits &= bits - 1u) {
                int child = node * WIDTH + __builtin_ctz(bits);
                if (level > 0) {
                    stack[depth].level = level - 1;
                    stack[depth++].node = child;
                } else if (tree->hair[child] > hair && seen[tree->hair[child]] != hair + 1) {
                    seen[tree->hair[child]] = hair + 1;
                    found[count++] = tree->hair[child];
                }
            }
        }
    }
    return count;
}
