#include "contact/body/box_tree.h"

#include <float.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

enum { WIDTH = RLTI_BOX_TREE_WIDTH };

/* Corners of boxes that are not there: nothing is near them, and squares of distances stay below infinity. */
static const float nowhere = 1e18f;

int rlti_box_tree_create(const rlti_surface *surface, rlti_box_tree *tree) {
    memset(tree, 0, sizeof *tree);
    int total = 0, count = surface->triangle_count;
    do {
        count = (count + WIDTH - 1) / WIDTH;
        tree->start[tree->level_count] = total;
        tree->count[tree->level_count++] = count;
        total += count;
    } while (count > 1);
    tree->nodes = RLTI_NEW(rlti_box_tree_node, total);
    return tree->nodes != NULL;
}

void rlti_box_tree_destroy(rlti_box_tree *tree) {
    rlti_free(tree->nodes);
    memset(tree, 0, sizeof *tree);
}

static void set_nowhere(rlti_box_tree_node *node, int slot) {
    for (int k = 0; k < 3; k++) {
        node->minimum[k][slot] = node->maximum[k][slot] = nowhere;
        node->shift[k][slot] = 0.0f;
    }
}

/* Starts and ends of the four sides of a box along an axis. */
typedef struct range {
    float minimum[2], maximum[2];
} range;

static void widen(range *r, const range *by) {
    for (int end = 0; end < 2; end++) {
        r->minimum[end] = by->minimum[end] < r->minimum[end] ? by->minimum[end] : r->minimum[end];
        r->maximum[end] = by->maximum[end] > r->maximum[end] ? by->maximum[end] : r->maximum[end];
    }
}

/* A box that is as large at the start as at the end has no size to spare; others a little. */
static void set_range(rlti_box_tree_node *node, int axis, int slot, const range *r) {
    float shift = 0.5f * ((r->minimum[1] - r->minimum[0]) + (r->maximum[1] - r->maximum[0]));
    float minimum = r->minimum[1] - shift, maximum = r->maximum[1] - shift;
    node->minimum[axis][slot] = minimum < r->minimum[0] ? minimum : r->minimum[0];
    node->maximum[axis][slot] = maximum > r->maximum[0] ? maximum : r->maximum[0];
    node->shift[axis][slot] = shift;
}

static range vertex_range(const rlti_vertex_path *path, int axis) {
    float start = path->start[axis], end = path->end[axis], aside = path->aside[axis];
    return (range){{start - aside, end - aside}, {start + aside, end + aside}};
}

static range slot_range(const rlti_box_tree_node *node, int axis, int slot) {
    float minimum = node->minimum[axis][slot], maximum = node->maximum[axis][slot],
          shift = node->shift[axis][slot];
    return (range){{minimum, minimum + shift}, {maximum, maximum + shift}};
}

static void fit_triangle(rlti_box_tree_node *node, int slot, const int vertices[3],
                         const rlti_vertex_path *paths) {
    for (int k = 0; k < 3; k++) {
        range all = vertex_range(&paths[vertices[0]], k);
        for (int i = 1; i < 3; i++) {
            range next = vertex_range(&paths[vertices[i]], k);
            widen(&all, &next);
        }
        set_range(node, k, slot, &all);
    }
}

/* The box of all that a node holds. Slots fill from the first, so that is always there. */
static void fit_node(rlti_box_tree_node *node, int slot, const rlti_box_tree_node *below) {
    for (int k = 0; k < 3; k++) {
        range all = slot_range(below, k, 0);
        for (int i = 1; i < WIDTH && below->minimum[k][i] != nowhere; i++) {
            range next = slot_range(below, k, i);
            widen(&all, &next);
        }
        set_range(node, k, slot, &all);
    }
}

