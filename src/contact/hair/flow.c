#include "contact/hair/flow.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

struct rlti_flow {
    int side, node_count; /* nodes along each axis of the grid, between which the flow is trilinear; all */
    int strides[3];       /* to the next node along x, y and z */
    int moves;
    double slope;
    float corner[3], per_unit[3]; /* grid from places */
    float (*nodes)[4];            /* [node_count] displacement; the fourth is the weight of the samples */
    int sample_count;
    int *samples;
    float (*before)[3]; /* [sample_count] a step ago */
    int known;          /* 1: `before` is */
};

void rlti_flow_destroy(rlti_flow *f) {
    if (f == NULL)
        return;
    RLTI_FREE(f->nodes, f->samples, f->before, f);
}

enum { SIDE_MINIMUM = 6, SIDE_MAXIMUM = 24 };

rlti_flow *rlti_flow_create(const int *samples, int count) {
    rlti_flow *f = RLTI_NEW(rlti_flow, 1);
    if (f == NULL)
        return NULL;
    f->sample_count = count;
    /* about two samples a node, were they spread over all of the grid */
    for (f->side = SIDE_MINIMUM; f->side < SIDE_MAXIMUM && 2 * f->side * f->side * f->side < count;)
        f->side++;
    f->node_count = f->side * f->side * f->side;
    for (int k = 0, stride = 1; k < 3; k++, stride *= f->side)
        f->strides[k] = stride;
    if (!RLTI_ALLOCATE(RLTI_ITEMS(f->nodes, f->node_count), RLTI_ITEMS(f->samples, count),
                       RLTI_ITEMS(f->before, count))) {
        rlti_flow_destroy(f);
        return NULL;
    }
    memcpy(f->samples, samples, (size_t)count * sizeof *samples);
    return f;
}

/* A cell of the grid: its lowest node, and how far within it a place is, 0..1. */
static int cell_of(const rlti_flow *f, const float place[3], float within[3]) {
    int node = 0;
    for (int k = 0; k < 3; k++) {
        float at = (place[k] - f->corner[k]) * f->per_unit[k];
        at = at > 0.0f ? at : 0.0f; /* also what is not a number */
        at = at < (float)(f->side - 1) ? at : (float)(f->side - 1);
        int cell = at < (float)(f->side - 2) ? (int)at : f->side - 2;
        within[k] = at - (float)cell;
        node += cell * f->strides[k];
    }
    return node;
}

/* Weights of the cell's eight nodes; bit k of n: the upper one along axis k. */
static void weights_of(const float within[3], float weights[8]) {
    for (int n = 0; n < 8; n++) {
        weights[n] = 1.0f;
        for (int k = 0; k < 3; k++)
            weights[n] *= n >> k & 1 ? within[k] : 1.0f - within[k];
    }
}

static int corner_node(const rlti_flow *f, int lowest, int n) {
    return lowest + (n & 1) * f->strides[0] + (n >> 1 & 1) * f->strides[1] + (n >> 2 & 1) * f->strides[2];
}

