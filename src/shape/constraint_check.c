/* Constraints that fight: reported before the run, with both places in the scene. */
#include <math.h>

#include "base/memory.h"
#include "base/messages.h"
#include "scene/readers.h"
#include "shape/constraint_data.h"

/* 1 when both have weight at some time of the scene: at a key of either, or in the middle between two. */
static int act_together(const rlti_scene_data *scene, const rlti_constraint_data *x,
                        const rlti_constraint_data *y) {
    const rlti_track *a = &x->weight, *b = &y->weight, *tracks[2] = {a, b};
    double first = scene->time.first - scene->time.preroll, last = scene->time.last, span[2][2];
    rlti_constraint_span(x, span[0]);
    rlti_constraint_span(y, span[1]);
    first = fmax(first, fmax(span[0][0], span[1][0]));
    last = fmin(last, fmin(span[0][1], span[1][1]));
    if (first > last)
        return 0;
    if ((rlti_track_at(a, first) > 0.0 && rlti_track_at(b, first) > 0.0) ||
        (rlti_track_at(a, last) > 0.0 && rlti_track_at(b, last) > 0.0))
        return 1;
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < tracks[t]->count; i++)
            for (int side = -1; side <= 1;
                 side++) { /* at the key and beside it: weights are linear between keys */
                double frame = tracks[t]->key[i][0] + 0.01 * side;
                if (frame >= first && frame <= last && rlti_track_at(a, frame) > 0.0 &&
                    rlti_track_at(b, frame) > 0.0)
                    return 1;
            }
    return 0;
}

/* Whether it holds some points hard; a blend does so where its ramp is 1. */
static int is_hard(const rlti_constraint_data *data) {
    return data->enabled && (data->hard || data->kind == RLTI_CONSTRAINT_BLEND);
}

/* Points that two constraints both hold hard; those of them that both hold in place; the first strand of
 * each.
 */
typedef struct shared {
    int points, places;
    int strand, place_strand;
} shared;

static int is_place(const rlti_hold_entry *entry) {
    return entry->kind == RLTI_HARD_PLACE;
}

/* A point may have several holds of one constraint (ties): `marks` [longest], all 0, counts it once. */
static shared find_shared(const rlti_holds *h, int a, int b, unsigned char *marks) {
    enum { HELD = 1, IN_PLACE = 2 };
    shared found = {0};
    for (int s = 0; s < h->def.strands->strand_count; s++) {
        for (int e = h->first[s]; e < h->first[s + 1]; e++) {
            const rlti_hold_entry *x = &h->entries[e];
            if (x->constraint == a && x->kind != RLTI_SOFT_PLACE)
                marks[x->point] = is_place(x) ? IN_PLACE : HELD;
            if (x->constraint != b || x->kind == RLTI_SOFT_PLACE || marks[x->point] == 0) /* a is before b */
                continue;
            found.strand = found.points++ == 0 ? s : found.strand;
            if (is_place(x) && marks[x->point] == IN_PLACE)
                found.place_strand = found.places++ == 0 ? s : found.place_strand;
            marks[x->point] = 0;
        }
        for (int e = h->first[s]; e < h->first[s + 1]; e++)
            marks[h->entries[e].point] = 0;
    }
    return found;
}

/* The hold of a constraint's groups that exceeds its limit most, by a factor; NULL: none does. */
static const rlti_hold_entry *find_limited(const rlti_holds *h, int constraint, double *factor) {
    const rlti_hold_entry *worst = NULL;
    *factor = 1.0001;
    for (int e = 0; e < h->entry_count; e++) {
        const rlti_hold_entry *entry = &h->entries[e];
        double wanted = (double)entry->share * h->def.scene->constraints[constraint].stiffness;
        if (entry->constraint != constraint || wanted <= *factor * rlti_hold_limit(h, entry))
            continue;
        *factor = wanted / rlti_hold_limit(h, entry);
        worst = entry;
    }
    return worst;
}

/* Warns where groups are softer than the scene says. */
static void warn_of_limit(const rlti_holds *h, rlt_messages *messages) {
    const rlti_scene_data *scene = h->def.scene;
    for (int c = 0; c < scene->constraint_count; c++) {
        double factor;
        const rlti_hold_entry *entry = find_limited(h, c, &factor);
        if (entry == NULL)
            continue;
        double maximum = rlti_hold_limit(h, entry), steps = sqrt(factor) * scene->time.outer_steps;
        int live = h->groups[entry->group].solver != NULL;
        rlti_warn(messages, "%s: constraint '%s': stiffness = %g /s^2 acts as %g: %s; raise %s to %.0f",
                  scene->constraints[c].place, scene->constraints[c].name, factor * maximum, maximum,
                  live ? "a group takes no more in a step of this length"
                       : "the middle of a group is known once a step",
                  rlti_outer_steps_key(scene), ceil(steps - 1e-9));
    }
}

rlt_status rlti_holds_check(const rlti_holds *h, rlt_messages *messages) {
    const rlti_scene_data *scene = h->def.scene;
    rlt_status status = RLT_OK;
    warn_of_limit(h, messages);
    unsigned char *marks = RLTI_NEW(unsigned char, h->longest);
    if (marks == NULL)
        return rlti_out_of_memory(messages);
    for (int a = 0; a < scene->constraint_count; a++)
        for (int b = a + 1; b < scene->constraint_count; b++) {
            const rlti_constraint_data *x = &scene->constraints[a], *y = &scene->constraints[b];
            if (!is_hard(x) || !is_hard(y) || !act_together(scene, x, y))
                continue;
            shared both = find_shared(h, a, b, marks);
            if (both.places > 0)
                status = rlti_refuse(
                    messages,
                    "%s: constraint '%s' conflicts with '%s' (%s): both hold %d points in place, hard, at "
                    "the same time (first in strand %d); make one soft, or give them weights in turn",
                    y->place, y->name, x->name, x->place, both.places, both.place_strand);
            else if (both.points > 0)
                rlti_warn(
                    messages,
                    "%s: constraint '%s' may conflict with '%s' (%s): both hold %d points hard (first in "
                    "strand %d); where they disagree, the one in place wins, or the later one",
                    y->place, y->name, x->name, x->place, both.points, both.strand);
        }
    rlti_free(marks);
    return status;
}
