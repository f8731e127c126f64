#include "shape/select.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/messages.h"

/* Filters of the choice, in the order in which it is asked. */
typedef struct counts {
    int hair, region, range; /* strands left */
} counts;

void rlti_selection_free(rlti_selection *selection) {
    RLTI_FREE(selection->point, selection->strand, selection->share);
    memset(selection, 0, sizeof *selection);
}

int rlti_select_region(const rlti_body *body, const rlti_constraint_data *constraint, const char *key,
                       const char *name, rlt_messages *messages, uint32_t *bit) {
    const rlti_mesh *mesh = rlti_body_mesh(body);
    int region = rlti_body_region(body, name);
    char list[256] = "";
    if (region >= 0) {
        *bit = (uint32_t)1 << region;
        return 1;
    }
    for (int r = 0; r < mesh->region_count; r++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", r > 0 ? ", " : "", mesh->region_names[r].name);
    }
    rlti_refuse(messages, "%s: constraint '%s': %s = %s: no such region of the body; known: %s",
                constraint->place, constraint->name, key, name, list[0] != '\0' ? list : "none");
    return 0;
}

static int is_chosen(const rlti_scene_data *scene, const rlti_body *body, const rlti_strands *strands,
                     const rlti_constraint_data *constraint, uint32_t bit, int strand, int in_section,
                     counts *left) {
    const rlti_root *root = &strands->roots[strand];
    if (!rlti_constraint_chooses(constraint, scene->hair[strands->hair[strand]].name))
        return 0;
    left->hair++;
    if (bit != 0 && (root->triangle < 0 || !(rlti_body_mesh(body)->regions[root->triangle] & bit)))
        return 0;
    left->region++;
    if (in_section < constraint->first_strand ||
        (constraint->last_strand >= 0 && in_section > constraint->last_strand))
        return 0;
    left->range++;
    return 1;
}

/* Of hair that is tied: the last point in the tie, to which all before it are held with it; where none is
 * within, the one that comes nearest. The root where the strand does not go there. */
static int last_tied(const rlti_vec3 *points, int first, int end, const double ball[4]) {
    const double beside = 2.5; /* radii */
    int last = first, nearest = first;
    double distance = beside * ball[3];
    for (int p = first + 1; p < end; p++) {
        double d = rlti_length(rlti_sub(points[p], rlti_v3(ball[0], ball[1], ball[2])));
        if (d <= ball[3])
            last = p;
        if (d < distance) {
            distance = d;
            nearest = p;
        }
    }
    return last > first ? last : nearest;
}

/* The points of one strand. */
static void take_strand(const rlti_strands *strands, const rlti_constraint_data *constraint, int strand,
                        rlti_selection *selection) {
    const rlti_vec3 *points = strands->points;
    int first = strands->first[strand], end = strands->first[strand + 1];
    double length = rlti_points_length(points + first, end - first), at = 0.0;
    int tied = constraint->ball[3] > 0.0 ? last_tied(points, first, end, constraint->ball) : end;
    for (int p = first + 1; p < end; p++) {
        at += rlti_length(rlti_sub(points[p], points[p - 1]));
        double along = p + 1 == end ? 1.0 : at / length;
        /* the tip is the tip, whatever rounding makes of the sum */
        if (along < constraint->along[0] - 1e-9 || along > constraint->along[1] + 1e-9)
            continue;
        if (p > tied)
            break;
        double share = rlti_strands_value(strands, &constraint->ramp, p, along);
        if (!(share > 0.0))
            continue;
        selection->point[selection->count] = p;
        selection->strand[selection->count] = strand;
        selection->share[selection->count++] = share;
    }
}

static rlt_status refuse_empty(const rlti_constraint_data *constraint, const counts *left,
                               rlt_messages *messages) {
    char why[200];
    if (left->hair == 0)
        snprintf(why, sizeof why, "its hair has no strands");
    else if (left->region == 0)
        snprintf(why, sizeof why, "none of %d strands grows on region %s", left->hair, constraint->region);
    else if (left->range == 0)
        snprintf(why, sizeof why, "none of %d strands is within first_strand %d and last_strand %d",
                 left->region, constraint->first_strand, constraint->last_strand);
    else
        snprintf(why, sizeof why, "no point of %d strands is within along with a ramp above 0", left->range);
    return rlti_refuse(messages, "%s: constraint '%s' chooses no points: %s", constraint->place,
                       constraint->name, why);
}

rlt_status rlti_select(const rlti_scene_data *scene, const rlti_body *body, const rlti_strands *strands,
                       const rlti_constraint_data *constraint, rlt_messages *messages,
                       rlti_selection *selection) {
    uint32_t bit = 0;
    counts left = {0};
    memset(selection, 0, sizeof *selection);
    if (constraint->region[0] != '\0' &&
        !rlti_select_region(body, constraint, "region", constraint->region, messages, &bit))
        return RLT_BAD_INPUT;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(selection->point, strands->point_count),
                       RLTI_ITEMS(selection->strand, strands->point_count),
                       RLTI_ITEMS(selection->share, strands->point_count))) {
        rlti_selection_free(selection);
        return rlti_out_of_memory(messages);
    }
    for (int s = 0, in_section = 0; s < strands->strand_count; s++, in_section++) {
        const rlti_hair_data *hair = &scene->hair[strands->hair[s]];
        if (s > 0 && strands->hair[s] != strands->hair[s - 1])
            in_section = 0;
        if (!is_chosen(scene, body, strands, constraint, bit, s, in_section, &left))
            continue;
        if (constraint->ramp.attribute[0] != '\0' && hair->file[0] == '\0') {
            rlti_selection_free(selection);
            return rlti_refuse(
                messages,
                "%s: constraint '%s': ramp = attribute:%s: hair '%s' is not from a file: generated "
                "strands have no attributes",
                constraint->place, constraint->name, constraint->ramp.attribute, hair->name);
        }
        take_strand(strands, constraint, s, selection);
    }
    if (selection->count > 0)
        return RLT_OK;
    rlti_selection_free(selection);
    return refuse_empty(constraint, &left, messages);
}
