// How a hair scatters light, as src/render/hair_scatter.c has it (Chiang and others 2016, d'Eon and others 2011), and tables of it: for
// lights and eye that stand still, light is a function of the hair's direction alone (src/render/raster_table.c).
export const TABLE = 32; // directions along each side of the octahedral map
const ACROSS = 6; // places across a hair that a mean is over
const LOBES = 4;

const square = (x) => x * x;
const clamp = (x, low, high) => Math.min(high, Math.max(low, x));

const UNIT = 0.4, EUMELANIN = [0.419, 0.697, 1.37], PHEOMELANIN = [0.187, 0.55, 1.15];

const colourFit = (b) => 5.969 - 0.215 * b + 2.532 * b ** 2 - 10.73 * b ** 3 + 5.574 * b ** 4 + 0.245 * b ** 5;

// Of a look: what one hair absorbs, and the colour of a mass of such hair.
export function pigment(look) {
  const fit = colourFit(look.roughness_around);
  const sigma = look.dyed ? look.dye.map((c) => square(Math.log(clamp(c, 1e-3, 0.999)) / fit))
    : EUMELANIN.map((e, k) => UNIT * (look.eumelanin * e + look.pheomelanin * PHEOMELANIN[k]));
  return { sigma, albedo: sigma.map((s) => Math.exp(-fit * Math.sqrt(s))) };
}

function fibreOf(look) {
  const along = Math.max(look.roughness, 0.05), around = Math.max(look.roughness_around, 0.05);
  const v = square(0.726 * along + 0.812 * along ** 2 + 3.7 * along ** 20), variance = [v, 0.25 * v, 4 * v, 4 * v];
  const logistic = 0.626657069 * (0.265 * around + 1.194 * around ** 2 + 5.372 * around ** 22);
  const below = (x) => 1 / (1 + Math.exp(-x / logistic)), low = below(-Math.PI);
  const tilts = [-2, 1, 4].map((turns) => (turns * look.tilt * Math.PI) / 180);
  return { variance, scale: variance.map((x) => 1 / (x * (1 - Math.exp(-2 / x)))), logistic, low, mass: below(Math.PI) - low,
    sinTilt: tilts.map(Math.sin), cosTilt: tilts.map(Math.cos), ior: look.ior, sigma: pigment(look).sigma };
}

// Fresnel reflection, unpolarised, from outside.
function reflected(cosIn, ior) {
  const sinT = Math.sqrt(Math.max(0, 1 - square(cosIn))) / ior;
  if (sinT >= 1) return 1;
  const cosT = Math.sqrt(1 - square(sinT));
  return 0.5 * (square((ior * cosIn - cosT) / (ior * cosIn + cosT)) + square((cosIn - ior * cosT) / (cosIn + ior * cosT)));
}

// A hair where a ray from the eye meets it, `h` across its width; `out` is written to.
function begin(fibre, h, sine, out) {
  const sinOut = clamp(sine, -0.9999, 0.9999), cosOut = Math.sqrt(1 - square(sinOut));
  const bravais = Math.sqrt(square(fibre.ior) - square(sinOut)) / cosOut, sinT = h / bravais;
  const path = (2 * Math.sqrt(Math.max(0, 1 - square(sinT)))) / Math.sqrt(Math.max(0, 1 - square(sinOut / fibre.ior)));
  const f = reflected(cosOut * Math.sqrt(1 - square(h)), fibre.ior), gamma = Math.asin(h), inner = Math.asin(sinT);
  for (let c = 0; c < 3; c++) {
    const through = Math.exp(-fibre.sigma[c] * path);
    out.weight[c] = f;
    out.weight[3 + c] = square(1 - f) * through;
    out.weight[6 + c] = out.weight[3 + c] * f * through;
    out.weight[9 + c] = (out.weight[6 + c] * f * through) / Math.max(1 - f * through, 1e-6);
  }
  for (let p = 0; p < 3; p++) {
    out.centre[p] = 2 * p * inner - 2 * gamma + p * Math.PI;
    out.sinOut[p] = sinOut * fibre.cosTilt[p] + cosOut * fibre.sinTilt[p];
    out.cosOut[p] = Math.abs(cosOut * fibre.cosTilt[p] - sinOut * fibre.sinTilt[p]);
  }
  out.sinOut[3] = sinOut;
  out.cosOut[3] = cosOut;
  return out;
}

const scatterOf = () => ({ weight: new Float64Array(3 * LOBES), centre: new Float64Array(3), sinOut: new Float64Array(LOBES), cosOut: new Float64Array(LOBES) });

// exp(-x) I0(x), x >= 0: Abramowitz and Stegun 9.8.1 and 9.8.2.
function besselScaled(x) {
  if (x < 3.75) {
    const t = square(x / 3.75);
    return Math.exp(-x) * (1 + t * (3.5156229 + t * (3.0899424 + t * (1.2067492 + t * (0.2659732 + t * (0.0360768 + t * 0.0045813))))));
  }
  const t = 3.75 / x;
  const sum = -0.00157565 + t * (0.00916281 + t * (-0.02057706 + t * (0.02635537 + t * (-0.01647633 + t * 0.00392377))));
  return (0.39894228 + t * (0.01328592 + t * (0.00225319 + t * sum))) / Math.sqrt(x);
}

