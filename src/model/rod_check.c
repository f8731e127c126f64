/* Grooms that Rods do not keep as they are: reported once for each hair section, with the first strand. */
#include <stdio.h>

#include "base/messages.h"
#include "groom/curve_motion.h"
#include "model/rod_model.h"
#include "scene/readers.h"

/* Strands of a section with one kind of trouble. */
typedef struct kind {
    int count, strand, point; /* the first one's */
} kind;

typedef struct findings {
    int strands, first; /* of the section */
    kind coarse, folded, few;
} findings;

static void find(kind *k, int strand, int point) {
    if (k->count++ == 0) {
        k->strand = strand;
        k->point = point;
    }
}

/* 1 where most joints turn by more than a right angle: chords that no curve has. */
static int is_coarse(const rlti_vec3 *x, int count) {
    int sharp = 0;
    for (int i = 1; i + 1 < count; i++)
        sharp += rlti_dot(rlti_sub(x[i], x[i - 1]), rlti_sub(x[i + 1], x[i])) < 0.0;
    return count > 2 && 2 * sharp > count - 2;
}

/* The first point at which a strand turns by 180 degrees: it has no binormal. 0: none. */
static int find_fold(const rlti_vec3 *x, int count) {
    for (int i = 1; i + 1 < count; i++)
        if (rlti_rod_is_folded(rlti_sub(x[i], x[i - 1]), rlti_sub(x[i + 1], x[i])))
            return i;
    return 0;
}

static void check_strand(const rlti_strands *strands, int s, findings *found) {
    const rlti_vec3 *x = strands->points + strands->first[s];
    int count = strands->first[s + 1] - strands->first[s], fold = find_fold(x, count);
    if (found->strands++ == 0)
        found->first = s;
    if (is_coarse(x, count))
        find(&found->coarse, s, 0);
    if (fold > 0)
        find(&found->folded, s, fold);
    if (count < 4)
        find(&found->few, s, 0);
}

typedef struct strand_name {
    char text[256];
} strand_name;

/* "groom.usda: /hair: curve 3", or "strand 3" of the section. */
static strand_name name_of(const rlti_strands *strands, const findings *found, int s) {
    strand_name name;
    int index = rlti_curve_source(strands, s);
    const rlt_source *source = index >= 0 ? &strands->sources[index] : NULL;
    if (source != NULL)
        snprintf(name.text, sizeof name.text, "%s: %s: curve %d", source->file, source->prim,
                 source->curve[s - source->first_strand]);
    else
        snprintf(name.text, sizeof name.text, "strand %d", s - found->first);
    return name;
}

static void report(const rlti_hair_data *hair, const rlti_strands *strands, const findings *found,
                   rlt_messages *messages) {
    const kind *k = &found->coarse;
    if (k->count > 0)
        rlti_warn(messages,
                  "%s: hair '%s': model: %s: %d of %d strands turn by more than 90 degrees at most of "
                  "their points, so their motion depends on how many there are; give curls at least 4 "
                  "points a turn (hair.points_per_turn, hair.segment or hair.resample)",
                  hair->model_place, hair->name, hair->model, k->count, found->strands);
    k = &found->few;
    if (k->count > 0 && rlti_hair_is_coil(hair))
        rlti_warn(
            messages,
            "%s: hair '%s': model: coil: %d of %d strands have fewer than 4 points (first: %s): they have no "
            "torsion to curl with; give them more (hair.points_per_turn, hair.segment, hair.total_points or "
            "hair.resample), or set "
            "hair.model to rod",
            hair->model_place, hair->name, k->count, found->strands, name_of(strands, found, k->strand).text);
    k = &found->folded;
    if (k->count > 0 && rlti_hair_is_coil(hair))
        rlti_warn(
            messages,
            "%s: hair '%s': model: coil: %d of %d strands fold back by exactly 180 degrees (first: %s, point "
            "%d), which has no plane: they unfold to any side; move the point aside a little, or resample "
            "them (hair.resample)",
            hair->model_place, hair->name, k->count, found->strands, name_of(strands, found, k->strand).text,
            k->point);
    else if (k->count > 0)
        rlti_warn(messages,
                  "%s: hair '%s': model: %s: %d of %d strands fold back by exactly 180 degrees (first: "
                  "%s, point %d), which has no side to bend to: their rest shape is straight there; move "
                  "the point aside a little, or resample them (hair.resample)",
                  hair->model_place, hair->name, hair->model, k->count, found->strands,
                  name_of(strands, found, k->strand).text, k->point);
}

void rlti_rod_check(const rlti_scene_data *scene, const rlti_strands *strands, const unsigned char *mine,
                    rlt_messages *messages) {
    for (int h = 0; h < scene->hair_count; h++) {
        findings found = {0};
        for (int s = 0; s < strands->strand_count; s++)
            if (strands->hair[s] == h && (mine == NULL || mine[s]))
                check_strand(strands, s, &found);
        report(&scene->hair[h], strands, &found, messages);
    }
}
