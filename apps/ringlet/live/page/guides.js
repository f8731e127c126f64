// Guides of a frame, resampled and taken apart into the curl's middle line, frames along it, and the curl around it:
// what the library's own fill does (docs/design/live-viewer.md).
const ROWS = 5; // core, tangent, normal, curl, the guide itself
const EXTRA = 2; // root, turn
const SAMPLES_LEAST = 32;

const dot = (a, i, b, j) => a[i] * b[j] + a[i + 1] * b[j + 1] + a[i + 2] * b[j + 2];

// Makes three numbers of `v` a unit vector; 0 where they are too small.
function unit(v, i) {
  const length = Math.hypot(v[i], v[i + 1], v[i + 2]);
  if (!(length > 1e-12)) return 0;
  v[i] /= length;
  v[i + 1] /= length;
  v[i + 2] /= length;
  return 1;
}

// v turned by the quaternion q (x, y, z, w).
export function turned(q, v) {
  const [x, y, z, w] = q;
  const tx = 2 * (y * v[2] - z * v[1]), ty = 2 * (z * v[0] - x * v[2]), tz = 2 * (x * v[1] - y * v[0]);
  return [v[0] + w * tx + y * tz - z * ty, v[1] + w * ty + z * tx - x * tz, v[2] + w * tz + x * ty - y * tx];
}

function lengthOf(p, first, last) {
  let sum = 0;
  for (let i = first; i + 1 < last; i++)
    sum += Math.hypot(p[3 * i + 3] - p[3 * i], p[3 * i + 4] - p[3 * i + 1], p[3 * i + 5] - p[3 * i + 2]);
  return sum;
}

// The angle by which the direction turns along a strand.
function bendOf(p, first, last) {
  let angle = 0, before = null;
  for (let i = first; i + 1 < last; i++) {
    const e = [p[3 * i + 3] - p[3 * i], p[3 * i + 4] - p[3 * i + 1], p[3 * i + 5] - p[3 * i + 2]];
    if (!unit(e, 0)) continue;
    if (before) angle += Math.acos(Math.min(1, Math.max(-1, dot(e, 0, before, 0))));
    before = e;
  }
  return angle;
}

// Turns of a strand that has more than nine of ten.
function turnsOf({ strands, first, rest }) {
  const all = Float32Array.from({ length: strands }, (_, s) => bendOf(rest, first[s], first[s + 1])).sort();
  return (all[Math.floor(0.9 * (strands - 1))] ?? 0) / (2 * Math.PI);
}

// Length of one turn of the curl: the path over which the direction turns by a full circle.
function turnLength(p, first, last, length) {
  const angle = bendOf(p, first, last);
  const longest = 0.125 * length, turn = angle > 0 ? (2 * Math.PI * length) / angle : longest;
  return Math.min(turn, longest);
}

export class Guides {
  // `perTurn`: samples for a turn of a curl; `samples`: of a guide, at most.
  constructor(groom, { perTurn, samples }) {
    this.groom = groom;
    this.samples = Math.max(Math.min(SAMPLES_LEAST, samples), Math.min(samples, Math.ceil(perTurn * turnsOf(groom)) + 1));
    this.stride = ROWS * this.samples + EXTRA; // texels of one guide
    this.perRow = Math.max(1, Math.floor(2048 / this.stride)); // guides of a row of the texture
    this.width = this.perRow * this.stride;
    this.height = Math.max(1, Math.ceil(groom.strands / this.perRow));
    this.texels = new Float32Array(4 * this.width * this.height);
    this.measure();
  }

