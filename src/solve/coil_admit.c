/* The Coil's warning of hair that is almost straight, when a simulation is built. */
#include <math.h>
#include <string.h>

#include "base/messages.h"
#include "solve/rod_solver_data.h"

/* Joints that turn by less than this are almost straight [rad]: more than 60 points a turn. Torsion about
 * their edges has little to hold on to, and takes Newton many iterations. Below the second they are straight,
 * and have no torsion (rlti_coil_share). */
#define ALMOST   0.1
#define STRAIGHT 0.004
/* Warned of from this part of a section on: waves have a quarter to a half, curls and coils none. */
#define MOST 0.2

/* Part of the joints of a section that are almost straight. */
static double almost_straight(const rlti_strands *strands, int hair) {
    long long joints = 0, found = 0;
    for (int s = 0; s < strands->strand_count; s++)
        for (int p = strands->first[s] + 1; strands->hair[s] == hair && p + 1 < strands->first[s + 1]; p++) {
            rlti_vec3 before = rlti_sub(strands->points[p], strands->points[p - 1]),
                      after = rlti_sub(strands->points[p + 1], strands->points[p]);
            double angle = atan2(rlti_length(rlti_cross(before, after)), rlti_dot(before, after));
            found += angle > STRAIGHT && angle < ALMOST;
            joints++;
        }
    return joints > 0 ? (double)found / (double)joints : 0.0;
}

rlt_status rlti_coil_solver_admit(const rlti_solver *solver, rlt_messages *messages) {
    const rlti_solver_def *def = &((const rod_solver *)solver)->def;
    for (int h = 0; h < def->scene->hair_count; h++) {
        const rlti_hair_data *hair = &def->scene->hair[h];
        if (strcmp(hair->model, "coil") != 0 || hair->role != RLTI_ROLE_HAIR)
            continue;
        double part = almost_straight(def->strands, h);
        if (part > MOST)
            rlti_warn(messages,
                      "%s: hair '%s': model: coil: %.0f%% of its joints are almost straight (they turn by "
                      "less than 6 degrees), which takes Newton 10 to 40 times the iterations of Rods; set "
                      "hair.model to rod, or, for curls of more than 60 points a turn, raise hair.segment",
                      def->file, hair->name, 100.0 * part);
    }
    return RLT_OK;
}
