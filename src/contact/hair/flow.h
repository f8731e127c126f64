/* The flow of a cluster: hair moves together, so most of what a particle does in an outer step its neighbours
 * do, too. The flow is a smooth field through space, close to the displacements of the step before. Two
 * particles come nearer by no more than what each deviates from the flow, and what the flow changes between
 * their places: its slope times their distance. Bounds on who may touch are then about relative motion.
 *
 * Any field is right; a better one only saves searches. So it needs no agreement of threads or ranks. */
#ifndef RLTI_CONTACT_HAIR_FLOW_H
#define RLTI_CONTACT_HAIR_FLOW_H

typedef struct rlti_flow rlti_flow;

/* For a cluster whose typical particles are `samples`, indices; copied. NULL: out of memory. */
rlti_flow *rlti_flow_create(const int *samples, int count);
void rlti_flow_destroy(rlti_flow *flow);

/* Takes the places of all particles at the start of a step, in the cluster's axes [unit]. 0 for `busy`: there
 * is nothing to be saved, and no flow. */
void rlti_flow_update(rlti_flow *flow, const float (*places)[3], int busy);

/* 1: there is a flow. */
int rlti_flow_moves(const rlti_flow *flow);

/* The flow changes by at most this for each unit between two places. */
double rlti_flow_slope(const rlti_flow *flow);

/* The displacement at a place [unit]; continuous, constant outside of the cluster. */
void rlti_flow_at(const rlti_flow *flow, const float place[3], float displacement[3]);

#endif
