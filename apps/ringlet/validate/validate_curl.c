#include "validate/validate_curl.h"

#include <math.h>

vector vector_at(const double *points, int index) {
    vector v = {points[3 * index], points[3 * index + 1], points[3 * index + 2]};
    return v;
}

vector vector_add(vector a, vector b) {
    vector v = {a.x + b.x, a.y + b.y, a.z + b.z};
    return v;
}

vector vector_sub(vector a, vector b) {
    vector v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}

vector vector_scale(double s, vector a) {
    vector v = {s * a.x, s * a.y, s * a.z};
    return v;
}

vector vector_cross(vector a, vector b) {
    vector v = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return v;
}

double vector_dot(vector a, vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double vector_length(vector a) {
    return sqrt(vector_dot(a, a));
}

vector vector_unit(vector a) {
    double length = vector_length(a);
    return length > 0.0 ? vector_scale(1.0 / length, a) : a;
}

vector curl_mean(const double *points, int first, int count) {
    vector sum = {0.0, 0.0, 0.0};
    for (int i = first; i < first + count; i++)
        sum = vector_add(sum, vector_at(points, i));
    return vector_scale(1.0 / count, sum);
}

/* The part of edge i that is perpendicular to `axis`. */
static vector across(const double *points, int i, vector axis) {
    vector e = vector_sub(vector_at(points, i + 1), vector_at(points, i));
    return vector_sub(e, vector_scale(vector_dot(e, axis), axis));
}

double curl_edges_per_turn(const double *points, int count, double *hand) {
    const double turn = 6.283185307179586;
    int quarter = count / 4, half = count / 2;
    vector axis = vector_unit(
        vector_sub(curl_mean(points, count - quarter, quarter), curl_mean(points, half, quarter)));
    double sum = 0.0;
    int angles = 0;
    for (int i = half; i + 2 < count; i++, angles++) {
        vector a = across(points, i, axis), b = across(points, i + 1, axis);
        sum += atan2(vector_dot(axis, vector_cross(a, b)), vector_dot(a, b));
    }
    *hand = sum < 0.0 ? -1.0 : 1.0;
    return sum != 0.0 ? turn * angles / fabs(sum) : INFINITY;
}

double curl_length(const double *points, int count, int window) {
    double length = 0.0;
    vector before = curl_mean(points, 0, window);
    for (int i = 1; i + window <= count; i++) {
        vector now = curl_mean(points, i, window);
        length += vector_length(vector_sub(now, before));
        before = now;
    }
    return length;
}
