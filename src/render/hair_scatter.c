#include "render/hair_scatter.h"

static float square(float x) {
    return x * x;
}

static float power(float x, int n) {
    float result = 1.0f;
    for (int i = 0; i < n; i++)
        result *= x;
    return result;
}

/* ---- the look ---- */

/* Absorption of one unit of each pigment along a hair's radius. The proportions of the colours are those
 * listed by E, section 6.1; pheomelanin has the trichochromes with it that make hair red, which absorb green
 * (0.15) and blue (0.1). The unit is chosen so that the usual names of amounts (blond 0.1, brown 1.3, black
 * 6) have the lightness that is measured on tresses: tests/test_hair_scatter.c. */
#define UNIT 0.4f
static const float eumelanin[3] = {UNIT * 0.419f, UNIT * 0.697f, UNIT * 1.37f};
static const float pheomelanin[3] = {UNIT * 0.187f, UNIT * 0.55f, UNIT * 1.15f};

/* The polynomial of C eq. (9), by the roughness around the hair. */
static float colour_fit(float b) {
    return 5.969f - 0.215f * b + 2.532f * square(b) - 10.73f * power(b, 3) + 5.574f * power(b, 4) +
           0.245f * power(b, 5);
}

/* C eq. (9): the absorption that gives a mass of hairs this colour. */
static float absorption_of(double colour, float around) {
    float c = (float)(colour < 1e-3 ? 1e-3 : (colour > 0.999 ? 0.999 : colour));
    return square(logf(c) / colour_fit(around));
}

rlti_f3 rlti_fibre_albedo(rlti_f3 absorption, float around) {
    float fit = colour_fit(around);
    return rlti_f3_of(expf(-fit * sqrtf(absorption.x)), expf(-fit * sqrtf(absorption.y)),
                      expf(-fit * sqrtf(absorption.z)));
}

rlti_f3 rlti_fibre_absorption(const rlt_render_hair *look) {
    float sigma[3];
    for (int c = 0; c < 3; c++)
        sigma[c] = look->dyed
                       ? absorption_of(look->dye[c], (float)look->roughness_around)
                       : (float)look->eumelanin * eumelanin[c] + (float)look->pheomelanin * pheomelanin[c];
    return rlti_f3_of(sigma[0], sigma[1], sigma[2]);
}

void rlt_render_hair_colour(const rlt_render_hair *hair, double colour[3]) {
    rlti_f3 c = rlti_fibre_albedo(rlti_fibre_absorption(hair), (float)hair->roughness_around);
    colour[0] = (double)c.x;
    colour[1] = (double)c.y;
    colour[2] = (double)c.z;
}

static float logistic_below(float x, float s) {
    return 1.0f / (1.0f + expf(-x / s));
}

void rlti_fibre_prepare(const rlt_render_hair *look, rlti_fibre *fibre) {
    /* below these the lobes are narrower than single precision can place them */
    float along = rlti_max((float)look->roughness, 0.05f);
    float around = rlti_max((float)look->roughness_around, 0.05f);
    /* C eq. (7): roughness looks even in steps */
    float v = square(0.726f * along + 0.812f * square(along) + 3.7f * power(along, 20));
    fibre->variance[0] = v;
    fibre->variance[1] = 0.25f * v;
    fibre->variance[2] = 4.0f * v;
    fibre->variance[3] = 4.0f * v;
    for (int p = 0; p < RLTI_LOBES; p++)
        fibre->scale[p] = 1.0f / (fibre->variance[p] * (1.0f - expf(-2.0f / fibre->variance[p])));
    /* C eq. (8), with sqrt(pi / 8) from deviation to the logistic's scale */
    fibre->logistic = 0.626657069f * (0.265f * around + 1.194f * square(around) + 5.372f * power(around, 22));
    fibre->logistic_low = logistic_below(-RLTI_PI_F, fibre->logistic);
    fibre->logistic_mass = logistic_below(RLTI_PI_F, fibre->logistic) - fibre->logistic_low;
    /* light reflected outside, passing, and reflected inside meets the scales' slope -2, 1 and 4 times (C) */
    static const float turns[3] = {-2.0f, 1.0f, 4.0f};
    for (int p = 0; p < 3; p++) {
        float angle = turns[p] * (float)look->tilt * (RLTI_PI_F / 180.0f);
        fibre->sin_tilt[p] = sinf(angle);
        fibre->cos_tilt[p] = cosf(angle);
    }
    fibre->ior = (float)look->ior;
}

/* ---- one hair ---- */

