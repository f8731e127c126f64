/* Line charts as SVG, for `ringlet validate --plots` and the report page. */
#ifndef PLOT_H
#define PLOT_H

#include <stdio.h>

#include "ringlet/status.h"

typedef struct plot plot;

typedef enum plot_scale { PLOT_LINEAR, PLOT_LOG } plot_scale;

/* Labels carry their unit ("time [s]"). NULL when out of memory; the functions below take that, and a chart
 * that lacks a curve is not written: who draws need not check. */
plot *plot_create(const char *title, const char *x_label, const char *y_label);
void plot_destroy(plot *p);

/* Linear unless set otherwise. On a log axis values that are not above 0 are left out. */
void plot_scales(plot *p, plot_scale x, plot_scale y);

/* Adds a named curve; the values are copied. Points that are not finite break the curve. Returns 0 when out
 * of memory, 1 otherwise. */
int plot_series(plot *p, const char *name, const double *x, const double *y, int count);

/* Adds a named horizontal line for reference. */
int plot_line(plot *p, const char *name, double y);

/* Writes the chart, unless memory was missing for a part of it; prints why where writing fails. */
rlt_status plot_write(const plot *p, const char *path);

/* Writes the chart as an element of an HTML page, whose style sheet may change its colours. */
void plot_embed(const plot *p, FILE *file);

#endif