  // What stays: where samples lie, how much is smoothed, the radius of each curl, N at the root.
  measure() {
    const { strands, first, rest } = this.groom, n = this.samples;
    this.at = new Int32Array(strands * n);
    this.share = new Float32Array(strands * n);
    this.keep = new Float32Array(strands);
    this.lengths = new Float32Array(strands);
    this.radii = new Float32Array(strands);
    this.across = new Float32Array(3 * strands);
    this.directions = new Float32Array(3 * strands);
    for (let s = 0; s < strands; s++) {
      const from = first[s], to = first[s + 1];
      const length = (this.lengths[s] = lengthOf(rest, from, to));
      this.keep[s] = Math.exp(-length / (n - 1) / Math.max(turnLength(rest, from, to, length), 1e-9));
      let piece = from, before = 0;
      for (let i = 0; i < n; i++) {
        const wanted = (length * i) / (n - 1);
        let size = lengthOf(rest, piece, piece + 2);
        while (piece + 2 < to && wanted >= before + size) {
          before += size;
          piece++;
          size = lengthOf(rest, piece, piece + 2);
        }
        this.at[s * n + i] = piece;
        this.share[s * n + i] = size > 0 ? Math.min(1, Math.max(0, (wanted - before) / size)) : 0;
      }
      const t = [rest[3 * from + 3] - rest[3 * from], rest[3 * from + 4] - rest[3 * from + 1],
        rest[3 * from + 5] - rest[3 * from + 2]];
      const axis = Math.abs(t[0]) < Math.abs(t[1]) ? [1, 0, 0] : [0, 1, 0];
      const c = [t[1] * axis[2] - t[2] * axis[1], t[2] * axis[0] - t[0] * axis[2], t[0] * axis[1] - t[1] * axis[0]];
      unit(c, 0);
      this.across.set(c, 3 * s);
      const middle = from + ((to - from) >> 1);
      const d = [0, 1, 2].map((k) => rest[3 * middle + k] - rest[3 * from + k]);
      unit(d, 0);
      this.directions.set(d, 3 * s);
    }
    const none = new Int16Array(4 * strands);
    for (let s = 0; s < strands; s++) none[4 * s + 3] = 32767;
    this.take(rest, none);
    for (let s = 0; s < strands; s++) {
      let square = 0;
      const base = 4 * (s * this.stride + 3 * n);
      for (let i = 0; i < n; i++) square += this.texels[base + 4 * i] ** 2 + this.texels[base + 4 * i + 1] ** 2;
      this.radii[s] = Math.sqrt(square / n);
    }
  }

  // Positions and turns of a frame.
  take(points, turns) {
    const n = this.samples;
    const at = new Float64Array(3 * n), core = new Float64Array(3 * n), weight = new Float64Array(n);
    for (let s = 0; s < this.groom.strands; s++) {
      this.sample(points, s, at);
      this.smooth(at, this.keep[s], core, weight);
      this.split(points, turns, s, at, core);
    }
  }

  // The guide at its samples, from its root, by Catmull and Rom's cubic.
  sample(p, s, out) {
    const n = this.samples, first = this.groom.first[s], last = this.groom.first[s + 1] - 1;
    const root = [p[3 * first], p[3 * first + 1], p[3 * first + 2]];
    for (let i = 0; i < n; i++) {
      const b = this.at[s * n + i], t = this.share[s * n + i], t2 = t * t, t3 = t2 * t;
      const wa = 0.5 * (-t3 + 2 * t2 - t), wb = 0.5 * (3 * t3 - 5 * t2 + 2);
      const wc = 0.5 * (-3 * t3 + 4 * t2 + t), wd = 0.5 * (t3 - t2);
      for (let k = 0; k < 3; k++) {
        const pb = p[3 * b + k], pc = p[3 * b + 3 + k];
        const pa = b > first ? p[3 * b - 3 + k] : 2 * pb - pc, pd = b + 1 < last ? p[3 * b + 6 + k] : 2 * pc - pb;
        out[3 * i + k] = wa * pa + wb * pb + wc * pc + wd * pd - root[k];
      }
    }
  }

