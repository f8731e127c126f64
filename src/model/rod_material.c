#include "model/rod_material.h"

#include "model/fold.h"
#include "model/taz_model.h"
#include "scene/readers.h"

/* Default hair, whose mass on a unit of its length is hair.mass. */
static const double default_radius = 40e-6, default_density = 1320.0; /* [m], [kg/m^3] */
static const double twist_to_bend = 0.75;                             /* G J / (E I) of a round hair */

static double value_at(const rlti_strands *strands, const rlti_ramp *ramp, int p, int edge, double position) {
    return edge ? rlti_strands_edge_value(strands, ramp, p, position)
                : rlti_strands_value(strands, ramp, p, position);
}

/* ---- in SI ---- */

static rlti_rod_material from_si(const rlti_scene_data *scene, const rlti_strands *strands,
                                 const rlti_hair_data *hair, int p, int edge, double position) {
    const rlti_rod_data *rod = &hair->rod;
    double r = 1e-6 * value_at(strands, &rod->radius, p, edge, position);
    double young = value_at(strands, &rod->young, p, edge, position);
    double shear = value_at(strands, &rod->shear, p, edge, position);
    /* half-axes along the directors: the strand bends about director 0 across the thin one */
    double off = rlti_hair_reads(hair, "hair.rod.eccentricity") ? rod->eccentricity : 0.0;
    double flat = sqrt(1.0 - off * off), root = sqrt(flat);
    double a0 = r / root, a1 = r * root, u = scene->metres_per_unit, u2 = u * u;
    double share = r / default_radius;
    double mass = value_at(strands, &hair->mass, p, edge, position) * rod->hairs *
                  (rod->density / default_density) * share * share;
    double per_mass = mass / (rod->density * u2 * u2); /* of E I / A */
    return (rlti_rod_material){
        .mass = mass,
        .stretch = mass * young / (rod->density * u2),
        .bend_0 = per_mass * young * 0.25 * a1 * a1, /* I_0 / A = a1^2 / 4 */
        .bend_1 = per_mass * young * 0.25 * a0 * a0,
        .twist = per_mass * shear * a0 * a0 * a1 * a1 / (a0 * a0 + a1 * a1), /* J / A */
        .gyration = 0.25 * (a0 * a0 + a1 * a1) / u2,
        .damping = value_at(strands, &rod->damping, p, edge, position),
    };
}

/* ---- from Taz ---- */

rlti_rod_curl rlti_rod_curl_of(const rlti_strands *strands, int strand, const rlti_hair_data *hair,
                               double *smooth) {
    int first = strands->first[strand], count = strands->first[strand + 1] - first;
    const rlti_vec3 *x = strands->points + first;
    rlti_rod_curl curl = {.length = rlti_points_length(x, count), .cosine = 1.0};
    double along = 0.0, turning = 0.0, axis = 0.0;
    double beta = rlti_fold_beta(curl.length / (count - 1), hair->core_smoothing);
    for (int i = 0; i + 1 < count; i++) {
        double l = rlti_length(rlti_sub(x[i + 1], x[i]));
        curl.weight += l * value_at(strands, &hair->mass, first + i, 1, (along + 0.5 * l) / curl.length);
        along += l;
        if (i > 0) { /* 2 sin(Phi / 2): as good as the angle here */
            rlti_vec3 t0 = rlti_normalize(rlti_sub(x[i], x[i - 1])),
                      t1 = rlti_normalize(rlti_sub(x[i + 1], x[i]));
            turning += rlti_length(rlti_sub(t1, t0));
        }
    }
    rlti_fold_smooth(beta, count, x, smooth);
    for (int i = 0; i + 1 < count; i++)
        axis += smooth[i];
    curl.cosine = axis < curl.length ? axis / curl.length : 1.0;
    double sine = sqrt(1.0 - curl.cosine * curl.cosine), bend = turning / curl.length;
    if (sine > 0.05 && bend > 0.0) { /* a helix: curvature = q sine, radius = sine / q */
        curl.turning = bend / sine;
        curl.radius = sine / curl.turning;
    }
    return curl;
}

/* Bending stiffness of Taz's springs against a bend of q radians a unit, per k_b. */
static double bend_share(double smoothing, double q) {
    double lag = rlti_taz_lag(1.0, smoothing), x = q * smoothing * q * smoothing;
    return lag * lag * (1.0 + 0.25 * x) / ((1.0 + x) * (1.0 + x));
}

