#include "geometry/triangulate.h"

#include "base/math.h"

enum { EARS_MAX = 2000 }; /* corners; larger polygons are fans: cutting ears takes their square */

static rlti_vec3 at(const double (*points)[3], int i) {
    return rlti_v3(points[i][0], points[i][1], points[i][2]);
}

/* Newell's normal: right for polygons that are neither flat nor convex. */
static rlti_vec3 normal_of(const double (*points)[3], const int *corners, int count) {
    rlti_vec3 sum = {0, 0, 0}, origin = at(points, corners[0]);
    for (int i = 0; i < count; i++) {
        rlti_vec3 a = rlti_sub(at(points, corners[i]), origin);
        rlti_vec3 b = rlti_sub(at(points, corners[(i + 1) % count]), origin);
        sum = rlti_add(sum, rlti_cross(a, b));
    }
    return sum;
}

/* Twice the area of a, b, c seen along the normal; > 0 where it turns with it. */
static double turn(rlti_vec3 normal, rlti_vec3 a, rlti_vec3 b, rlti_vec3 c) {
    return rlti_dot(normal, rlti_cross(rlti_sub(b, a), rlti_sub(c, a)));
}

static void fan(int count, int (*triangles)[3]) {
    for (int i = 0; i + 2 < count; i++) {
        triangles[i][0] = 0;
        triangles[i][1] = i + 1;
        triangles[i][2] = i + 2;
    }
}

typedef struct polygon {
    const double (*points)[3];
    const int *corners;
    int *next, *previous;
    rlti_vec3 normal;
} polygon;

static rlti_vec3 corner(const polygon *p, int i) {
    return at(p->points, p->corners[i]);
}

/* Turns with the polygon, and no other corner lies in it. */
static int is_ear(const polygon *p, int i) {
    int before = p->previous[i], after = p->next[i];
    rlti_vec3 a = corner(p, before), b = corner(p, i), c = corner(p, after);
    if (!(turn(p->normal, a, b, c) > 0.0))
        return 0;
    for (int k = p->next[after]; k != before; k = p->next[k]) {
        rlti_vec3 v = corner(p, k);
        if (p->corners[k] != p->corners[before] && p->corners[k] != p->corners[i] &&
            p->corners[k] != p->corners[after] && turn(p->normal, a, b, v) >= 0.0 &&
            turn(p->normal, b, c, v) >= 0.0 && turn(p->normal, c, a, v) >= 0.0)
            return 0;
    }
    return 1;
}

void rlti_triangulate(const double (*points)[3], const int *corners, int count, int *scratch,
                      int (*triangles)[3]) {
    polygon p = {points, corners, scratch, scratch + count, {0, 0, 0}};
    int is_convex = 1;
    if (count > 3 && count <= EARS_MAX) {
        p.normal = normal_of(points, corners, count);
        for (int i = 0; i < count && is_convex; i++)
            is_convex = turn(p.normal, at(points, corners[i]), at(points, corners[(i + 1) % count]),
                             at(points, corners[(i + 2) % count])) >= 0.0;
    }
    if (is_convex) {
        fan(count, triangles);
        return;
    }
    for (int i = 0; i < count; i++) {
        p.next[i] = (i + 1) % count;
        p.previous[i] = (i + count - 1) % count;
    }
    int left = count, made = 0, checked = 0;
    for (int i = 0; left > 3; i = p.next[i]) {
        /* where no corner is an ear (a polygon that crosses itself) any goes */
        if (checked < left && !is_ear(&p, i)) {
            checked++;
            continue;
        }
        triangles[made][0] = p.previous[i];
        triangles[made][1] = i;
        triangles[made++][2] = p.next[i];
        p.next[p.previous[i]] = p.next[i];
        p.previous[p.next[i]] = p.previous[i];
        left--;
        checked = 0;
    }
    int i = triangles[made - 1][0]; /* still there: the corner before the last one cut */
    triangles[made][0] = i;
    triangles[made][1] = p.next[i];
    triangles[made][2] = p.next[p.next[i]];
}