  // The middle line: a mean with weights that fall on both sides.
  smooth(at, keep, core, weight) {
    const n = this.samples;
    let x = 0, y = 0, z = 0;
    for (let i = 0; i < n; i++) {
      x = at[3 * i] + keep * x;
      y = at[3 * i + 1] + keep * y;
      z = at[3 * i + 2] + keep * z;
      weight[i] = 1 + (i > 0 ? keep * weight[i - 1] : 0);
      core[3 * i] = x;
      core[3 * i + 1] = y;
      core[3 * i + 2] = z;
    }
    x = y = z = 0;
    for (let i = n - 1; i >= 0; i--) {
      const one = 1 / (weight[i] + weight[n - 1 - i] - 1);
      core[3 * i] = one * (core[3 * i] + x);
      core[3 * i + 1] = one * (core[3 * i + 1] + y);
      core[3 * i + 2] = one * (core[3 * i + 2] + z);
      x = keep * (at[3 * i] + x);
      y = keep * (at[3 * i + 1] + y);
      z = keep * (at[3 * i + 2] + z);
    }
  }

  // Frames along the middle line that turn as little as possible, and the guide in them.
  split(p, turns, s, at, core) {
    const n = this.samples, out = this.texels, start = 4 * s * this.stride, row = 4 * n;
    const q = [turns[4 * s] / 32767, turns[4 * s + 1] / 32767, turns[4 * s + 2] / 32767, turns[4 * s + 3] / 32767];
    const t = [0, -1, 0];
    let normal = turned(q, [this.across[3 * s], this.across[3 * s + 1], this.across[3 * s + 2]]);
    const least = 0.15 * (this.radii[s] ?? 0);
    let phase = 0, begun = false;
    for (let i = 0; i < n; i++) {
      const from = 3 * Math.max(0, i - 1), to = 3 * Math.min(n - 1, i + 1);
      const e = [core[to] - core[from], core[to + 1] - core[from + 1], core[to + 2] - core[from + 2]];
      const good = unit(e, 0);
      if (good && i > 0) normal = turnLeast(normal, t, e);
      if (good) [t[0], t[1], t[2]] = e;
      const along = dot(normal, 0, t, 0);
      for (let k = 0; k < 3; k++) normal[k] -= along * t[k];
      if (!unit(normal, 0)) normal = Math.abs(t[0]) < 0.9 ? [0, t[2], -t[1]] : [-t[2], 0, t[0]];
      const b = [t[1] * normal[2] - t[2] * normal[1], t[2] * normal[0] - t[0] * normal[2],
        t[0] * normal[1] - t[1] * normal[0]];
      const o = [at[3 * i] - core[3 * i], at[3 * i + 1] - core[3 * i + 1], at[3 * i + 2] - core[3 * i + 2]];
      const a = start + 4 * i;
      for (let k = 0; k < 3; k++) {
        out[a + k] = core[3 * i + k] - core[k];
        out[a + row + k] = t[k];
        out[a + 2 * row + k] = normal[k];
        out[a + 4 * row + k] = at[3 * i + k];
      }
      out[a + 3 * row] = dot(o, 0, normal, 0);
      out[a + 3 * row + 1] = dot(o, 0, b, 0);
      out[a + 3 * row + 2] = dot(o, 0, t, 0);
      if (Math.hypot(out[a + 3 * row], out[a + 3 * row + 1]) > least) { // how far the curl has turned, without jumps
        const now = Math.atan2(out[a + 3 * row + 1], out[a + 3 * row]), turns = (now - phase) / (2 * Math.PI);
        phase = begun ? phase + 2 * Math.PI * (turns - Math.round(turns)) : now;
        begun = true;
      }
      out[a + 3 * row + 3] = phase;
    }
    const root = 3 * this.groom.first[s];
    out.set([p[root], p[root + 1], p[root + 2], 0, ...q], start + ROWS * row);
  }
}

// v turned by the smallest rotation that takes the unit vector a to the unit vector b.
function turnLeast(v, a, b) {
  const c = 1 + dot(a, 0, b, 0);
  if (c < 1e-9) return v;
  const k = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const kv = [k[1] * v[2] - k[2] * v[1], k[2] * v[0] - k[0] * v[2], k[0] * v[1] - k[1] * v[0]];
  return [0, 1, 2].map((i) => {
    const [x, y] = [(i + 1) % 3, (i + 2) % 3];
    return v[i] + kv[i] + (k[x] * kv[y] - k[y] * kv[x]) / c;
  });
}