// Adds `weight` times the scattering of light from (sine along, y across, z to the eye) to three numbers.
function add(fibre, s, sinIn, y, z, weight, to, at) {
  const cosIn = Math.sqrt(Math.max(0, 1 - square(sinIn))), phi = Math.atan2(-y, z);
  for (let p = 0; p < LOBES; p++) {
    const v = fibre.variance[p], a = (cosIn * s.cosOut[p]) / v, b = (sinIn * s.sinOut[p]) / v;
    let n = 0.5 / Math.PI;
    if (p < 3) {
      const turns = (phi - s.centre[p]) / (2 * Math.PI), angle = 2 * Math.PI * Math.abs(turns - Math.round(turns));
      const e = Math.exp(-angle / fibre.logistic);
      n = e / (fibre.logistic * square(1 + e) * fibre.mass);
    }
    const m = weight * n * fibre.scale[p] * besselScaled(a) * Math.exp(Math.min(0, a - b - 1 / v));
    for (let c = 0; c < 3; c++) to[at + c] += m * s.weight[3 * p + c];
  }
}

// The direction in the middle of a square of the map.
function directionOf(i, j) {
  let x = (2 * (i + 0.5)) / TABLE - 1, y = (2 * (j + 0.5)) / TABLE - 1;
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) [x, y] = [(1 - Math.abs(y)) * (x < 0 ? -1 : 1), (1 - Math.abs(x)) * (y < 0 ? -1 : 1)];
  const length = Math.hypot(x, y, z);
  return [x / length, y / length, z / length];
}

// Light of each light to the eye, for a hair of each direction: RGBA texels, TABLE rows for each light. `out`: to the eye; `lights`: their
// directions and colours, in the same frame.
export function tableOf(look, out, lights, texels, first) {
  const fibre = fibreOf(look), s = scatterOf();
  for (let j = 0; j < TABLE; j++)
    for (let i = 0; i < TABLE; i++) {
      const [tx, ty, tz] = directionOf(i, j), sine = tx * out[0] + ty * out[1] + tz * out[2];
      let f = [out[0] - sine * tx, out[1] - sine * ty, out[2] - sine * tz], size = Math.hypot(...f);
      if (size < 1e-4) (f = Math.abs(tx) < 0.6 ? [0, tz, -ty] : [-tz, 0, tx]), (size = Math.hypot(...f));
      f = f.map((x) => x / size);
      const side = [f[1] * tz - f[2] * ty, f[2] * tx - f[0] * tz, f[0] * ty - f[1] * tx];
      lights.forEach((_, l) => texels.fill(0, 4 * (first + (l * TABLE + j) * TABLE + i), 4 * (first + (l * TABLE + j) * TABLE + i) + 4));
      for (let k = 0; k < ACROSS; k++) {
        const angle = Math.PI * ((k + 0.5) / ACROSS - 0.5), weight = ((0.5 * Math.PI) / ACROSS) * Math.cos(angle);
        begin(fibre, Math.sin(angle), sine, s);
        lights.forEach(({ direction: d }, l) => add(fibre, s, clamp(d[0] * tx + d[1] * ty + d[2] * tz, -1, 1), d[0] * side[0] + d[1] * side[1] + d[2] * side[2],
          d[0] * f[0] + d[1] * f[1] + d[2] * f[2], weight, texels, 4 * (first + (l * TABLE + j) * TABLE + i)));
      }
      lights.forEach(({ colour }, l) => {
        for (let c = 0; c < 3; c++) texels[4 * (first + (l * TABLE + j) * TABLE + i) + c] *= colour[c];
      });
    }
}

// The share of light that comes through one hair into the half space ahead, over its width, for a ray a little oblique.
export function passOf(look) {
  const fibre = fibreOf(look), s = scatterOf(), sine = 0.3, cosine = Math.sqrt(1 - sine * sine), sum = [0, 0, 0], ALONG = 24, AROUND = 24;
  for (let k = 0; k < ACROSS; k++) {
    begin(fibre, -1 + (2 * (k + 0.5)) / ACROSS, sine, s);
    for (let i = 0; i < ALONG; i++)
      for (let j = 0; j < AROUND; j++) {
        const sinIn = -1 + (2 * (i + 0.5)) / ALONG, cosIn = Math.sqrt(1 - sinIn * sinIn), phi = (2 * Math.PI * (j + 0.5)) / AROUND;
        const y = cosIn * Math.sin(phi), z = cosIn * Math.cos(phi);
        if (sinIn * sine + z * cosine < 0) add(fibre, s, sinIn, y, z, (4 * Math.PI) / (ACROSS * ALONG * AROUND), sum, 0);
      }
  }
  return sum.map((x) => Math.min(1, x));
}
