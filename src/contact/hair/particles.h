/* The particles of the groom that take part in hair-hair contacts, after pruning along each hair.
 *
 * Every hair point has a sphere: the volume the guide stands for. Spheres of neighbours on a hair overlap, so
 * some points can be left out (Taz paper section 4.1, equation 6). Which ones depends on the groom at rest
 * only, and is the same on every rank. */
#ifndef RLTI_CONTACT_HAIR_PARTICLES_H
#define RLTI_CONTACT_HAIR_PARTICLES_H

#include "model/matter.h"

typedef struct rlti_particles {
    int strand_count;
    int count;      /* particles kept, of all strands */
    int candidates; /* points with a radius on hair with contacts: what there was before pruning */
    int *first;     /* [strand_count + 1] into the arrays below; the particles of a strand, root to tip */
    int *point;     /* [count] index along the strand */
    int *strand;    /* [count] */
    float *radius;  /* [count] r_i [unit] */
    float *inverse_mass; /* [count] */
    rlti_vec3 *rest;     /* [count] rest pose, world */
    double largest;      /* greatest radius [unit] */
} rlti_particles;

/* Fails only when out of memory. */
rlt_status rlti_particles_create(const rlti_scene_data *scene, const rlti_strands *strands,
                                 const rlti_matter *matter, rlt_messages *messages,
                                 rlti_particles **particles);
void rlti_particles_destroy(rlti_particles *particles);

/* The radius of every point before pruning, 0: no contacts there [unit]. For inspection. */
void rlti_particles_radii(const rlti_scene_data *scene, const rlti_strands *strands,
                          const rlti_matter *matter, double *radii /* [point_count] */);

#endif
