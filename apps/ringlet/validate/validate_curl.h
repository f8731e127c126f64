/* Measuring a curl from its points: turns, centreline, axis. Points are [count][3]. */
#ifndef RINGLET_APP_VALIDATE_CURL_H
#define RINGLET_APP_VALIDATE_CURL_H

typedef struct vector {
    double x, y, z;
} vector;

vector vector_at(const double *points, int index);
vector vector_add(vector a, vector b);
vector vector_sub(vector a, vector b);
vector vector_scale(double s, vector a);
vector vector_cross(vector a, vector b);
double vector_dot(vector a, vector b);
double vector_length(vector a);
vector vector_unit(vector a); /* the zero vector stays */

/* The mean of `count` points from `first` on. */
vector curl_mean(const double *points, int first, int count);

/* Edges to one turn, from the mean angle between the edges' directions across the axis, over the half of the
 * strand towards the tip (the curl may fade in at the root). Also the sense of winding, +1 or -1, about the
 * axis from root to tip. */
double curl_edges_per_turn(const double *points, int count, double *hand);

/* Length of the centreline: the running mean over `window` points, which is one turn, so that the curl
 * averages out. */
double curl_length(const double *points, int count, int window);

#endif
