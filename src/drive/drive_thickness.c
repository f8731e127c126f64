/* How far each point stays from bodies: less than hair.thickness where the groom lies closer. */
#include "base/messages.h"
#include "drive/drive_data.h"
#include "scene/readers.h"

/* Points of the groom inside colliders. */
typedef struct inside_count {
    int points, strands, through; /* through: strands that pass a sheet */
    int first, first_through;     /* strands */
} inside_count;

/* Hair grows out of the surface: a point that is groomed closer than the thickness keeps its groomed
 * distance, or it would be pushed out of its rest pose. So does one inside, unless it is to be pushed out:
 * then only as far as its own length reaches from the root. Free hair grows out of nothing. */
static double rest_thickness(const rlti_hair_data *hair, double distance, double from_root) {
    if (rlti_hair_root_is_free(hair) && hair->inside == RLTI_INSIDE_PUSH)
        return hair->thickness;
    if (distance >= 0.0 || hair->inside == RLTI_INSIDE_LEAVE)
        return distance;
    return from_root < hair->thickness ? from_root : hair->thickness;
}

static void set_strand(rlti_drive *d, int s, inside_count *count) {
    int section = d->def.strands->hair[s], first = d->def.strands->first[s],
        last = d->def.strands->first[s + 1];
    const rlti_hair_data *hair = &d->def.scene->hair[section];
    const rlti_vec3 *points = d->def.strands->points;
    int collide = hair->collide && rlti_colliders_count(d->colliders) > 0, inside = 0;
    double from_root = 0.0;
    for (int p = first; p < last; p++) {
        double distance = hair->thickness;
        if (p > first)
            from_root += rlti_length(rlti_sub(points[p], points[p - 1]));
        if (collide)
            distance =
                rlti_colliders_distance(d->colliders, section, points[p], hair->thickness, &d->home[p]);
        /* the first few points are at the skin; what lies clearly below it is worth a warning */
        inside += distance < -0.1 * hair->thickness && p > first;
        d->thickness[p] = (float)rest_thickness(hair, distance, from_root);
        d->widths[p] = d->def.strands->widths != NULL && d->def.strands->widths[p] > 0.0
                           ? d->def.strands->widths[p]
                           : hair->width;
    }
    if (inside > 0 && count->strands++ == 0)
        count->first = s;
    count->points += inside;
    if (!collide ||
        !rlti_colliders_pass_through(d->colliders, section, last - first, points + first, hair->thickness))
        return;
    d->any_side[s] = hair->inside == RLTI_INSIDE_LEAVE;
    if (count->through++ == 0)
        count->first_through = s;
}

void rlti_drive_set_thickness(rlti_drive *d, rlt_messages *messages) {
    rlti_colliders_pose_rest(d->colliders);
    for (int h = 0; h < d->def.scene->hair_count; h++) {
        const rlti_hair_data *hair = &d->def.scene->hair[h];
        const char *answer =
            hair->inside == RLTI_INSIDE_LEAVE
                ? "they keep their groomed depth; move the collider, or set hair.collide.inside to push"
                : "they are pushed out gently";
        inside_count count = {0};
        for (int s = 0; s < d->def.matter->strand_count; s++)
            if (d->def.strands->hair[s] == h)
                set_strand(d, s, &count);
        if (count.points > 0)
            rlti_warn(
                messages,
                "%s: hair '%s': %d point%s of %d strand%s %s inside a collider (first in strand %d); %s",
                d->def.file, hair->name, count.points, count.points == 1 ? "" : "s", count.strands,
                count.strands == 1 ? "" : "s", count.points == 1 ? "lies" : "lie", count.first, answer);
        if (count.through > 0)
            rlti_warn(messages, "%s: hair '%s': %d strands pass through a sheet (first strand %d); %s",
                      d->def.file, hair->name, count.through, count.first_through,
                      hair->inside == RLTI_INSIDE_LEAVE ? "they may stay so" : "they are led back gently");
    }
}
