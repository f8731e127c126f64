#include "contact/patches.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* So many patches keep the lists of the grid's cells about as long as those of a head of 6,000 triangles. */
enum { MOST_PATCHES = 16384 };

int rlti_patch_size(int triangle_count) {
    int size = 1;
    while (triangle_count / size > MOST_PATCHES)
        size *= 2;
    return size;
}

typedef struct place {
    uint32_t code; /* along the Morton curve */
    int triangle;
} place;

static int compare_places(const void *left, const void *right) {
    const place *a = left, *b = right;
    if (a->code != b->code)
        return a->code < b->code ? -1 : 1;
    return a->triangle < b->triangle ? -1 : (a->triangle > b->triangle ? 1 : 0);
}

/* Three times the centroid, so that no division is needed. */
static rlti_vec3 triple_centroid(const rlti_mesh *mesh, int triangle) {
    const int *v = mesh->triangles[triangle];
    return rlti_add(mesh->vertices[v[0]], rlti_add(mesh->vertices[v[1]], mesh->vertices[v[2]]));
}

/* Ten bits for a coordinate, two bits apart. What is not finite goes to an end. */
static uint32_t spaced_bits(double from_low, double scale) {
    double at = from_low * scale;
    uint32_t bits = at >= 0.0 ? (at < 1023.0 ? (uint32_t)at : 1023u) : 0u;
    bits = (bits | bits << 16) & 0x030000ffu;
    bits = (bits | bits << 8) & 0x0300f00fu;
    bits = (bits | bits << 4) & 0x030c30c3u;
    return (bits | bits << 2) & 0x09249249u;
}

int rlti_patch_order(const rlti_mesh *mesh, int (*triangles)[3]) {
    int count = mesh->triangle_count;
    place *places = RLTI_NEW(place, count);
    rlti_vec3 low = rlti_v3(DBL_MAX, DBL_MAX, DBL_MAX);
    rlti_vec3 high = rlti_v3(-DBL_MAX, -DBL_MAX, -DBL_MAX);
    if (places == NULL)
        return 0;
    for (int t = 0; t < count; t++) {
        rlti_vec3 c = triple_centroid(mesh, t);
        low = rlti_v3(c.x < low.x ? c.x : low.x, c.y < low.y ? c.y : low.y, c.z < low.z ? c.z : low.z);
        high = rlti_v3(c.x > high.x ? c.x : high.x, c.y > high.y ? c.y : high.y, c.z > high.z ? c.z : high.z);
    }
    /* one scale for all axes: patches as round as the curve makes them */
    rlti_vec3 size = rlti_sub(high, low);
    double widest = size.x > size.y ? size.x : size.y;
    widest = widest > size.z ? widest : size.z;
    double scale = widest > 0.0 ? 1024.0 / widest : 0.0;
    for (int t = 0; t < count; t++) {
        rlti_vec3 c = rlti_sub(triple_centroid(mesh, t), low);
        places[t].code =
            spaced_bits(c.x, scale) | spaced_bits(c.y, scale) << 1 | spaced_bits(c.z, scale) << 2;
        places[t].triangle = t;
    }
    qsort(places, (size_t)count, sizeof *places, compare_places);
    for (int i = 0; i < count; i++)
        memcpy(triangles[i], mesh->triangles[places[i].triangle], sizeof(int[3]));
    rlti_free(places);
    return 1;
}
