#include "contact/body/patches.h"

#include <float.h>

#include "base/memory.h"

/* So many patches keep the lists of the grid's cells about as long as those of a head of 6,000 triangles. */
enum { PATCHES_MAX = 16384 };

enum { RUN = 4 }; /* the shortest run whose triangles lie together */

int rlti_patch_size(int triangle_count) {
    int size = 1;
    while (triangle_count / size > PATCHES_MAX)
        size *= 2;
    return size;
}

/* A triangle while the order is made. */
typedef struct item {
    float at[3]; /* three times the centroid, which needs no division */
    int triangle;
} item;

static int comes_before(const item *a, const item *b, int axis) {
    return a->at[axis] < b->at[axis] || (a->at[axis] == b->at[axis] && a->triangle < b->triangle);
}

static void swap(item *a, item *b) {
    item kept = *a;
    *a = *b;
    *b = kept;
}

/* Puts the `first_count` lowest along the axis first (Hoare's selection, median of three). The order among
 * equals is total, so the two sets, though not the order within them, are the same however it is done. */
static void select_lowest(item *items, int count, int first_count, int axis) {
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (comes_before(&items[middle], &items[low], axis))
            swap(&items[middle], &items[low]);
        if (comes_before(&items[high], &items[low], axis))
            swap(&items[high], &items[low]);
        if (comes_before(&items[high], &items[middle], axis))
            swap(&items[high], &items[middle]);
        item pivot = items[middle];
        int i = low, j = high;
        while (i <= j) {
            while (comes_before(&items[i], &pivot, axis))
                i++;
            while (comes_before(&pivot, &items[j], axis))
                j--;
            if (i <= j)
                swap(&items[i++], &items[j--]);
        }
        if (first_count <= j)
            high = j;
        else if (first_count >= i)
            low = i;
        else
            return;
    }
}

static int widest_axis(const item *items, int count) {
    float minimum[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, maximum[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            minimum[k] = items[i].at[k] < minimum[k] ? items[i].at[k] : minimum[k];
            maximum[k] = items[i].at[k] > maximum[k] ? items[i].at[k] : maximum[k];
        }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (maximum[k] - minimum[k] > maximum[axis] - minimum[axis])
            axis = k;
    return axis;
}

/* Splits along the widest axis until runs are short enough. The first part is a full run, twice as long as
 * that of the next split, so that runs begin at multiples of their length. */
static void split(item *items, int count) {
    while (count > RUN) {
        int half = RUN;
        while (2 * (long long)half < count)
            half *= 2;
        select_lowest(items, count, half, widest_axis(items, count));
        split(items, half);
        items += half;
        count -= half;
    }
}

/* Comparisons need numbers: what is not finite goes to an end. */
static float finite(double x) {
    return x > -1e30 ? (x < 1e30 ? (float)x : 1e30f) : -1e30f;
}

int rlti_patch_order(const rlti_mesh *mesh, int *order) {
    int count = mesh->triangle_count;
    item *items = RLTI_NEW(item, count);
    if (items == NULL)
        return 0;
    for (int t = 0; t < count; t++) {
        const int *v = mesh->triangles[t];
        rlti_vec3 sum = rlti_add(mesh->vertices[v[0]], rlti_add(mesh->vertices[v[1]], mesh->vertices[v[2]]));
        items[t] = (item){{finite(sum.x), finite(sum.y), finite(sum.z)}, t};
    }
    split(items, count);
    for (int i = 0; i < count; i++)
        order[i] = items[i].triangle;
    rlti_free(items);
    return 1;
}
