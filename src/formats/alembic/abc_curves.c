/* Pinned curves in a format without them. They become straight pieces to both ends: programs disagree on
 * where an open cubic curve ends (renderers leave the outer segments out, Blender draws a NURBS curve from
 * end to end, Unreal joins the points), and on straight pieces alone they agree. Counts, and so every other
 * attribute, stay what they are; phantom points would be hair to half of these programs. */
#include <string.h>

#include "base/memory.h"
#include "formats/alembic/abc_out.h"

const char rlti_abc_was_pinned[] = "catmullRomPinned";

int rlti_abc_is_straightened(const rlti_prim *prim) {
    return prim->kind == RLTI_PRIM_CURVES && prim->curve_type == RLTI_CURVE_CUBIC &&
           prim->wrap == RLTI_WRAP_PINNED &&
           (prim->basis == RLTI_BASIS_CATMULL_ROM || prim->basis == RLTI_BASIS_BSPLINE);
}

int rlti_abc_has_joints(const rlti_prim *prim) {
    return rlti_abc_is_straightened(prim) && prim->basis == RLTI_BASIS_BSPLINE;
}

int rlti_abc_needs_joints(const rlti_prim *prim, const rlti_attribute *a) {
    if (!rlti_abc_has_joints(prim) || a->is_index || a->indices >= 0 || a->type.arity != 3 ||
        (a->type.element != RLTI_FLOAT && a->type.element != RLTI_DOUBLE))
        return 0;
    if (a->class_ == RLTI_BUILT_IN)
        return strcmp(a->name, "points") == 0 || strcmp(a->name, "velocities") == 0;
    return a->class_ == RLTI_PRIMVAR && a->type.role == RLTI_ROLE_POINT && a->interpolation == RLTI_VERTEX;
}

/* Phantom points 2 P0 - P1 make a pinned B-spline start in P0, so that ends stay where they are. */
static void set_joints(const double *p, size_t count, double *to) {
    for (size_t i = 0; i < 3 * count; i++)
        to[i] = i < 3 || i + 3 >= 3 * count ? p[i] : (p[i - 3] + 4.0 * p[i] + p[i + 3]) / 6.0;
}

int rlti_abc_joints(const rlti_array *value, const rlti_array *counts, rlti_array *scratch) {
    const int32_t *curves = counts->data;
    const rlti_array_type type = {RLTI_DOUBLE, 3, value->type.role, 1};
    size_t at = 0;
    double *points = RLTI_NEW(double, 3 * value->count);
    double *to = rlti_array_reserve(scratch, type, value->count);
    int made = points == NULL || to == NULL ? 0 : rlti_array_to_doubles(value, points) ? 1 : -1;
    for (size_t c = 0; c < counts->count && made > 0; c++) {
        size_t count = curves[c] > 0 ? (size_t)curves[c] : 0;
        if (curves[c] < 0 || count > value->count - at) {
            made = -1;
            break;
        }
        set_joints(points + 3 * at, count, to + 3 * at);
        at += count;
    }
    rlti_free(points);
    return made > 0 && at != value->count ? -1 : made;
}
