/* Colours of overlays and scales of values. */
#include "render/overlay.h"

#include <stdio.h>
#include <string.h>

/* Logarithms have the same bits on every machine. */
#define RLTI_LANES_REFERENCE
#include "base/lanes_math.h"

rlti_colour rlti_show_colour(rlt_show what) {
    static const struct {
        rlt_show what;
        rlti_colour colour;
    } colours[] = {
        {RLT_SHOW_GUIDES, {{0.70f, 0.68f, 0.62f}}},   {RLT_SHOW_SMOOTHED, {{0.08f, 0.30f, 0.95f}}},
        {RLT_SHOW_CORE, {{0.95f, 0.36f, 0.02f}}},     {RLT_SHOW_TARGETS, {{0.95f, 0.10f, 0.50f}}},
        {RLT_SHOW_CONTACTS, {{0.90f, 0.72f, 0.04f}}}, {RLT_SHOW_PRUNED, {{0.80f, 0.06f, 0.04f}}},
        {RLT_SHOW_HOLDS, {{0.75f, 0.12f, 0.90f}}}, /* exact ones, which have no number */
    };
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        if (colours[i].what == what)
            return colours[i].colour;
    return (rlti_colour){{0.80f, 0.80f, 0.80f}};
}

rlti_colour rlti_axis_colour(int axis) {
    static const rlti_colour axes[3] = {
        {{0.90f, 0.05f, 0.03f}}, {{0.05f, 0.70f, 0.08f}}, {{0.08f, 0.30f, 0.95f}}};
    return axes[axis];
}

rlti_colour rlti_kept_colour(void) {
    return (rlti_colour){{0.05f, 0.70f, 0.08f}};
}

rlti_colour rlti_spring_colour(void) {
    return (rlti_colour){{0.95f, 0.12f, 0.03f}};
}

rlti_colour rlti_free_colour(void) {
    return (rlti_colour){{0.10f, 0.42f, 0.45f}};
}

rlti_colour rlti_grip_colour(int slips) {
    return slips ? (rlti_colour){{0.95f, 0.36f, 0.02f}} : (rlti_colour){{0.75f, 0.08f, 0.80f}};
}

/* ---- scales ---- */

/* Colours at equal steps. */
typedef struct ramp {
    int count;
    rlti_colour stops[5];
} ramp;

/* From one side to the other of a middle, from nothing to much, and from free to deep. */
static const ramp sides = {3, {{{0.04f, 0.20f, 0.95f}}, {{0.60f, 0.60f, 0.58f}}, {{0.92f, 0.05f, 0.03f}}}};
static const ramp rising = {5,
                            {{{0.10f, 0.15f, 0.75f}},
                             {{0.04f, 0.48f, 0.70f}},
                             {{0.10f, 0.60f, 0.12f}},
                             {{0.92f, 0.70f, 0.04f}},
                             {{0.90f, 0.06f, 0.03f}}}};
static const ramp depths = {
    4, {{{0.16f, 0.16f, 0.16f}}, {{0.92f, 0.70f, 0.04f}}, {{0.92f, 0.08f, 0.03f}}, {{0.90f, 0.05f, 0.65f}}}};

/* How values of one kind are shown. */
typedef struct scale_kind {
    rlt_show what;
    int two_sided; /* about `middle` */
    const ramp *colours;
    double middle;
    double least;      /* above 0: each power of ten is as long as the others, from this value on */
    const char *title; /* a %s stands for the unit of length */
} scale_kind;

static const scale_kind *kind_of(rlt_show what) {
    static const scale_kind kinds[] = {
        {RLT_SHOW_STRETCH, 1, &sides, 1.0, 0.0, "stretch: length/rest"},
        {RLT_SHOW_PENETRATION, 0, &depths, 0.0, 0.0, "penetration: %s"},
        {RLT_SHOW_SPEED, 0, &rising, 0.0, 0.0, "speed: %s/s"},
        {RLT_SHOW_HOLDS, 0, &rising, 0.0, 0.0, "holds: g"},
        {RLT_SHOW_TWIST, 1, &sides, 0.0, 0.0, "twist - rest: rad/%s"},
        {RLT_SHOW_CURVATURE, 1, &sides, 0.0, 0.0, "curvature - rest: rad/%s"},
        {RLT_SHOW_RESIDUAL, 0, &rising, 0.0, 1e-6, "residual: of a segment"},
        {RLT_SHOW_FORCES, 0, &rising, 0.0, 1e-3, "force: weights of a hair"},
    };
    size_t i = 0;
    while (i + 1 < sizeof kinds / sizeof kinds[0] && kinds[i].what != what)
        i++;
    return &kinds[i];
}

