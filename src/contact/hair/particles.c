#include "contact/hair/particles.h"

#include "base/memory.h"
#include "base/messages.h"
#include "base/number.h"
#include "scene/readers.h"

void rlti_particles_destroy(rlti_particles *particles) {
    if (particles == NULL)
        return;
    RLTI_FREE(particles->first, particles->point, particles->strand, particles->radius,
              particles->inverse_mass, particles->rest, particles);
}

/* The radius of every point of one strand; 0: no contacts there. Ramps run over the rest length. */
static void find_radii(const rlti_strands *strands, const rlti_hair_data *hair, int first, int points,
                       const double *edges, double *radii) {
    double length = 0.0, along = 0.0;
    for (int i = 0; i + 1 < points; i++)
        length += edges[i];
    for (int i = 0; i < points; i++) {
        double radius = rlti_strands_value(strands, &hair->contact_radius, first + i,
                                           length > 0.0 ? along / length : 0.0);
        radii[i] = hair->contact && radius > 0.0 ? radius : 0.0;
        along += i + 1 < points ? edges[i] : 0.0;
    }
}

void rlti_particles_radii(const rlti_scene_data *scene, const rlti_strands *strands,
                          const rlti_matter *matter, double *radii) {
    for (int s = 0; s < strands->strand_count; s++) {
        int first = strands->first[s];
        find_radii(strands, &scene->hair[strands->hair[s]], first, rlti_matter_points(matter, s),
                   matter->rest + first, radii + first);
    }
}

/* Equation 6: from a kept point j on, the next one kept is the first k whose distance along the hair is more
 * than s (r_j + r_k). The root is always kept. */
static void keep_points(double sparsity, int points, const double *edges, const double *radii,
                        unsigned char *kept) {
    int j = 0;
    double distance = 0.0;
    kept[0] = 1;
    for (int k = 1; k < points; k++) {
        distance += edges[k - 1];
        kept[k] = distance > sparsity * (radii[j] + radii[k]);
        if (kept[k]) {
            j = k;
            distance = 0.0;
        }
    }
}

static void add_particle(rlti_particles *made, const rlti_strands *strands, const rlti_matter *matter, int s,
                         int i, double radius) {
    int p = strands->first[s] + i, n = made->count++;
    made->point[n] = i;
    made->strand[n] = s;
    made->radius[n] = (float)radius;
    /* the root is carried by the scalp: contacts cannot move it */
    made->inverse_mass[n] = i > 0 ? (float)(1.0 / matter->mass[p]) : 0.0f;
    made->rest[n] = strands->points[p];
    made->largest = radius > made->largest ? radius : made->largest;
}

/* Strands of a section of which contacts move nothing: their root alone is kept. */
typedef struct rooted {
    int strands, lost;
    double length, radius; /* of those lost: the sum of lengths, the greatest radius [unit] */
} rooted;

static void count_rooted(const rlti_particles *made, int s, int points, const double *edges,
                         const double *radii, rooted *count) {
    double length = 0.0, radius = 0.0;
    int moved = 0;
    for (int n = made->first[s]; n < made->count; n++)
        moved += made->point[n] > 0;
    for (int i = 1; i < points; i++) {
        length += edges[i - 1];
        radius = radii[i] > radius ? radii[i] : radius;
    }
    count->strands++;
    if (moved > 0 || !(radius > 0.0))
        return;
    count->lost++;
    count->length += length;
    count->radius = radius > count->radius ? radius : count->radius;
}

/* Whether hair of the scene pushes this hair by springs, which have particles; contacts that are solved have
 * edges. */
static int meets_springs(const rlti_scene_data *scene, const rlti_hair_data *hair) {
    int count = 0;
    for (int h = 0; h < scene->hair_count; h++)
        count += scene->hair[h].contact && !rlti_hair_solves_with(hair, &scene->hair[h]);
    return count > 0;
}

/* A few short hairs among others are no mistake. */
static void warn_of_rooted(const rlti_scene_data *scene, const rooted *counts, rlt_messages *messages) {
    for (int h = 0; h < scene->hair_count; h++) {
        const rlti_hair_data *hair = &scene->hair[h];
        const rooted *c = &counts[h];
        char radius[32], length[32];
        if (2 * c->lost <= c->strands || c->strands < 2 || !meets_springs(scene, hair))
            continue;
        rlti_number_short(c->radius, radius, sizeof radius);
        rlti_number_short(c->length / c->lost, length, sizeof length);
        rlti_message(messages, RLT_WARNING,
                     "%s: hair '%s': contact.radius of up to %s units beside strands of %s: pruning leaves "
                     "nothing but the root of %d of %d strands, so other hair does not push them; lower "
                     "contact.radius or prune.sparsity, or set prune.particles to off",
                     hair->contact_place, hair->name, radius, length, c->lost, c->strands);
    }
}

static int allocate(rlti_particles *made, int strands, int points) {
    made->strand_count = strands;
    made->first = RLTI_NEW(int, strands + 1);
    made->point = RLTI_NEW(int, points);
    made->strand = RLTI_NEW(int, points);
    made->radius = RLTI_NEW(float, points);
    made->inverse_mass = RLTI_NEW(float, points);
    made->rest = RLTI_NEW(rlti_vec3, points);
    return made->first != NULL && made->point != NULL && made->strand != NULL && made->radius != NULL &&
           made->inverse_mass != NULL && made->rest != NULL;
}

rlt_status rlti_particles_create(const rlti_scene_data *scene, const rlti_strands *strands,
                                 const rlti_matter *matter, rlt_messages *messages,
                                 rlti_particles **particles) {
    rlti_particles *made = RLTI_NEW(rlti_particles, 1);
    double *radii = RLTI_NEW(double, strands->point_count);
    unsigned char *kept = RLTI_NEW(unsigned char, strands->point_count);
    rooted *counts = RLTI_NEW(rooted, scene->hair_count);
    *particles = NULL;
    if (made == NULL || radii == NULL || kept == NULL || counts == NULL ||
        !allocate(made, strands->strand_count, strands->point_count)) {
        rlti_particles_destroy(made);
        RLTI_FREE(radii, kept, counts);
        return rlti_out_of_memory(messages);
    }
    for (int s = 0; s < strands->strand_count; s++) {
        const rlti_hair_data *hair = &scene->hair[strands->hair[s]];
        int points = rlti_matter_points(matter, s);
        const double *edges = matter->rest + strands->first[s];
        find_radii(strands, hair, strands->first[s], points, edges, radii);
        keep_points(hair->prune_particles ? hair->prune_sparsity : -1.0, points, edges, radii, kept);
        made->first[s] = made->count;
        for (int i = 0; i < points; i++) {
            made->candidates += radii[i] > 0.0;
            if (kept[i] && radii[i] > 0.0)
                add_particle(made, strands, matter, s, i, radii[i]);
        }
        count_rooted(made, s, points, edges, radii, &counts[strands->hair[s]]);
    }
    made->first[strands->strand_count] = made->count;
    warn_of_rooted(scene, counts, messages);
    RLTI_FREE(radii, kept, counts);
    *particles = made;
    return RLT_OK;
}
