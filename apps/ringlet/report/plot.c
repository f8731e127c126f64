#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html.h"
#include "list.h"
#include "outfile.h"

#define WIDTH  760.0
#define HEIGHT 440.0
#define LEFT   84.0
#define RIGHT  24.0
#define TOP    56.0
#define BOTTOM 62.0
#define TICKS  6 /* about so many to an axis */

typedef struct series {
    char *name;
    double *x, *y; /* [count]; x is NULL for a reference line */
    int count;
} series;

struct plot {
    char *title, *x_label, *y_label;
    plot_scale x_scale, y_scale;
    series *items;
    int count, capacity;
    int failed; /* a curve is missing: out of memory */
};

typedef struct axis {
    plot_scale scale;
    double low, high;   /* in values, or in powers of ten on a log axis */
    double step;        /* between ticks, likewise */
    double begin, size; /* on the page; size < 0 runs upward */
} axis;

/* Distinct by hue and by lightness, also for colour-blind readers. */
static const char *const colours[] = {"#0b6e99", "#c8501e", "#4a7d2c", "#8a4f9e", "#b8860b", "#444b52"};
#define COLOURS ((int)(sizeof colours / sizeof colours[0]))

plot *plot_create(const char *title, const char *x_label, const char *y_label) {
    plot *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->title = strdup(title);
    p->x_label = strdup(x_label);
    p->y_label = strdup(y_label);
    if (p->title == NULL || p->x_label == NULL || p->y_label == NULL) {
        plot_destroy(p);
        return NULL;
    }
    return p;
}

void plot_destroy(plot *p) {
    if (p == NULL)
        return;
    for (int i = 0; i < p->count; i++) {
        free(p->items[i].name);
        free(p->items[i].x);
        free(p->items[i].y);
    }
    free(p->items);
    free(p->title);
    free(p->x_label);
    free(p->y_label);
    free(p);
}

void plot_scales(plot *p, plot_scale x, plot_scale y) {
    if (p == NULL)
        return;
    p->x_scale = x;
    p->y_scale = y;
}

int plot_series(plot *p, const char *name, const double *x, const double *y, int count) {
    if (p == NULL)
        return 0;
    p->failed |= !list_reserve(&p->items, p->count, &p->capacity, sizeof *p->items);
    if (p->failed)
        return 0;
    size_t bytes = (size_t)(count > 0 ? count : 1) * sizeof(double);
    series added = {.name = strdup(name), .x = x != NULL ? malloc(bytes) : NULL, .y = malloc(bytes)};
    if (added.name == NULL || added.y == NULL || (x != NULL && added.x == NULL)) {
        free(added.name);
        free(added.x);
        free(added.y);
        p->failed = 1;
        return 0;
    }
    added.count = count > 0 ? count : 0;
    if (x != NULL && count > 0)
        memcpy(added.x, x, (size_t)count * sizeof(double));
    if (count > 0)
        memcpy(added.y, y, (size_t)count * sizeof(double));
    p->items[p->count++] = added;
    return 1;
}

int plot_line(plot *p, const char *name, double y) {
    return plot_series(p, name, NULL, &y, 1);
}

/* ---- axes ---- */

/* The value as the axis measures it, or NAN where it has no place. */
static double on_axis(plot_scale scale, double value) {
    if (!isfinite(value))
        return NAN;
    if (scale == PLOT_LINEAR)
        return value;
    return value > 0.0 ? log10(value) : NAN;
}

static void include(axis *a, double value) {
    if (!isfinite(value))
        return;
    a->low = value < a->low ? value : a->low;
    a->high = value > a->high ? value : a->high;
}

/* 1, 2 or 5 times a power of ten, whole powers on a log axis */
static double nice_step(plot_scale scale, double range) {
    double rough = range / TICKS;
    double power = pow(10.0, floor(log10(rough)));
    double share = rough / power;
    double step = power * (share <= 1.0 ? 1.0 : (share <= 2.0 ? 2.0 : (share <= 5.0 ? 5.0 : 10.0)));
    return scale == PLOT_LOG ? fmax(1.0, ceil(step - 1e-9)) : step;
}

/* Rounds the axis out to whole ticks. */
static void finish_axis(axis *a) {
    if (a->low > a->high) {
        a->low = 0.0;
        a->high = 1.0;
    }
    if (a->high - a->low < 1e-12 * fmax(1.0, fabs(a->high))) {
        double margin = a->scale == PLOT_LOG || a->high == 0.0 ? 1.0 : 0.5 * fabs(a->high);
        a->low -= margin;
        a->high += margin;
    }
    a->step = nice_step(a->scale, a->high - a->low);
    a->low = a->step * floor(a->low / a->step + 1e-9);
    a->high = a->step * ceil(a->high / a->step - 1e-9);
}

