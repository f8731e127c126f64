#include "validate/validate_head.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* contact.radius of the presets: place along the hair, radius [unit] */
struct head_ramp {
    int knots;
    double at[3][2];
};
static const head_ramp usual = {3, {{0.0, 0.2}, {0.3, 0.8}, {1.0, 0.8}}};
static const head_ramp redhead = {2, {{0.0, 0.23}, {1.0, 1.65}}};
static const head_ramp mane = {3, {{0.0, 0.3}, {0.3, 1.0}, {1.0, 1.5}}};

static const head_kind kinds[] = {
    {"redhead", "redhead", 579, 64, 38, 10, 1.0, 38.0, &redhead, 1440, 0.0},
    {"redhead-small", "redhead", 579, 80, 38, 10, 0.37, 38.0, &redhead, 1440, 0.0},
    {"flip", "flip", 300, 48, 28, 10, 1.0, 0.0, &usual, 1440, 0.0},
    {"wavy", "wavy", 500, 32, 30, 10, 1.0, 0.0, &usual, 1440, 0.7},
    {"straight", "straight", 500, 32, 27, 10, 1.0, 0.0, &usual, 1440, 0.85},
    {"coil", "coil", 400, 32, 50, 10, 1.0, 25.0, &usual, 1440, 0.4},
    {"horse-mane", "horse-mane", 2604, 64, 17, 8, 1.0, 0.0, &mane, 720, 0.0},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const head_kind *head_find(const char *name) {
    for (int k = 0; k < KINDS; k++)
        if (strcmp(kinds[k].name, name) == 0)
            return &kinds[k];
    return NULL;
}

/* How many times wider a hair is. */
static double thinning(const head_kind *kind, int full) {
    return full || kind->size != 1.0 ? 1.0 : sqrt((double)kind->hairs / kind->few);
}

void head_set(head_settings *settings, const char *format, ...) {
    if (settings->count == HEAD_SETTINGS)
        return;
    char *text = settings->texts[settings->count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, HEAD_SETTING, format, arguments);
    va_end(arguments);
}

void head_begin(head_settings *settings, const head_kind *kind, int full) {
    settings->count = 0;
    /* hair that settles under its weight, as it was measured: the scenes keep their groom */
    if (kind->fall > 0.0) {
        head_set(settings, "hair.sag.mode=off");
        head_set(settings, "hair.fall=%g", kind->fall);
        head_set(settings, "hair.comb=0");
        head_set(settings, "time.preroll=24");
    }
    if (full)
        return;
    char ramp[HEAD_SETTING] = "";
    int used = 0;
    for (int k = 0; k < kind->radius->knots; k++)
        validate_text(ramp, sizeof ramp, &used, "%s[%g, %.4g]", k > 0 ? ", " : "", kind->radius->at[k][0],
                      kind->radius->at[k][1] * thinning(kind, full));
    head_set(settings, "hair.contact.radius=[%s]", ramp);
    head_set(settings, "hair.count=%d", kind->few);
    head_set(settings, "hair.total_points=%d", kind->few * kind->few_points);
    head_set(settings, "time.force_steps=%d", kind->force_steps);
    head_set(settings, "time.damping_steps=8");
    head_set(settings, "character.resolution=24");
    head_set(settings, "character.scale=%g", kind->size);
    if (kind->length > 0.0)
        head_set(settings, "hair.length=%g", kind->length);
}

rlt_status head_simulate(validate_run *run, const head_kind *kind, head_settings *settings,
                         validate_frame on_frame, void *context) {
    char diverged[VALIDATE_TEXT] = "";
    for (int i = 0; i < settings->count; i++)
        settings->list[i] = settings->texts[i];
    rlt_status status = validate_simulate_scene(run, kind->scene, settings->list, settings->count, on_frame,
                                                context, diverged);
    if (status != RLT_DIVERGED)
        return status;
    validate_result r = {
        .unit = "", .measured = INFINITY, .rule = "the simulation reaches its end", .verdict = VALIDATE_FAIL};
    snprintf(r.name, sizeof r.name, "%s", kind->name);
    snprintf(r.reason, sizeof r.reason, "%.*s", VALIDATE_TEXT - 1, diverged);
    return validate_add(run, &r) == RLT_OK ? RLT_DIVERGED : RLT_FAILED;
}

/* ---- measures ---- */

typedef struct cell_point {
    uint64_t cell;
    int point;
} cell_point;

static int by_cell(const void *a, const void *b) {
    uint64_t x = ((const cell_point *)a)->cell, y = ((const cell_point *)b)->cell;
    return x < y ? -1 : x > y;
}

/* 21 bits to an axis, z the lowest, with a margin for a neighbour on either side. */
static uint64_t cell_number(const double *place, const double *low, double size) {
    uint64_t number = 0;
    for (int axis = 0; axis < 3; axis++)
        number = (number << 21) | ((uint64_t)floor((place[axis] - low[axis]) / size) + 1);
    return number;
}

/* The points in the order of their cells; NULL when out of memory. */
static cell_point *sort_points(const double *points, int count, double size) {
    double low[3] = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < 3 * count; i++)
        low[i % 3] = fmin(low[i % 3], points[i]);
    for (int axis = 0; axis < 3; axis++) /* the grid stands still when the hair moves */
        low[axis] = size * floor(low[axis] / size);
    cell_point *sorted = malloc((size_t)count * sizeof *sorted);
    for (int i = 0; sorted != NULL && i < count; i++)
        sorted[i] = (cell_point){cell_number(points + 3 * (size_t)i, low, size), i};
    if (sorted != NULL)
        qsort(sorted, (size_t)count, sizeof *sorted, by_cell);
    return sorted;
}