static double damping_of(const rlti_hair_data *hair, const rlti_rod_curl *curl, double k, double c) {
    const double slowest = 0.5; /* [s] hair that creeps longer looks stuck */
    double swing = 4.7 / curl->length, q = curl->turning > swing ? curl->turning : swing;
    double held = k * bend_share(hair->bend_smoothing, q) * q * q;
    double seconds = held > 0.0 ? c / held : 0.0;
    return seconds < slowest ? seconds : slowest;
}

static rlti_rod_material from_taz(const rlti_scene_data *scene, const rlti_strands *strands,
                                  const rlti_hair_data *hair, const rlti_rod_curl *curl, int p, int edge,
                                  double position) {
    double k_b = value_at(strands, &hair->bend_stiffness, p, edge, position);
    double c_b = value_at(strands, &hair->bend_damping, p, edge, position);
    double k_c = value_at(strands, &hair->core_stiffness, p, edge, position) *
                 value_at(strands, &hair->core_stiffness_max, p, edge, position);
    double k_s = value_at(strands, &hair->stretch_stiffness, p, edge, position);
    double sine2 = 1.0 - curl->cosine * curl->cosine;
    double core = (sine2 / twist_to_bend + curl->cosine * curl->cosine) * curl->radius * curl->radius;
    double bend = k_b * bend_share(hair->bend_smoothing, curl->turning) + core * sqrt(k_c);
    const double *g = scene->gravity, hard = 30.0; /* a stop that must not tear it [g] */
    double pull = hard * curl->weight * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    double limit = hair->stretch_limit > 1.0 ? hair->stretch_limit - 1.0 : 0.1;
    double r = default_radius / scene->metres_per_unit;
    return (rlti_rod_material){
        .mass = value_at(strands, &hair->mass, p, edge, position) * hair->rod.hairs,
        .stretch = (k_s > pull / limit ? k_s : pull / limit) * hair->rod.hairs,
        .bend_0 = bend * hair->rod.hairs,
        .bend_1 = bend * hair->rod.hairs,
        .twist = twist_to_bend * bend * hair->rod.hairs,
        .gyration = 0.5 * r * r,
        .damping = hair->rod.damping_converted ? damping_of(hair, curl, k_b, c_b)
                                               : value_at(strands, &hair->rod.damping, p, edge, position),
    };
}

/* Soaked hair after Robbins, Chemical and Physical Behavior of Human Hair: it takes up 32% of its mass and is
 * 14% thicker; Young's modulus falls to 0.42, the shear modulus to 0.2 of that at 65% humidity. */
static void soak(double wet, rlti_rod_material *m) {
    const double water = 0.32, thicker = 0.14, softer = 0.58, limper = 0.8;
    double scale = 1.0 + thicker * wet, area = scale * scale, young = 1.0 - softer * wet;
    m->mass *= 1.0 + water * wet;
    m->stretch *= young * area;
    m->bend_0 *= young * area * area;
    m->bend_1 *= young * area * area;
    m->twist *= (1.0 - limper * wet) * area * area;
    m->gyration *= area;
}

rlti_rod_material rlti_rod_material_at(const rlti_scene_data *scene, const rlti_strands *strands,
                                       const rlti_hair_data *hair, const rlti_rod_curl *curl, int p, int edge,
                                       double position) {
    rlti_rod_material m = hair->rod.converted ? from_taz(scene, strands, hair, curl, p, edge, position)
                                              : from_si(scene, strands, hair, p, edge, position);
    if (hair->rod.wet > 0.0)
        soak(hair->rod.wet, &m);
    if (rlti_hair_is_coil(hair)) {
        double bend = value_at(strands, &hair->coil.bend, p, edge, position);
        m.stretch *= value_at(strands, &hair->coil.stretch, p, edge, position);
        m.twist *= value_at(strands, &hair->coil.torsion, p, edge, position);
        m.bend_0 *= bend;
        m.bend_1 *= bend;
    }
    return m;
}

double rlti_rod_young_of(const rlti_scene_data *scene, const rlti_rod_material *m) {
    double u2 = scene->metres_per_unit * scene->metres_per_unit, r2 = default_radius * default_radius;
    return 4.0 * default_density * u2 * u2 * m->bend_0 / (m->mass * r2);
}
