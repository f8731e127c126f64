#include "drive/wind.h"

#include <string.h>

#include "base/math.h"
#include "base/random.h"

/* Random streams of the wind's seed. */
enum { STREAM_DIRECTION = 1, STREAM_TURN, STREAM_PHASE, STREAM_RATE, STREAM_GUST };

enum { GUST_WAVES = 4 };

/* Directions spread evenly over the sphere (a spiral of golden angles), turned and shaken by the seed: with
 * only eight modes, independent directions would often leave out a whole side. */
static rlti_vec3 mode_direction(uint64_t seed, int mode) {
    double shake = rlti_random(seed, (uint64_t)mode, STREAM_DIRECTION);
    double up = 1.0 - 2.0 * (mode + shake) / RLTI_WIND_MODES;
    double across = sqrt(1.0 - up * up);
    double turn = 2.0 * RLTI_PI * rlti_random(seed, 0, STREAM_TURN) + 2.39996322972865332 * mode;
    return rlti_v3(across * rlti_cos(turn), up, across * rlti_sin(turn));
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* `speed` is the amplitude of the mode [unit/s], `eddy` the speed that turns its eddies over. */
static void make_mode(rlti_wind *wind, int index, double wave_number, double speed, double eddy) {
    uint64_t seed = (uint64_t)wind->seed;
    uint64_t id = (uint64_t)index;
    rlti_wind_mode *mode = &wind->modes[index];
    rlti_vec3 along = mode_direction(seed, index);
    rlti_vec3 first = rlti_perpendicular(along), second = rlti_cross(along, first);
    double turn = 2.0 * RLTI_PI * rlti_random(seed, id + 1, STREAM_TURN);
    rlti_vec3 across = rlti_add(rlti_scale(rlti_cos(turn), first), rlti_scale(rlti_sin(turn), second));

    mode->wave[0] = wave_number * along.x;
    mode->wave[1] = wave_number * along.y;
    mode->wave[2] = wave_number * along.z;
    mode->amplitude[0] = speed * across.x;
    mode->amplitude[1] = speed * across.y;
    mode->amplitude[2] = speed * across.z;
    mode->phase = RLTI_PI * rlti_random_signed(seed, id, STREAM_PHASE);
    /* carried by the steady wind, plus half to all of the turnover rate either way */
    double change = rlti_random_signed(seed, id, STREAM_RATE);
    change += change < 0.0 ? -1.0 : 1.0;
    mode->rate = -dot(mode->wave, wind->velocity) + 0.5 * change * eddy * wave_number;
}

void rlti_wind_create(const rlti_wind_data *data, rlti_wind *wind) {
    memset(wind, 0, sizeof *wind);
    memcpy(wind->velocity, data->velocity, sizeof wind->velocity);
    wind->gust_strength = data->gust_strength;
    wind->gust_period = data->gust_period;
    wind->seed = data->seed;
    if (!(data->turbulence > 0.0) || !(data->turbulence_length > 0.0))
        return;

    /* wave numbers 2^(2 m / 7): 1 to 4 times that of the largest eddies; amplitude k^-1/3 = 2^(-2 m / 21) */
    const double wave_step = 1.2190136542044754, speed_step = 0.9361177424536049;
    double sum = 0.0, speed = 1.0;
    for (int m = 0; m < RLTI_WIND_MODES; m++, speed *= speed_step)
        sum += speed * speed;
    /* the mean square of amplitude * sin is half of amplitude^2 */
    speed = data->turbulence * sqrt(2.0 / sum);
    double wave_number = 2.0 * RLTI_PI / data->turbulence_length;
    wind->mode_count = RLTI_WIND_MODES;
    for (int m = 0; m < RLTI_WIND_MODES; m++) {
        make_mode(wind, m, wave_number, speed, data->turbulence);
        wave_number *= wave_step;
        speed *= speed_step;
    }
}

/* The whole turns of `cycles` dropped, in radians: keeps arguments of the sine small however late it is. */
static double cycle_angle(double cycles) {
    return 2.0 * RLTI_PI * (cycles - floor(cycles));
}

/* Four waves around the gust period, weights adding up to 1, so that |g| <= 1; ratios without common measure
 * keep it from repeating. */
static double gust(const rlti_wind *wind, double time) {
    static const double frequency[GUST_WAVES] = {0.61803398875, 1.0, 1.32471795724, 1.75487766625};
    static const double weight[GUST_WAVES] = {0.25, 0.4, 0.2, 0.15};
    if (wind->gust_strength == 0.0 || !(wind->gust_period > 0.0))
        return 0.0;
    double sum = 0.0;
    for (int i = 0; i < GUST_WAVES; i++) {
        double start = rlti_random((uint64_t)wind->seed, (uint64_t)i, STREAM_GUST);
        sum += weight[i] * rlti_sin(cycle_angle(frequency[i] * time / wind->gust_period + start));
    }
    return sum;
}

void rlti_wind_mean(const rlti_wind *wind, double time, double velocity[3]) {
    double factor = 1.0 + wind->gust_strength * gust(wind, time);
    for (int k = 0; k < 3; k++)
        velocity[k] = factor * wind->velocity[k];
}

void rlti_wind_phases(const rlti_wind *wind, const double position[3], double time,
                      double phases[RLTI_WIND_MODES]) {
    for (int m = 0; m < wind->mode_count; m++) {
        const rlti_wind_mode *mode = &wind->modes[m];
        double angle = dot(mode->wave, position) + mode->rate * time + mode->phase;
        phases[m] = cycle_angle(angle / (2.0 * RLTI_PI) + 0.5) - RLTI_PI;
    }
}

void rlti_wind_at(const rlti_wind *wind, const double position[3], double time, double velocity[3]) {
    double phases[RLTI_WIND_MODES];
    rlti_wind_mean(wind, time, velocity);
    rlti_wind_phases(wind, position, time, phases);
    for (int m = 0; m < wind->mode_count; m++) {
        double wave = rlti_sin(phases[m]);
        for (int k = 0; k < 3; k++)
            velocity[k] += wind->modes[m].amplitude[k] * wave;
    }
}

int rlti_wind_is_zero(const rlti_wind *wind) {
    return wind->mode_count == 0 && wind->velocity[0] == 0.0 && wind->velocity[1] == 0.0 &&
           wind->velocity[2] == 0.0;
}