/* A grid around the samples. 0: they are nowhere. */
static int set_grid(rlti_flow *f, const float (*places)[3]) {
    float low[3] = {HUGE_VALF, HUGE_VALF, HUGE_VALF}, high[3] = {-HUGE_VALF, -HUGE_VALF, -HUGE_VALF};
    for (int i = 0; i < f->sample_count; i++)
        for (int k = 0; k < 3; k++) {
            float x = places[f->samples[i]][k];
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    for (int k = 0; k < 3; k++) {
        float size = high[k] - low[k];
        if (!(size >= 0.0f && size < 1e15f))
            return 0;
        f->corner[k] = low[k];
        f->per_unit[k] = (float)(f->side - 1) / (size + 1e-3f);
    }
    return 1;
}

/* Means of the samples about each node. */
static void take_samples(rlti_flow *f, const float (*places)[3]) {
    memset(f->nodes, 0, (size_t)f->node_count * sizeof *f->nodes);
    for (int i = 0; i < f->sample_count; i++) {
        const float *place = places[f->samples[i]], *before = f->before[i];
        float within[3], weights[8];
        int lowest = cell_of(f, place, within);
        weights_of(within, weights);
        for (int n = 0; n < 8; n++) {
            float *node = f->nodes[corner_node(f, lowest, n)];
            for (int k = 0; k < 3; k++)
                node[k] += weights[n] * (place[k] - before[k]);
            node[3] += weights[n];
        }
    }
    for (int n = 0; n < f->node_count; n++)
        for (int k = 0; k < 3 && f->nodes[n][3] > 0.0f; k++)
            f->nodes[n][k] /= f->nodes[n][3];
}

/* The mean of the nodes beside one without samples. */
static void spread_to(rlti_flow *f, int n, const int at[3]) {
    float sum[4] = {0};
    for (int axis = 0; axis < 3; axis++)
        for (int step = -1; step <= 1; step += 2) {
            if (at[axis] + step < 0 || at[axis] + step >= f->side)
                continue;
            const float *beside = f->nodes[n + step * f->strides[axis]];
            for (int k = 0; k < 4 && beside[3] > 0.0f; k++)
                sum[k] += k < 3 ? beside[k] : 1.0f;
        }
    for (int k = 0; k < 3 && sum[3] > 0.0f; k++)
        f->nodes[n][k] = sum[k] / sum[3];
    f->nodes[n][3] = sum[3] > 0.0f ? 1e-30f : 0.0f;
}

/* Nodes without samples take the mean of those beside them, so that the flow is not steep at its border. */
static void spread_out(rlti_flow *f) {
    int n = 0, at[3];
    for (at[2] = 0; at[2] < f->side; at[2]++)
        for (at[1] = 0; at[1] < f->side; at[1]++)
            for (at[0] = 0; at[0] < f->side; at[0]++, n++)
                if (!(f->nodes[n][3] > 0.0f))
                    spread_to(f, n, at);
}

/* Squared differences to the next node along each axis, where that is the greatest so far. */
static void steepen(const rlti_flow *f, int n, const int at[3], float steepest[3]) {
    for (int axis = 0; axis < 3; axis++) {
        if (at[axis] == f->side - 1)
            continue;
        const float *a = f->nodes[n], *b = f->nodes[n + f->strides[axis]];
        float x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2], square = x * x + y * y + z * z;
        steepest[axis] = square > steepest[axis] ? square : steepest[axis];
    }
}

/* Within a cell the derivative along an axis is a mean of the differences along four edges. */
static double find_slope(const rlti_flow *f) {
    float steepest[3] = {0};
    double squares = 0.0;
    int n = 0, at[3];
    for (at[2] = 0; at[2] < f->side; at[2]++)
        for (at[1] = 0; at[1] < f->side; at[1]++)
            for (at[0] = 0; at[0] < f->side; at[0]++, n++)
                steepen(f, n, at, steepest);
    for (int axis = 0; axis < 3; axis++)
        squares += (double)steepest[axis] * (double)f->per_unit[axis] * (double)f->per_unit[axis];
    return 1.0001 * sqrt(squares);
}

void rlti_flow_update(rlti_flow *f, const float (*places)[3], int busy) {
    f->moves = busy && f->known && set_grid(f, places);
    f->slope = 0.0;
    if (f->moves) {
        take_samples(f, places);
        spread_out(f);
        f->slope = find_slope(f);
        f->moves = f->slope < 0.5; /* also if it is not a number */
        f->slope = f->moves ? f->slope : 0.0;
    }
    for (int i = 0; i < f->sample_count; i++)
        memcpy(f->before[i], places[f->samples[i]], sizeof *f->before);
    f->known = 1;
}

int rlti_flow_moves(const rlti_flow *f) {
    return f != NULL && f->moves;
}

double rlti_flow_slope(const rlti_flow *f) {
    return f != NULL ? f->slope : 0.0;
}

void rlti_flow_at(const rlti_flow *f, const float place[3], float displacement[3]) {
    float within[3], weights[8], sum[4] = {0};
    int lowest = cell_of(f, place, within);
    weights_of(within, weights);
    for (int n = 0; n < 8; n++) {
        const float *node = f->nodes[corner_node(f, lowest, n)];
        for (int k = 0; k < 4; k++)
            sum[k] += weights[n] * node[k];
    }
    memcpy(displacement, sum, 3 * sizeof *displacement);
}