static void make_axes(const plot *p, axis *x, axis *y) {
    *x = (axis){p->x_scale, INFINITY, -INFINITY, 0.0, LEFT, WIDTH - LEFT - RIGHT};
    *y = (axis){p->y_scale, INFINITY, -INFINITY, 0.0, HEIGHT - BOTTOM, TOP + BOTTOM - HEIGHT};
    for (int i = 0; i < p->count; i++) {
        const series *s = &p->items[i];
        for (int k = 0; k < s->count; k++) {
            double at_x = s->x != NULL ? on_axis(p->x_scale, s->x[k]) : 0.0;
            double at_y = on_axis(p->y_scale, s->y[k]);
            if (!isfinite(at_x) || !isfinite(at_y))
                continue;
            if (s->x != NULL)
                include(x, at_x);
            include(y, at_y);
        }
    }
    /* an axis that nearly reaches zero should show it */
    if (y->scale == PLOT_LINEAR && y->low > 0.0 && y->low < 0.4 * y->high)
        y->low = 0.0;
    finish_axis(x);
    finish_axis(y);
}

static double place(const axis *a, double value) {
    return a->begin + a->size * (value - a->low) / (a->high - a->low);
}

/* ---- SVG ---- */

/* Page coordinates with two decimals, without the locale's decimal point. */
static void put_number(FILE *file, double value) {
    long hundredths = lround(value * 100.0);
    long whole = labs(hundredths);
    fprintf(file, "%s%ld.%02ld", hundredths < 0 ? "-" : "", whole / 100, whole % 100);
}

static void put_attribute(FILE *file, const char *name, double value) {
    fprintf(file, " %s=\"", name);
    put_number(file, value);
    fputc('"', file);
}

static void put_text(FILE *file, double x, double y, const char *style, const char *text) {
    fputs("<text", file);
    put_attribute(file, "x", x);
    put_attribute(file, "y", y);
    fprintf(file, " %s>", style);
    html_text(file, text);
    fputs("</text>\n", file);
}

static void put_stroke(FILE *file, double x1, double y1, double x2, double y2, const char *style) {
    fputs("<line", file);
    put_attribute(file, "x1", x1);
    put_attribute(file, "y1", y1);
    put_attribute(file, "x2", x2);
    put_attribute(file, "y2", y2);
    fprintf(file, " %s/>\n", style);
}

static void tick_text(const axis *a, double value, char *text, size_t size) {
    if (a->scale == PLOT_LOG) {
        if (value > -3.5 && value < 4.5)
            snprintf(text, size, "%g", pow(10.0, value));
        else
            snprintf(text, size, "1e%.0f", value);
    } else if (a->step >= 9999.0 && fabs(value) > 0.5 * a->step) {
        /* 2.5e7 instead of 25000000, which would run into the label */
        double power = floor(log10(fabs(value)) + 1e-9);
        snprintf(text, size, "%.6ge%.0f", value / pow(10.0, power), power);
    } else {
        snprintf(text, size, "%.10g", fabs(value) < 1e-9 * a->step ? 0.0 : value);
    }
    for (char *c = text; *c != '\0'; c++)
        if (*c == ',') /* the decimal point of some locales */
            *c = '.';
}

static void put_axes(FILE *file, const plot *p, const axis *x, const axis *y) {
    static const char grid[] = "stroke=\"#dfe3e6\" stroke-width=\"1\"";
    double bottom = HEIGHT - BOTTOM;
    char text[40];
    int x_ticks = (int)lround((x->high - x->low) / x->step);
    for (int i = 0; i <= x_ticks; i++) {
        double value = x->low + i * x->step;
        tick_text(x, value, text, sizeof text);
        put_stroke(file, place(x, value), TOP, place(x, value), bottom, grid);
        put_text(file, place(x, value), bottom + 18.0, "text-anchor=\"middle\"", text);
    }
    int y_ticks = (int)lround((y->high - y->low) / y->step);
    for (int i = 0; i <= y_ticks; i++) {
        double value = y->low + i * y->step;
        tick_text(y, value, text, sizeof text);
        put_stroke(file, LEFT, place(y, value), WIDTH - RIGHT, place(y, value), grid);
        put_text(file, LEFT - 8.0, place(y, value) + 4.0, "text-anchor=\"end\"", text);
    }
    static const char frame[] = "stroke=\"#8a9299\" stroke-width=\"1.2\"";
    put_stroke(file, LEFT, bottom, WIDTH - RIGHT, bottom, frame);
    put_stroke(file, LEFT, TOP, LEFT, bottom, frame);
    put_text(file, LEFT, 30.0, "font-size=\"16\" font-weight=\"600\" fill=\"#1f2427\"", p->title);
    put_text(file, 0.5 * (LEFT + WIDTH - RIGHT), HEIGHT - 18.0, "text-anchor=\"middle\" font-size=\"13\"",
             p->x_label);
    fputs("<g transform=\"translate(20 ", file);
    put_number(file, 0.5 * (TOP + bottom));
    fputs(") rotate(-90)\">", file);
    put_text(file, 0.0, 0.0, "text-anchor=\"middle\" font-size=\"13\"", p->y_label);
    fputs("</g>\n", file);
}