// For each hair the guides it is blended from, nearest first, with shares that vanish as a guide leaves the list.
export function chooseGuides(groom, guides, offsets, count) {
  const { first, rest, fill, section } = groom, wanted = Math.min(3, fill.neighbours);
  const cosine = Math.cos((fill.parting * Math.PI) / 180);
  const root = (g) => [rest[3 * first[g]], rest[3 * first[g] + 1], rest[3 * first[g] + 2]];
  const roots = Array.from({ length: groom.strands }, (_, g) => root(g));
  const lists = nearLists(roots, 16, (a, b) => section[a] === section[b] &&
    dot(guides.directions, 3 * a, guides.directions, 3 * b) >= cosine);
  const chosen = new Uint32Array(3 * count), shares = new Float32Array(3 * count);
  const near = new Uint32Array(wanted + 1), far = new Float64Array(wanted + 1);
  for (let h = 0; h < count; h++) {
    const g = groom.guides[h], at = roots[g];
    const x = at[0] + offsets[3 * h], y = at[1] + offsets[3 * h + 1], z = at[2] + offsets[3 * h + 2];
    let found = 0;
    for (const other of lists[g]) { // the nearest, in order
      const r = roots[other], d = Math.sqrt((x - r[0]) ** 2 + (y - r[1]) ** 2 + (z - r[2]) ** 2);
      if (found > wanted && d >= far[wanted]) continue;
      let i = Math.min(found, wanted);
      for (; i > 0 && d < far[i - 1]; i--) (far[i] = far[i - 1]), (near[i] = near[i - 1]);
      far[i] = d;
      near[i] = other;
      found = Math.min(found + 1, wanted + 1);
    }
    const edge = found > wanted ? far[wanted] : 2 * far[found - 1];
    let sum = 0;
    for (let i = 0; i < Math.min(wanted, found); i++) {
      const share = edge > 0 ? Math.max(0, 1 - far[i] / edge) ** 2 : i === 0 ? 1 : 0;
      chosen[3 * h + i] = near[i];
      shares[3 * h + i] = share;
      sum += share;
    }
    for (let i = 0; i < 3; i++) shares[3 * h + i] = sum > 0 ? shares[3 * h + i] / sum : i === 0 ? 1 : 0;
    if (!(sum > 0)) chosen[3 * h] = g;
  }
  return { chosen, shares };
}

// The nearest of each root that it may blend with, itself first; by a grid, so that many guides take no longer.
function nearLists(roots, most, may) {
  let low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const r of roots) {
    low = low.map((x, k) => Math.min(x, r[k]));
    high = high.map((x, k) => Math.max(x, r[k]));
  }
  const cell = Math.max(1e-6, Math.max(...high.map((x, k) => x - low[k])) / Math.cbrt(roots.length / 2 + 1));
  const key = (r, d) => r.map((x, k) => Math.floor((x - low[k]) / cell) + d[k]).join();
  const cells = new Map();
  roots.forEach((r, g) => {
    const k = key(r, [0, 0, 0]);
    cells.has(k) ? cells.get(k).push(g) : cells.set(k, [g]);
  });
  return roots.map((r, g) => {
    const found = [];
    for (let ring = 1; ring <= 3 && found.length < most; ring++) {
      found.length = 0;
      for (let x = -ring; x <= ring; x++)
        for (let y = -ring; y <= ring; y++)
          for (let z = -ring; z <= ring; z++)
            for (const other of cells.get(key(r, [x, y, z])) ?? [])
              if (other === g || may(g, other))
                found.push([other === g ? -1 : Math.hypot(r[0] - roots[other][0], r[1] - roots[other][1],
                  r[2] - roots[other][2]), other]);
    }
    return found.sort((a, b) => a[0] - b[0]).slice(0, most).map((f) => f[1]);
  });
}
