/* Forces on the groom at rest: contacts that it has from the start. */
#include "drive/drive_data.h"

/* Every strand shows its particles as groomed, at rest. */
static void show_groom(rlti_drive *d) {
    const rlti_strands *strands = d->def.strands;
    for (int k = 0; k < d->local_count; k++) {
        int s = d->local[k], first = strands->first[s];
        rlti_vec3 root = strands->points[first];
        rlti_look look = rlti_drive_board(d, s);
        if (!rlti_springs_has(d->springs, s))
            continue;
        for (int i = 0; i < rlti_matter_points(d->def.matter, s); i++) {
            rlti_vec3 arm = rlti_sub(strands->points[first + i], root);
            const float p[3] = {(float)arm.x, (float)arm.y, (float)arm.z};
            for (int axis = 0; axis < 3; axis++) {
                look.positions[3 * i + axis] = p[axis];
                look.velocities[3 * i + axis] = 0.0f;
            }
        }
        rlti_springs_look(d->springs, s, &root, look.positions, look.velocities);
    }
    rlti_spread_exchange(d->spread, d->springs);
}

/* Forces of the contacts of one strand, after one more step of their life. */
static int push_at_rest(rlti_drive *d, int s, rlti_vec3 *loads) {
    const rlti_particles *particles = d->particles;
    int first = particles->first[s], count = particles->first[s + 1] - first;
    if (!rlti_springs_push(d->springs, s, 0, d->pushes, NULL))
        return 0;
    for (int k = 0; k < count; k++) {
        int p = d->def.strands->first[s] + particles->point[first + k];
        const float *a = d->pushes[k];
        loads[p] = rlti_scale(d->def.matter->mass[p], rlti_v3((double)a[0], (double)a[1], (double)a[2]));
    }
    return 1;
}

/* The springs live until they have risen to full strength, and are left so, because the hair starts from the
 * rest they are part of. */
int rlti_drive_press(rlti_drive *d, int frame, rlti_vec3 *loads) {
    const rlti_time_data *time = &d->def.scene->time;
    const double maximum = 1000.0;
    double ramp = 0.0, steps;
    if (d->springs == NULL)
        return 1;
    for (int h = 0; h < d->def.scene->hair_count; h++)
        ramp = d->def.scene->hair[h].contact_ramp > ramp ? d->def.scene->hair[h].contact_ramp : ramp;
    steps = ramp * time->fps * time->outer_steps + 2.0;
    steps = steps < maximum ? steps : maximum;
    rlti_springs_begin_frame(d->springs, frame);
    rlti_springs_pose(d->springs, 0.0);
    int fine = 1; /* if not, this rank continues all the same: the others wait for what it shows */
    for (int n = 0; n < (int)steps; n++) {
        show_groom(d);
        for (int k = 0; k < d->local_count; k++)
            if (rlti_springs_has(d->springs, d->local[k]))
                fine = push_at_rest(d, d->local[k], loads) && fine;
    }
    return fine;
}
