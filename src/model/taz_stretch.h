/* Stretch spring of one edge, Taz equation (1): E = k_s/2 (|e| - l)^2. */
#ifndef RLTI_MODEL_TAZ_STRETCH_H
#define RLTI_MODEL_TAZ_STRETCH_H

#include "base/lanes.h"

/* dE/d|e|: the tension, positive when stretched. The edge force is tension * ehat. */
static inline lane taz_stretch_tension(lane stiffness, lane length, lane rest) {
    return stiffness * (length - rest);
}

static inline lane taz_stretch_energy(lane stiffness, lane length, lane rest) {
    lane x = length - rest;
    return lane_set((real)0.5) * stiffness * x * x;
}

#endif