static void put_curve(FILE *file, const plot *p, const series *s, const axis *x, const axis *y,
                      const char *colour) {
    int drawing = 0;
    fputs("<path d=\"", file);
    for (int k = 0; k < s->count; k++) {
        double at_x = on_axis(p->x_scale, s->x[k]);
        double at_y = on_axis(p->y_scale, s->y[k]);
        if (!isfinite(at_x) || !isfinite(at_y)) {
            drawing = 0;
            continue;
        }
        fputc(drawing ? 'L' : 'M', file);
        put_number(file, place(x, at_x));
        fputc(' ', file);
        put_number(file, place(y, at_y));
        drawing = 1;
    }
    fprintf(file, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\" stroke-linejoin=\"round\"/>\n",
            colour);
}

static void put_all_series(FILE *file, const plot *p, const axis *x, const axis *y) {
    int curves = 0;
    for (int i = 0; i < p->count; i++) {
        const series *s = &p->items[i];
        if (s->x != NULL) {
            put_curve(file, p, s, x, y, colours[curves++ % COLOURS]);
        } else if (isfinite(on_axis(p->y_scale, s->y[0]))) {
            double at = place(y, on_axis(p->y_scale, s->y[0]));
            put_stroke(file, LEFT, at, WIDTH - RIGHT, at,
                       "stroke=\"#1f2427\" stroke-width=\"1.2\" stroke-dasharray=\"6 4\"");
        }
    }
}

/* How many points of the curves lie in a rectangle of the page. */
static int points_within(const plot *p, const axis *x, const axis *y, double left, double top, double width,
                         double height) {
    int count = 0;
    for (int i = 0; i < p->count; i++) {
        const series *s = &p->items[i];
        for (int k = 0; k < s->count && s->x != NULL; k++) {
            double across = place(x, on_axis(p->x_scale, s->x[k])) - left;
            double down = place(y, on_axis(p->y_scale, s->y[k])) - top;
            count += across > 0.0 && across < width && down > 0.0 && down < height;
        }
    }
    return count;
}

/* The upper right corner, or another where fewer points are hidden. */
static void place_legend(const plot *p, const axis *x, const axis *y, double width, double height,
                         double *left, double *top) {
    int minimum = -1;
    for (int corner = 0; corner < 4; corner++) {
        double at_x = corner & 1 ? LEFT + 10.0 : WIDTH - RIGHT - 10.0 - width;
        double at_y = corner & 2 ? HEIGHT - BOTTOM - 10.0 - height : TOP + 10.0;
        int hidden = points_within(p, x, y, at_x, at_y, width, height);
        if (minimum < 0 || hidden < minimum) {
            minimum = hidden;
            *left = at_x;
            *top = at_y;
        }
    }
}

/* Names in a corner on a pale ground, so that a curve under it stays visible. */
static void put_legend(FILE *file, const plot *p, const axis *x_axis, const axis *y_axis) {
    if (p->count == 0)
        return;
    size_t longest = 0;
    for (int i = 0; i < p->count; i++) {
        size_t length = strlen(p->items[i].name);
        longest = length > longest ? length : longest;
    }
    double width = 48.0 + 6.8 * (double)longest;
    double x = 0.0, y = 0.0;
    place_legend(p, x_axis, y_axis, width, 18.0 * p->count + 10.0, &x, &y);
    fputs("<rect", file);
    put_attribute(file, "x", x);
    put_attribute(file, "y", y);
    put_attribute(file, "width", width);
    put_attribute(file, "height", 18.0 * p->count + 10.0);
    fputs(" rx=\"4\" fill=\"#ffffff\" fill-opacity=\"0.85\" stroke=\"#dfe3e6\"/>\n", file);
    int curves = 0;
    for (int i = 0; i < p->count; i++) {
        double middle = y + 14.0 + 18.0 * i;
        char style[120];
        if (p->items[i].x != NULL)
            snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2.4\"", colours[curves++ % COLOURS]);
        else
            snprintf(style, sizeof style, "stroke=\"#1f2427\" stroke-width=\"1.2\" stroke-dasharray=\"6 4\"");
        put_stroke(file, x + 10.0, middle, x + 32.0, middle, style);
        put_text(file, x + 40.0, middle + 4.0, "fill=\"#1f2427\"", p->items[i].name);
    }
}

static void put_chart(FILE *file, const plot *p) {
    axis x, y;
    make_axes(p, &x, &y);
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", file);
    put_axes(file, p, &x, &y);
    put_all_series(file, p, &x, &y);
    put_legend(file, p, &x, &y);
    fputs("</svg>\n", file);
}

#define FONT "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#50575c\""

void plot_embed(const plot *p, FILE *file) {
    fprintf(file, "<svg class=\"plot\" role=\"img\" viewBox=\"0 0 %d %d\" " FONT " aria-label=\"", (int)WIDTH,
            (int)HEIGHT);
    html_text(file, p->title);
    fputs("\">\n", file);
    put_chart(file, p);
}

rlt_status plot_write(const plot *p, const char *path) {
    outfile out;
    if (p == NULL || p->failed || !outfile_begin(&out))
        return RLT_FAILED;
    fprintf(out.text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" " FONT
            ">\n",
            (int)WIDTH, (int)HEIGHT, (int)WIDTH, (int)HEIGHT);
    put_chart(out.text, p);
    return outfile_end(&out, 1, path);
}