void rlti_box_tree_fit(rlti_box_tree *tree, const rlti_surface *surface, double from, double to,
                       const rlti_vertex_path *paths) {
    tree->from = from;
    tree->to = to;
    for (int i = 0; i < WIDTH * tree->count[0]; i++) {
        rlti_box_tree_node *node = &tree->nodes[i / WIDTH];
        if (i < surface->triangle_count)
            fit_triangle(node, i % WIDTH, surface->triangles[rlti_surface_ordered(surface, i)], paths);
        else
            set_nowhere(node, i % WIDTH);
    }
    for (int level = 1; level < tree->level_count; level++)
        for (int i = 0; i < WIDTH * tree->count[level]; i++) {
            rlti_box_tree_node *node = &tree->nodes[tree->start[level] + i / WIDTH];
            if (i < tree->count[level - 1])
                fit_node(node, i % WIDTH, &tree->nodes[tree->start[level - 1] + i]);
            else
                set_nowhere(node, i % WIDTH);
        }
}

static float greater(float a, float b) {
    return a > b ? a : b;
}

/* How far outside a range of one axis. */
static float outside(float minimum, float maximum, float at) {
    return greater(greater(minimum - at, at - maximum), 0.0f);
}

/* Squared distances from four boxes of a point whose last coordinate is the time: 0 at the start, 1 at the
 * end of the stretch. No branches. */
static void box_distances(const rlti_box_tree_node *n, const float point[4], float distance2[WIDTH]) {
    const float t = point[3];
    for (int i = 0; i < WIDTH; i++) {
        float x = outside(n->minimum[0][i], n->maximum[0][i], point[0] - t * n->shift[0][i]);
        float y = outside(n->minimum[1][i], n->maximum[1][i], point[1] - t * n->shift[1][i]);
        float z = outside(n->minimum[2][i], n->maximum[2][i], point[2] - t * n->shift[2][i]);
        distance2[i] = x * x + y * y + z * z;
    }
}

/* Triangles that share an edge or a corner are equally close there but for rounding, and what is taken must
 * not depend on the order of the search. So all that are as close (of squares: to this factor, and to what is
 * left of rounding at the surface itself [unit^2]) are kept, and at the end checked again in an order of
 * their own. */
static const float as_close = 1.0001f, touching = 1e-7f;

enum { RIVALS_MAX = 16 }; /* further ones are left out: then several triangles lie in one place */

typedef struct search {
    const rlti_surface *surface;
    float point[4];           /* and the time: 0 at the start, 1 at the end of the stretch */
    float limit2;             /* nothing further is checked */
    float best2;              /* square of the minimum distance found */
    rlti_closest found;       /* at the triangle last taken, which is the only one if there are no rivals */
    int rival_count, *rivals; /* [RIVALS_MAX] */
} search;

static void try_triangle(search *s, int triangle) {
    rlti_triangle scratch;
    float kept = s->found.distance2;
    s->found.distance2 = s->limit2;
    if (!rlti_triangle_closest(rlti_surface_face(s->surface, triangle, &scratch), s->point, &s->found)) {
        s->found.distance2 = kept;
        return;
    }
    float distance2 = s->found.distance2;
    float next = as_close * distance2 + touching;
    if (next < s->best2)
        s->rival_count = 0;
    if (s->rival_count < RIVALS_MAX)
        s->rivals[s->rival_count++] = triangle;
    s->best2 = distance2 < s->best2 ? distance2 : s->best2;
    s->limit2 = next < s->limit2 ? next : s->limit2;
}

/* Among rivals, `first` comes first, then the lower index. */
static void choose(search *s, int first, rlti_closest *closest) {
    float limit2 = s->limit2;
    int last = -1;
    closest->distance2 = limit2;
    closest->triangle = -1;
    for (int n = 0; n < s->rival_count; n++) {
        int next = -1;
        for (int i = 0; i < s->rival_count; i++) {
            int rank = s->rivals[i] == first ? 0 : s->rivals[i] + 1;
            next = rank > last && (next < 0 || rank < next) ? rank : next;
        }
        rlti_triangle scratch;
        int triangle = next == 0 ? first : next - 1;
        if (rlti_triangle_closest(rlti_surface_face(s->surface, triangle, &scratch), s->point, closest))
            closest->triangle = triangle;
        last = next;
    }
}