long head_cells(const double *points, int count, double size) {
    cell_point *sorted = sort_points(points, count, size);
    if (sorted == NULL)
        return -1;
    long cells = 0;
    for (int i = 0; i < count; i++)
        cells += i == 0 || sorted[i].cell != sorted[i - 1].cell;
    free(sorted);
    return cells;
}

double head_distance(const double *a, const double *b) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

void head_lengths(const rlt_frame_view *view, double *lengths) {
    for (int s = 0; s < view->strand_count; s++) {
        lengths[s] = 0.0;
        for (int i = view->first[s] + 1; i < view->first[s + 1]; i++)
            lengths[s] += head_distance(view->rest + 3 * (size_t)i, view->rest + 3 * (size_t)(i - 1));
    }
}

void head_middles(const rlt_frame_view *view, double *middles) {
    for (int s = 0; s < view->strand_count; s++)
        for (int axis = 0; axis < 3; axis++) {
            double sum = 0.0;
            for (int i = view->first[s]; i < view->first[s + 1]; i++)
                sum += view->points[3 * (size_t)i + axis];
            middles[3 * (size_t)s + axis] = sum / (view->first[s + 1] - view->first[s]);
        }
}

static double radius_at(const head_ramp *ramp, double place) {
    for (int k = 1; k < ramp->knots; k++) {
        const double *a = ramp->at[k - 1], *b = ramp->at[k];
        if (place <= b[0])
            return a[1] + (b[1] - a[1]) * (place - a[0]) / (b[0] - a[0]);
    }
    return ramp->at[ramp->knots - 1][1];
}

void head_radii(const head_kind *kind, int full, const rlt_frame_view *view, double *radii) {
    for (int s = 0; s < view->strand_count; s++) {
        int points = view->first[s + 1] - view->first[s]; /* evenly spaced in generated grooms */
        for (int i = 0; i < points; i++)
            radii[view->first[s] + i] =
                thinning(kind, full) * radius_at(kind->radius, points > 1 ? (double)i / (points - 1) : 0.0);
    }
}

typedef struct near_search {
    const rlt_frame_view *view;
    const double *radii;
    const int *strand; /* of each point */
    double share;
} near_search;

static int too_near(const near_search *n, int a, int b) {
    if (n->strand[a] == n->strand[b])
        return 0;
    const double *points = n->view->points, *rest = n->view->rest;
    double touch = n->share * (n->radii[a] + n->radii[b]);
    double apart = head_distance(points + 3 * (size_t)a, points + 3 * (size_t)b);
    return apart < touch && apart < n->share * head_distance(rest + 3 * (size_t)a, rest + 3 * (size_t)b);
}

/* The first of the sorted points in this cell or a later one. */
static int lower_bound(const cell_point *sorted, int count, uint64_t cell) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Pairs of sorted[i] with a point of a higher number in the 27 cells around. Cells are as wide as the reach.
 */
static long pairs_of(const near_search *n, const cell_point *sorted, int count, int i) {
    long pairs = 0;
    for (int column = 0; column < 9; column++) {
        uint64_t middle = sorted[i].cell + ((uint64_t)(column / 3) << 42) - ((uint64_t)1 << 42) +
                          ((uint64_t)(column % 3) << 21) - ((uint64_t)1 << 21);
        for (int k = lower_bound(sorted, count, middle - 1); k < count && sorted[k].cell <= middle + 1; k++)
            pairs += sorted[k].point > sorted[i].point && too_near(n, sorted[i].point, sorted[k].point);
    }
    return pairs;
}

long head_near_pairs(const rlt_frame_view *view, const double *radii, double share) {
    int count = view->point_count;
    double widest = 0.0;
    int *strand = malloc((size_t)count * sizeof *strand);
    for (int i = 0; i < count; i++)
        widest = fmax(widest, radii[i]);
    cell_point *sorted = sort_points(view->points, count, fmax(2.0 * share * widest, 1e-3));
    long pairs = strand != NULL && sorted != NULL ? 0 : -1;
    for (int s = 0; strand != NULL && s < view->strand_count; s++)
        for (int i = view->first[s]; i < view->first[s + 1]; i++)
            strand[i] = s;
    near_search search = {view, radii, strand, share};
    for (int i = 0; pairs >= 0 && i < count; i++)
        pairs += pairs_of(&search, sorted, count, i);
    free(sorted);
    free(strand);
    return pairs;
}