double rlti_scale_share(const rlti_value_scale *scale, double value) {
    if (kind_of(scale->what)->least > 0.0)
        return lane_log(value / scale->low) / lane_log(scale->high / scale->low);
    return (value - scale->low) / (scale->high - scale->low);
}

double rlti_scale_value(const rlti_value_scale *scale, double share) {
    if (kind_of(scale->what)->least > 0.0)
        return scale->low * lane_exp(share * lane_log(scale->high / scale->low));
    return scale->low + share * (scale->high - scale->low);
}

rlti_colour rlti_scale_colour(const rlti_value_scale *scale, double value) {
    const ramp *r = kind_of(scale->what)->colours;
    if (value != value)
        return (rlti_colour){{0.16f, 0.16f, 0.16f}};
    double at = rlti_scale_share(scale, value);
    at = (r->count - 1) * (at > 0.0 ? (at < 1.0 ? at : 1.0) : 0.0);
    int i = at < r->count - 2 ? (int)at : r->count - 2;
    rlti_colour colour;
    for (int c = 0; c < 3; c++)
        colour.c[c] = r->stops[i].c[c] + (float)(at - i) * (r->stops[i + 1].c[c] - r->stops[i].c[c]);
    return colour;
}

/* The minimum of 1, 2, 5 times a power of ten that is not below x; at least 0.001. */
static double round_up(double x) {
    static const double steps[3] = {1.0, 2.0, 5.0};
    for (double divisor = 1000.0; divisor >= 1.0; divisor /= 10.0)
        for (int i = 0; i < 3; i++)
            if (steps[i] / divisor >= x)
                return steps[i] / divisor;
    for (double factor = 10.0; factor < 1e30; factor *= 10.0)
        for (int i = 0; i < 3; i++)
            if (steps[i] * factor >= x)
                return steps[i] * factor;
    return 1e30;
}

static const char *unit_of(double metres_per_unit) {
    static const struct {
        double metres;
        const char *name;
    } units[] = {{1.0, "m"}, {0.01, "cm"}, {0.001, "mm"}};
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (fabs(metres_per_unit - units[i].metres) < 1e-6 * units[i].metres)
            return units[i].name;
    return "unit";
}

/* The end of a scale by powers of ten: so many that its middle is one, too, and at least four. */
static double powers_up(double least, double x) {
    double end = 1e4 * least;
    while (end < x && end < 1e30)
        end *= 100.0;
    return end;
}

rlti_value_scale rlti_scale_of(rlt_show what, const double *values, int count, double metres_per_unit,
                               double *range) {
    const scale_kind *kind = kind_of(what);
    rlti_value_scale scale = {.what = what};
    double maximum = *range;
    for (int i = 0; i < count; i++) {
        double x = kind->two_sided ? fabs(values[i] - kind->middle) : values[i];
        maximum = x > maximum && x < HUGE_VAL ? x : maximum;
    }
    *range = kind->least > 0.0 ? powers_up(kind->least, maximum) : round_up(maximum);
    scale.low = kind->two_sided ? kind->middle - *range : kind->least;
    scale.high = kind->middle + *range;
    scale.middle = kind->least > 0.0 ? sqrt(scale.low * scale.high) : 0.5 * (scale.low + scale.high);
    const char *unit = unit_of(metres_per_unit), *slot = strstr(kind->title, "%s");
    if (slot == NULL)
        snprintf(scale.title, sizeof scale.title, "%s", kind->title);
    else
        snprintf(scale.title, sizeof scale.title, "%.*s%s%s", (int)(slot - kind->title), kind->title, unit,
                 slot + 2);
    return scale;
}
