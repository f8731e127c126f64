/* Colours of overlays and scales of values. */
#include "render/overlay.h"

#include <stdio.h>

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

/* ---- scales ---- */

/* Colours at equal steps. */
typedef struct ramp {
    int count;
    rlti_colour stops[5];
} ramp;

static const ramp *ramp_of(rlt_show what) {
    static const ramp speed = {5,
                               {{{0.10f, 0.15f, 0.75f}},
                                {{0.04f, 0.48f, 0.70f}},
                                {{0.10f, 0.60f, 0.12f}},
                                {{0.92f, 0.70f, 0.04f}},
                                {{0.90f, 0.06f, 0.03f}}}};
    static const ramp stretch = {3,
                                 {{{0.04f, 0.20f, 0.95f}}, {{0.60f, 0.60f, 0.58f}}, {{0.92f, 0.05f, 0.03f}}}};
    static const ramp penetration = {
        4,
        {{{0.16f, 0.16f, 0.16f}}, {{0.92f, 0.70f, 0.04f}}, {{0.92f, 0.08f, 0.03f}}, {{0.90f, 0.05f, 0.65f}}}};
    return what == RLT_SHOW_SPEED || what == RLT_SHOW_HOLDS ? &speed
           : what == RLT_SHOW_STRETCH                       ? &stretch
                                                            : &penetration;
}

rlti_colour rlti_scale_colour(const rlti_value_scale *scale, double value) {
    const ramp *r = ramp_of(scale->what);
    double at = (value - scale->low) / (scale->high - scale->low);
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

rlti_value_scale rlti_scale_of(rlt_show what, const double *values, int count, double metres_per_unit,
                               double *range) {
    rlti_value_scale scale = {.what = what};
    double maximum = *range;
    for (int i = 0; i < count; i++) {
        double x = what == RLT_SHOW_STRETCH ? fabs(values[i] - 1.0) : values[i];
        maximum = x > maximum ? x : maximum;
    }
    *range = round_up(maximum);
    scale.low = what == RLT_SHOW_STRETCH ? 1.0 - *range : 0.0;
    scale.high = what == RLT_SHOW_STRETCH ? 1.0 + *range : *range;
    const char *unit = unit_of(metres_per_unit);
    if (what == RLT_SHOW_STRETCH)
        snprintf(scale.title, sizeof scale.title, "stretch: length/rest");
    else if (what == RLT_SHOW_HOLDS)
        snprintf(scale.title, sizeof scale.title, "holds: g");
    else if (what == RLT_SHOW_SPEED)
        snprintf(scale.title, sizeof scale.title, "speed: %s/s", unit);
    else
        snprintf(scale.title, sizeof scale.title, "penetration: %s", unit);
    return scale;
}