/* Whether several rivals are as close as the closest of them. */
static int is_tied(const search *s, const rlti_closest *best) {
    int count = 0;
    for (int n = 0; n < s->rival_count; n++) {
        rlti_triangle scratch;
        rlti_closest closest = {.distance2 = s->limit2};
        count += rlti_triangle_closest(rlti_surface_face(s->surface, s->rivals[n], &scratch), s->point,
                                       &closest) &&
                 closest.distance2 == best->distance2;
    }
    return count > 1;
}

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Puts the smaller first, without a branch. */
static void order_two(uint32_t *a, uint32_t *b) {
    uint32_t low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

/* Sorts four boxes by their distance from the point: a key is the bits of the square (which sort like the
 * number, as it is not negative), the last two of them replaced by the box's index. That makes it at most a
 * little nearer. A network, because which is the nearest cannot be predicted. */
static void sort_boxes(const rlti_box_tree_node *node, const float point[4], uint32_t keys[WIDTH]) {
    float distance2[WIDTH];
    box_distances(node, point, distance2);
    for (uint32_t i = 0; i < WIDTH; i++)
        keys[i] = (bits_of(distance2[i]) & ~3u) | i;
    order_two(&keys[0], &keys[1]);
    order_two(&keys[2], &keys[3]);
    order_two(&keys[0], &keys[2]);
    order_two(&keys[1], &keys[3]);
    order_two(&keys[1], &keys[2]);
}

/* A node that is still to be searched. */
typedef struct entry {
    uint32_t key; /* of its distance */
    int level, node;
} entry;

static void descend(const rlti_box_tree *tree, rlti_box_tree_part part, int from, search *s) {
    entry stack[(WIDTH - 1) * RLTI_BOX_TREE_LEVELS + 1], at = {0, part.level, part.node};
    int depth = 0;
    uint32_t limit = bits_of(s->limit2), keys[WIDTH];
    for (;;) {
        /* down to a leaf, always to the nearest child */
        while (at.key <= limit && at.level > 0) {
            sort_boxes(&tree->nodes[tree->start[at.level] + at.node], s->point, keys);
            int level = at.level - 1, child = WIDTH * at.node;
            for (int i = WIDTH - 1; i > 0; i--) {
                stack[depth] = (entry){keys[i], level, child + (int)(keys[i] & 3u)};
                depth += keys[i] <= limit;
            }
            at = (entry){keys[0], level, child + (int)(keys[0] & 3u)};
        }
        if (at.key <= limit) {
            sort_boxes(&tree->nodes[at.node], s->point, keys);
            for (int i = 0; i < WIDTH && keys[i] <= limit; i++) {
                int triangle = rlti_surface_ordered(s->surface, WIDTH * at.node + (int)(keys[i] & 3u));
                if (triangle != from)
                    try_triangle(s, triangle);
                limit = bits_of(s->limit2);
            }
        }
        if (depth == 0)
            return;
        at = stack[--depth];
    }
}

rlti_box_tree_part rlti_box_tree_common(int minimum, int maximum) {
    rlti_box_tree_part part = {0, minimum / WIDTH};
    for (int last = maximum / WIDTH; part.node != last; last /= WIDTH) {
        part.level++;
        part.node /= WIDTH;
    }
    return part;
}

int rlti_box_tree_closest(const rlti_box_tree *tree, const rlti_surface *surface, const float point[3],
                          rlti_box_tree_part part, float limit, int from, int first, int *tied,
                          rlti_closest *closest) {
    double width = tree->to - tree->from;
    int rivals[RIVALS_MAX]; /* not cleared: there are many searches */
    search s = {.surface = surface,
                .point = {point[0], point[1], point[2],
                          width > 0.0 ? (float)((surface->s - tree->from) / width) : 0.0f},
                .limit2 = limit * limit,
                .best2 = FLT_MAX,
                .rivals = rivals};
    if (from >= 0)
        try_triangle(&s, from);
    descend(tree, part, from, &s);
    if (s.rival_count == 0)
        return 0;
    if (tied != NULL)
        *tied = 0;
    if (s.rival_count > 1) {
        choose(&s, first, closest);
        if (tied != NULL)
            *tied = is_tied(&s, closest);
        return 1;
    }
    *closest = s.found;
    closest->triangle = s.rivals[0];
    return 1;
}