/* Fresnel reflection, unpolarised, from outside. */
static float reflected(float cos_in, float ior) {
    float sin_in = sqrtf(rlti_max(0.0f, 1.0f - square(cos_in)));
    float sin_t = sin_in / ior;
    if (sin_t >= 1.0f)
        return 1.0f;
    float cos_t = sqrtf(1.0f - square(sin_t));
    float parallel = (ior * cos_in - cos_t) / (ior * cos_in + cos_t);
    float across = (cos_in - ior * cos_t) / (cos_in + ior * cos_t);
    return 0.5f * (square(parallel) + square(across));
}

/* The share that each lobe keeps, C eq. (4) and section 3.2: f outside; (1 - f)^2 T; times f T for each
 * reflection inside, the last lobe being the sum of all further. */
static void set_weights(rlti_f3 absorption, float f, float path, rlti_f3 weight[RLTI_LOBES]) {
    const float sigma[3] = {absorption.x, absorption.y, absorption.z};
    float kept[RLTI_LOBES][3];
    for (int c = 0; c < 3; c++) {
        float through = expf(-sigma[c] * path);
        kept[0][c] = f;
        kept[1][c] = square(1.0f - f) * through;
        kept[2][c] = kept[1][c] * f * through;
        kept[3][c] = kept[2][c] * f * through / rlti_max(1.0f - f * through, 1e-6f);
    }
    for (int p = 0; p < RLTI_LOBES; p++)
        weight[p] = rlti_f3_of(kept[p][0], kept[p][1], kept[p][2]);
}

void rlti_scatter_begin(const rlti_fibre *fibre, rlti_f3 absorption, float h, float sin_out,
                        rlti_scatter *scatter) {
    h = rlti_min(rlti_max(h, -0.9999f), 0.9999f);
    sin_out = rlti_min(rlti_max(sin_out, -0.9999f), 0.9999f);
    float cos_out = sqrtf(1.0f - square(sin_out));
    float cos_gamma = sqrtf(1.0f - square(h));
    /* inside, seen along the hair: Snell's law with Bravais' index */
    float bravais = sqrtf(square(fibre->ior) - square(sin_out)) / cos_out;
    float sin_gamma_t = h / bravais;
    float cos_gamma_t = sqrtf(rlti_max(0.0f, 1.0f - square(sin_gamma_t)));
    float cos_theta_t = sqrtf(rlti_max(0.0f, 1.0f - square(sin_out / fibre->ior)));
    float f = reflected(cos_out * cos_gamma, fibre->ior);
    set_weights(absorption, f, 2.0f * cos_gamma_t / cos_theta_t, scatter->weight);

    float sum = 0.0f;
    for (int p = 0; p < RLTI_LOBES; p++) {
        scatter->choice[p] = rlti_f3_luminance(scatter->weight[p]);
        sum += scatter->choice[p];
    }
    for (int p = 0; p < RLTI_LOBES; p++)
        scatter->choice[p] /= sum;

    float gamma = asinf(h);
    float gamma_t = asinf(sin_gamma_t);
    for (int p = 0; p < 3; p++) {
        scatter->centre[p] = 2.0f * (float)p * gamma_t - 2.0f * gamma + (float)p * RLTI_PI_F;
        scatter->sin_out[p] = sin_out * fibre->cos_tilt[p] + cos_out * fibre->sin_tilt[p];
        scatter->cos_out[p] = fabsf(cos_out * fibre->cos_tilt[p] - sin_out * fibre->sin_tilt[p]);
    }
    scatter->sin_out[3] = sin_out;
    scatter->cos_out[3] = cos_out;
}

/* exp(-x) I0(x), x >= 0, to 2e-7: Abramowitz and Stegun 9.8.1 and 9.8.2. */
static float bessel_scaled(float x) {
    if (x < 3.75f) {
        float t = square(x / 3.75f);
        float sum = 0.0360768f + t * 0.0045813f;
        sum = 1.2067492f + t * (0.2659732f + t * sum);
        return expf(-x) * (1.0f + t * (3.5156229f + t * (3.0899424f + t * sum)));
    }
    float t = 3.75f / x;
    float sum = -0.01647633f + t * 0.00392377f;
    sum = -0.02057706f + t * (0.02635537f + t * sum);
    sum = -0.00157565f + t * (0.00916281f + t * sum);
    return (0.39894228f + t * (0.01328592f + t * (0.00225319f + t * sum))) / sqrtf(x);
}

/* M_p, E eq. (7): csch(1/v) / (2 v) exp(-sin sin / v) I0(cos cos / v), with all exponents joined: they can be
 * hundreds, their sum is never above 0. */
static float longitudinal(float sin_in, float cos_in, float sin_out, float cos_out, float v, float scale) {
    float a = cos_in * cos_out / v;
    float b = sin_in * sin_out / v;
    return scale * bessel_scaled(a) * expf(rlti_min(0.0f, a - b - 1.0f / v));
}

