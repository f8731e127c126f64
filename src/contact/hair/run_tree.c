#include "contact/hair/run_tree.h"

#include <math.h>

#include "base/memory.h"
#include "contact/box_order.h"

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

static void fill_nodes(rlti_run_tree *tree, const int *order, int nodes) {
    rlti_run_box none = rlti_run_box_empty();
    for (int n = 0; n < nodes; n++)
        for (int i = 0; i < WIDTH; i++)
            put_box(&tree->nodes[n], i, &none);
    for (int r = 0; r < tree->run_count; r++)
        put_box(&tree->nodes[r / WIDTH], r % WIDTH, &tree->boxes[order[r]]);
    for (int level = 1; level < tree->level_count; level++) {
        const rlti_run_node *below = tree->nodes + tree->start[level - 1];
        for (int n = 0; n < tree->start[level] - tree->start[level - 1]; n++) {
            rlti_run_box box = box_of(&below[n]);
            put_box(&tree->nodes[tree->start[level] + n / WIDTH], n % WIDTH, &box);
        }
    }
}

/* Which hair each run is of; `order` names runs by hair. */
static void name_hairs(rlti_run_tree *tree, const int *order, int *hair_of) {
    for (int h = 0; h < tree->hair_count; h++)
        for (int r = tree->first_run[h]; r < tree->first_run[h + 1]; r++)
            hair_of[r] = h;
    for (int r = 0; r < tree->run_count; r++)
        tree->hair[r] = hair_of[order[r]];
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
    int *order = RLTI_NEW(int, count), *hair_of = RLTI_NEW(int, count);
    unsigned char *listed = RLTI_NEW(unsigned char, tree->hair_count);
    tree->hair = RLTI_NEW(int, count);
    tree->order = RLTI_NEW(int, tree->hair_count);
    tree->nodes = RLTI_NEW(rlti_run_node, nodes);
    int done = order != NULL && hair_of != NULL && listed != NULL && tree->order != NULL &&
               tree->hair != NULL && tree->nodes != NULL && rlti_box_order(tree->boxes, count, order);
    if (done) {
        name_hairs(tree, order, hair_of);
        fill_nodes(tree, order, nodes);
        order_hairs(tree, listed);
    }
    RLTI_FREE(order, hair_of, listed);
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
