#include "solve/measure.h"

#include <math.h>

rlti_measure rlti_measure_points(const rlti_matter *matter, int strand, const rlti_vec3 *positions,
                                 const rlti_vec3 *velocities, const double gravity[3]) {
    const double *mass = matter->mass + matter->first[strand], *rest = matter->rest + matter->first[strand];
    rlti_measure m = {.finite = 1};
    for (int i = 0, points = rlti_matter_points(matter, strand); i < points; i++) {
        const rlti_vec3 *x = &positions[i];
        double speed = rlti_length(velocities[i]);
        m.finite = m.finite && isfinite(rlti_length(*x)) && isfinite(speed);
        m.fastest = speed > m.fastest ? speed : m.fastest;
        m.mass += mass[i];
        m.kinetic += 0.5 * mass[i] * speed * speed;
        m.gravity -= mass[i] * (gravity[0] * x->x + gravity[1] * x->y + gravity[2] * x->z);
        double stretch = i + 1 < points && rest[i] > 0.0 ? rlti_length(rlti_sub(x[1], x[0])) / rest[i] : 0.0;
        m.longest = stretch > m.longest ? stretch : m.longest;
    }
    return m;
}