/* To -pi .. pi; the argument is within a few turns. */
static float wrap(float angle) {
    while (angle > RLTI_PI_F)
        angle -= 2.0f * RLTI_PI_F;
    while (angle < -RLTI_PI_F)
        angle += 2.0f * RLTI_PI_F;
    return angle;
}

/* N_p, C eq. (6): a logistic cut off at half a turn */
static float azimuthal(const rlti_fibre *fibre, float angle) {
    float e = expf(-fabsf(wrap(angle)) / fibre->logistic);
    return e / (fibre->logistic * square(1.0f + e) * fibre->logistic_mass);
}

float rlti_scatter_eval(const rlti_fibre *fibre, const rlti_scatter *scatter, rlti_f3 in, rlti_f3 *value) {
    float sin_in = rlti_min(rlti_max(in.x, -1.0f), 1.0f);
    float cos_in = sqrtf(1.0f - square(sin_in));
    float phi = atan2f(-in.y, in.z); /* from the eye's azimuth */
    float density = 0.0f;
    *value = rlti_f3_of(0.0f, 0.0f, 0.0f);
    for (int p = 0; p < RLTI_LOBES; p++) {
        float n = p < 3 ? azimuthal(fibre, phi - scatter->centre[p]) : 0.5f / RLTI_PI_F;
        float m = longitudinal(sin_in, cos_in, scatter->sin_out[p], scatter->cos_out[p], fibre->variance[p],
                               fibre->scale[p]);
        *value = rlti_f3_madd(*value, m * n, scatter->weight[p]);
        density += scatter->choice[p] * m * n;
    }
    return density;
}

rlti_f3 rlti_scatter_sample(const rlti_fibre *fibre, const rlti_scatter *scatter, const float u[4]) {
    int p = 0;
    float rest = u[0];
    while (p < RLTI_LOBES - 1 && rest >= scatter->choice[p])
        rest -= scatter->choice[p++];
    /* M_p, E section 5: a bell on the sphere around the cone's mirror image */
    float v = fibre->variance[p];
    float bell = 1.0f + v * logf(rlti_max(u[1], 1e-6f) + (1.0f - u[1]) * expf(-2.0f / v));
    float side = sqrtf(rlti_max(0.0f, 1.0f - square(bell))) * cosf(2.0f * RLTI_PI_F * u[2]);
    float sin_in = -bell * scatter->sin_out[p] + side * scatter->cos_out[p];
    sin_in = rlti_min(rlti_max(sin_in, -1.0f), 1.0f);
    float cos_in = sqrtf(1.0f - square(sin_in));
    float phi = (2.0f * u[3] - 1.0f) * RLTI_PI_F;
    if (p < 3) {
        float below = rlti_max(fibre->logistic_low + u[3] * fibre->logistic_mass, 1e-7f);
        float x = -fibre->logistic * logf(rlti_max(1.0f / below - 1.0f, 1e-7f));
        phi = scatter->centre[p] + rlti_min(rlti_max(x, -RLTI_PI_F), RLTI_PI_F);
    }
    return rlti_f3_of(sin_in, -cos_in * sinf(phi), cos_in * cosf(phi));
}

/* ---- through many hairs ---- */

void rlti_forward_prepare(const rlti_fibre *fibre, rlti_f3 absorption, rlti_forward *forward) {
    enum { ACROSS = 16, DIRECTIONS = 64 };
    for (int i = 0; i <= RLTI_FORWARD_STEPS; i++) {
        float sine = (float)i / RLTI_FORWARD_STEPS;
        rlti_f3 sum = rlti_f3_of(0.0f, 0.0f, 0.0f);
        for (int j = 0; j < ACROSS * DIRECTIONS; j++) {
            float h = -1.0f + 2.0f * ((float)(j / DIRECTIONS) + 0.5f) / ACROSS;
            rlti_scatter scatter;
            rlti_scatter_begin(fibre, absorption, h, sine, &scatter);
            /* multiples of powers of the 4-dimensional golden ratio fill the space evenly */
            static const double steps[4] = {0.8566748838545029, 0.7338918566271260, 0.6287067210378087,
                                            0.5385972572236101};
            float u[4];
            for (int k = 0; k < 4; k++) {
                double x = 0.5 + (double)(j + 1) * steps[k];
                u[k] = (float)(x - floor(x)) * 0.99999f;
            }
            rlti_f3 in = rlti_scatter_sample(fibre, &scatter, u);
            float back = in.x * sine + in.z * sqrtf(rlti_max(0.0f, 1.0f - square(sine)));
            rlti_f3 value;
            float density = rlti_scatter_eval(fibre, &scatter, in, &value);
            if (back < 0.0f && density > 0.0f)
                sum = rlti_f3_madd(sum, 1.0f / density, value);
        }
        forward->pass[i] = rlti_f3_scale(1.0f / (ACROSS * DIRECTIONS), sum);
    }
}
