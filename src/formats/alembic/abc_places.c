/* Where values of parameters without a scope belong, from how many there are. */

#include "base/messages.h"
#include "formats/alembic/abc_data.h"

/* One value per end of a segment, as far as curves are drawn. */
static size_t varying_count(const rlti_prim *prim, size_t points) {
    size_t step = prim->basis == RLTI_BASIS_BEZIER ? 3 : 1;
    if (prim->curve_type == RLTI_CURVE_LINEAR || prim->wrap == RLTI_WRAP_PINNED)
        return points;
    if (prim->wrap == RLTI_WRAP_PERIODIC)
        return points / step;
    return points >= 4 ? (points - 4) / step + 2 : 2;
}

static size_t count_of(const rlti_abc_builder *b, const rlti_abc_property *p) {
    return p != NULL ? rlti_abc_value_count(&b->abc->archive, p, 0) : 0;
}

/* Counted when it is asked for: the only place that needs values. */
static size_t varying_values(const rlti_abc_builder *b, rlti_abc_places *places) {
    const rlti_abc_property *curves = places->curves;
    rlti_array counts = {0};
    places->curves = NULL;
    if (curves != NULL && curves->sample_count > 0 && curves->pod == 6 &&
        rlti_abc_value(&b->abc->archive, curves, 0, RLTI_ABC_PLAIN, &counts) == NULL)
        for (size_t i = 0; i < counts.count; i++) {
            int32_t points = ((const int32_t *)counts.data)[i];
            places->varying += varying_count(places->prim, points > 0 ? (size_t)points : 0);
        }
    rlti_array_clear(&counts);
    return places->varying;
}

rlti_abc_places rlti_abc_places_of(const rlti_abc_builder *b, const rlti_abc_property *list, int count,
                                   const rlti_prim *prim) {
    rlti_abc_places places = {.prim = prim};
    int is_mesh = prim->kind == RLTI_PRIM_MESH;
    if (!is_mesh && prim->kind != RLTI_PRIM_CURVES)
        return places;
    const rlti_abc_property *parts = rlti_abc_find(list, count, is_mesh ? ".faceCounts" : "nVertices");
    places.is_shape = 1;
    places.points = count_of(b, rlti_abc_find(list, count, "P"));
    places.parts = count_of(b, parts);
    if (is_mesh)
        places.corners = count_of(b, rlti_abc_find(list, count, ".faceIndices"));
    else
        places.curves = parts;
    return places;
}

static void report_unplaced(rlti_abc_builder *b, const rlti_abc_places *places, const char *name,
                            size_t count, rlti_interpolation taken) {
    if (b->unplaced++ > 0) /* their number is reported at the end */
        return;
    rlti_warn(b->messages,
              "%s: %s.%s: states no scope, and its %zu values fit neither %zu points nor %zu %s: taken as "
              "%s values; export it with a scope",
              b->stage->file, b->path, name, count, places->points, places->parts,
              places->prim->kind == RLTI_PRIM_MESH ? "faces" : "curves",
              taken == RLTI_CONSTANT ? "constant" : "the schema's usual");
}

rlti_interpolation rlti_abc_guess_place(rlti_abc_builder *b, const rlti_abc_property *p, int per_place,
                                        const char *name, rlti_abc_places *places,
                                        rlti_interpolation otherwise) {
    size_t count = p->kind == RLTI_ABC_SCALAR ? 1 : count_of(b, p), each = (size_t)per_place;
    if (!places->is_shape || count == 0)
        return otherwise;
    if (count == each)
        return RLTI_CONSTANT;
    if (count % each == 0) {
        if (count / each == places->points)
            return RLTI_VERTEX;
        if (count / each == places->corners)
            return RLTI_FACE_VARYING;
        if (count / each == places->parts)
            return RLTI_UNIFORM;
        if (count / each == varying_values(b, places))
            return RLTI_VARYING;
    }
    report_unplaced(b, places, name, count, otherwise);
    return otherwise;
}

void rlti_abc_report_more_unplaced(const rlti_abc_builder *b) {
    if (b->unplaced > 1)
        rlti_warn(b->messages, "%s: %d more parameter%s without a scope whose values fit no place",
                  b->stage->file, b->unplaced - 1, b->unplaced == 2 ? "" : "s");
}
