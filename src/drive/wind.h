/* The wind: a steady velocity that swells and fades in gusts, and turbulence made of Fourier modes.
 *
 *   u(x, t) = velocity (1 + gust_strength g(t)) + sum_m amplitude_m sin(wave_m . x + rate_m t + phase_m)
 *
 * g is smooth, seeded, |g| <= 1. Each amplitude is perpendicular to its wave vector, so the turbulent part is
 * free of divergence (Kraichnan 1970). Its wave lengths run from the turbulence length down to a quarter of
 * it with amplitudes as in the inertial range (k^-1/3 for modes spaced evenly in log k), its root mean square
 * speed is the scene's turbulence. The modes are carried by the steady wind and besides change at the
 * turnover rate of eddies their size. */
#ifndef RLTI_DRIVE_WIND_H
#define RLTI_DRIVE_WIND_H

#include "scene/scene_data.h"

#define RLTI_WIND_MODES 8

typedef struct rlti_wind_mode {
    double wave[3];      /* [rad/unit] */
    double amplitude[3]; /* [unit/s] */
    double phase;        /* [rad] */
    double rate;         /* [rad/s] */
} rlti_wind_mode;

typedef struct rlti_wind {
    double velocity[3];                /* [unit/s] */
    double gust_strength, gust_period; /* relative, [s] */
    int seed;
    int mode_count; /* 0 without turbulence */
    rlti_wind_mode modes[RLTI_WIND_MODES];
} rlti_wind;

void rlti_wind_create(const rlti_wind_data *data, rlti_wind *wind);

/* The mean wind with its gusts at a time [s]. */
void rlti_wind_mean(const rlti_wind *wind, double time, double velocity[3]);

/* The whole wind at a world position. */
void rlti_wind_at(const rlti_wind *wind, const double position[3], double time, double velocity[3]);

/* Phases of the modes at a world position, reduced to [-pi, pi], so that single precision can take over from
 * there: phases[m] + wave_m . (x - position). */
void rlti_wind_phases(const rlti_wind *wind, const double position[3], double time,
                      double phases[RLTI_WIND_MODES]);

/* 1 if there is no wind anywhere at any time. */
int rlti_wind_is_zero(const rlti_wind *wind);

#endif
