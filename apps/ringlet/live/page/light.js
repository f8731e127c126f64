// Light as the renderer's previews have it (src/render/raster_light.c): hair is a cloud, which each light is swept through; bodies are
// how far they reach towards each light.
import * as THREE from "three";

export const DEPTH = 8; // hairs crossed, of which a texel has half its range
const SOLID = 8; // hairs that a body counts as
const ALL_AROUND = 0.617; // mean sine of directions all around, squared

// How much hair is between a place and each of three lights, and the sky straight above.
export class Cloud {
  // `cells` along the longest side, and of the texture along each.
  constructor(cells) {
    this.cells = cells;
    this.values = new Float32Array(4 * cells ** 3); // hairs crossed by a unit of a path, and their mean direction
    this.crossed = new Float32Array(4 * cells ** 3);
    this.texture = new THREE.Data3DTexture(new Uint8Array(4 * cells ** 3), cells, cells, cells);
    Object.assign(this.texture, { format: THREE.RGBAFormat, type: THREE.UnsignedByteType, minFilter: THREE.LinearFilter, magFilter: THREE.LinearFilter,
      unpackAlignment: 1 });
    this.low = new THREE.Vector3();
    this.size = [1, 1, 1];
    this.cell = 1;
  }

  begin(box) {
    const side = box.getSize(new THREE.Vector3()), n = this.cells;
    this.cell = Math.max(side.x, side.y, side.z, 1e-9) / (n - 3);
    this.low.copy(box.min).subScalar(this.cell);
    this.size = side.toArray().map((x) => Math.min(n, Math.floor(x / this.cell) + 3));
    this.values.fill(0);
  }

  // A piece of hair from a to b (places in `p`), of this weight a length: shared among the eight cells around its middle.
  add(p, a, b, weight) {
    const n = this.cells, v = this.values, dx = p[b] - p[a], dy = p[b + 1] - p[a + 1], dz = p[b + 2] - p[a + 2], length = Math.hypot(dx, dy, dz);
    if (!(length > 0)) return;
    const parts = 1 + Math.min(64, Math.floor(length / this.cell)), w = (weight * length) / parts, inverse = 1 / this.cell;
    for (let k = 0; k < parts; k++) {
      const t = (k + 0.5) / parts;
      const x = (p[a] + t * dx - this.low.x) * inverse - 0.5, y = (p[a + 1] + t * dy - this.low.y) * inverse - 0.5, z = (p[a + 2] + t * dz - this.low.z) * inverse - 0.5;
      const i = Math.floor(x), j = Math.floor(y), m = Math.floor(z);
      if (!(i >= 0 && j >= 0 && m >= 0) || i > this.size[0] - 2 || j > this.size[1] - 2 || m > this.size[2] - 2) continue;
      const fx = x - i, fy = y - j, fz = z - m;
      for (let corner = 0; corner < 8; corner++) {
        const cx = corner & 1, cy = (corner >> 1) & 1, cz = corner >> 2;
        const share = w * (cx ? fx : 1 - fx) * (cy ? fy : 1 - fy) * (cz ? fz : 1 - fz);
        const at = 4 * (((m + cz) * n + j + cy) * n + i + cx);
        v[at] += share;
        v[at + 1] += (share * dx) / length;
        v[at + 2] += (share * dy) / length;
        v[at + 3] += (share * dz) / length;
      }
    }
  }

  // Each cell takes half of its own and a quarter of both neighbours', along each axis: hairs around guides, where only those are known.
  soften() {
    const n = this.cells, v = this.values, [sx, sy, sz] = this.size, strides = [4, 4 * n, 4 * n * n], row = new Float32Array(4 * (n + 2));
    const run = (start, stride, count) => {
      row.fill(0);
      for (let i = 0; i < count; i++) for (let c = 0; c < 4; c++) row[4 * (i + 1) + c] = v[start + i * stride + c];
      for (let i = 0; i < count; i++)
        for (let c = 0; c < 4; c++) v[start + i * stride + c] = 0.5 * row[4 * (i + 1) + c] + 0.25 * (row[4 * i + c] + row[4 * (i + 2) + c]);
    };
    for (let z = 0; z < sz; z++) for (let y = 0; y < sy; y++) run(z * strides[2] + y * strides[1], strides[0], sx);
    for (let z = 0; z < sz; z++) for (let x = 0; x < sx; x++) run(z * strides[2] + x * strides[0], strides[1], sy);
    for (let y = 0; y < sy; y++) for (let x = 0; x < sx; x++) run(y * strides[1] + x * strides[0], strides[2], sz);
  }

  // After all hair: sweeps each light through it, one a piece of work. `lights`: directions to them; `solids` may be null.
  *finish(lights, solids) {
    const volume = this.cell ** 3, v = this.values, n = this.cells, [sx, sy, sz] = this.size;
    for (let z = 0; z < sz; z++)
      for (let y = 0; y < sy; y++)
        for (let at = 4 * (z * n + y) * n, end = at + 4 * sx; at < end; at += 4) {
          if (!(v[at] > 0)) continue;
          const inverse = 1 / v[at];
          for (let c = 1; c < 4; c++) v[at + c] *= inverse;
          v[at] /= volume;
        }
    for (const [l, direction] of [...lights, [0, 1, 0]].entries()) {
      yield;
      this.sweep(direction, l);
    }
    yield;
    if (solids) this.darken(solids, lights.length);
    const bytes = this.texture.image.data, crossed = this.crossed;
    for (let z = 0; z < sz; z++)
      for (let y = 0; y < sy; y++)
        for (let i = 4 * (z * n + y) * n, end = i + 4 * sx; i < end; i++) bytes[i] = (254.5 * crossed[i]) / (crossed[i] + DEPTH);
    this.texture.needsUpdate = true;
  }

  // Slice by slice away from the light: what the slice before has where the path passes, and the cell itself.
  sweep(d, l) {
    const n = this.cells, stride = [1, n, n * n], size = this.size, { values: v, crossed } = this;
    let a = Math.abs(d[0]) > Math.abs(d[1]) ? 0 : 1;
    if (Math.abs(d[2]) > Math.abs(d[a])) a = 2;
    const u = a === 0 ? 1 : 0, w = a === 2 ? 1 : 2, steep = Math.abs(d[a]), length = this.cell / steep;
    const ou = d[u] / steep, ow = d[w] / steep, iu = Math.floor(ou), iw = Math.floor(ow), fu = ou - iu, fw = ow - iw;
    const up = d[a] > 0, step = up ? -1 : 1;
    for (let k = 0, slice = up ? size[a] - 1 : 0; k < size[a]; k++, slice += step)
      for (let y = 0; y < size[w]; y++)
        for (let x = 0; x < size[u]; x++) {
          const at = slice * stride[a] + x * stride[u] + y * stride[w], q = 4 * at;
          let sum = 0;
          if (v[q] > 0) {
            const order = v[q + 1] ** 2 + v[q + 2] ** 2 + v[q + 3] ** 2, along = d[0] * v[q + 1] + d[1] * v[q + 2] + d[2] * v[q + 3];
            sum = v[q] * length * Math.sqrt(Math.max(0, ALL_AROUND * (1 - order) + order - along * along));
          }
          if (k > 0) {
            const before = (slice - step) * stride[a];
            for (let j = 0; j < 2; j++)
              for (let i = 0; i < 2; i++) {
                const cx = x + iu + i, cy = y + iw + j;
                if (cx < 0 || cy < 0 || cx >= size[u] || cy >= size[w]) continue;
                sum += (i ? fu : 1 - fu) * (j ? fw : 1 - fw) * crossed[4 * (before + cx * stride[u] + cy * stride[w]) + l];
              }
          }
          crossed[q + l] = sum;
        }
  }

  // Where there is hair, the body's shadow is added to the hair's.
  darken(solids, lights) {
    const n = this.cells, [sx, sy, sz] = this.size, { values: v, crossed } = this, p = [0, 0, 0];
    for (let z = 0; z < sz; z++)
      for (let y = 0; y < sy; y++)
        for (let x = 0; x < sx; x++) {
          const q = 4 * ((z * n + y) * n + x);
          if (!(v[q] > 0 || (x + 1 < sx && v[q + 4] > 0) || (x > 0 && v[q - 4] > 0) || (y + 1 < sy && v[q + 4 * n] > 0) || (y > 0 && v[q - 4 * n] > 0) ||
            (z + 1 < sz && v[q + 4 * n * n] > 0) || (z > 0 && v[q - 4 * n * n] > 0))) continue;
          p[0] = this.low.x + (x + 0.5) * this.cell;
          p[1] = this.low.y + (y + 0.5) * this.cell;
          p[2] = this.low.z + (z + 0.5) * this.cell;
          for (let l = 0; l < lights; l++) crossed[q + l] += SOLID * (1 - solids.open(l, p));
        }
  }
}

// How far a body reaches towards each of three lights, seen from them: a texel has all three.
export class Solids {
  // `texels` along a side: few make soft shadows.
  constructor(texels) {
    this.side = texels;
    this.map = new Float32Array(4 * texels ** 2);
    this.texture = new THREE.DataTexture(this.map, texels, texels, THREE.RGBAFormat, THREE.FloatType);
    this.matrices = [0, 1, 2].map(() => new THREE.Matrix4()); // to texels, and how far towards the light
  }

  // `positions` of vertices, `triangles`, and directions to the lights.
  mark(positions, triangles, lights) {
    this.map.fill(-1e9);
    lights.forEach((direction, l) => this.markOne(positions, triangles, direction, l));
    this.texture.needsUpdate = true;
  }

  markOne(p, triangles, direction, l) {
    const d = new THREE.Vector3(...direction), count = p.length / 3, seen = new Float32Array(3 * count);
    const a = new THREE.Vector3().crossVectors(d, Math.abs(d.x) < 0.6 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0)).normalize();
    const b = new THREE.Vector3().crossVectors(d, a), low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (let i = 0; i < 3 * count; i += 3) {
      const [x, y, z] = [p[i], p[i + 1], p[i + 2]];
      seen[i] = a.x * x + a.y * y + a.z * z;
      seen[i + 1] = b.x * x + b.y * y + b.z * z;
      seen[i + 2] = d.x * x + d.y * y + d.z * z;
      for (let k = 0; k < 2; k++) (low[k] = Math.min(low[k], seen[i + k])), (high[k] = Math.max(high[k], seen[i + k]));
    }
    const scale = (this.side - 3) / Math.max(1e-6, high[0] - low[0], high[1] - low[1]);
    const [x0, y0] = low.map((x) => 1 - x * scale);
    this.matrices[l].set(scale * a.x, scale * a.y, scale * a.z, x0, scale * b.x, scale * b.y, scale * b.z, y0, d.x, d.y, d.z, 0, 0, 0, 0, 1);
    for (let i = 0; i < 3 * count; i += 3) (seen[i] = scale * seen[i] + x0), (seen[i + 1] = scale * seen[i + 1] + y0);
    for (let t = 0; t < triangles.length; t += 3) this.fill(seen, 3 * triangles[t], 3 * triangles[t + 1], 3 * triangles[t + 2], l);
    this.step = 1 / scale;
  }

  fill(s, a, b, c, l) {
    const area = (s[b] - s[a]) * (s[c + 1] - s[a + 1]) - (s[b + 1] - s[a + 1]) * (s[c] - s[a]);
    if (!(Math.abs(area) > 1e-9)) return;
    const x0 = Math.max(0, Math.ceil(Math.min(s[a], s[b], s[c]))), x1 = Math.min(this.side - 1, Math.floor(Math.max(s[a], s[b], s[c])));
    const y0 = Math.max(0, Math.ceil(Math.min(s[a + 1], s[b + 1], s[c + 1]))), y1 = Math.min(this.side - 1, Math.floor(Math.max(s[a + 1], s[b + 1], s[c + 1])));
    for (let y = y0; y <= y1; y++)
      for (let x = x0; x <= x1; x++) {
        const wb = ((x - s[a]) * (s[c + 1] - s[a + 1]) - (y - s[a + 1]) * (s[c] - s[a])) / area;
        const wc = ((s[b] - s[a]) * (y - s[a + 1]) - (s[b + 1] - s[a + 1]) * (x - s[a])) / area;
        if (wb < 0 || wc < 0 || wb + wc > 1) continue;
        const z = s[a + 2] + wb * (s[b + 2] - s[a + 2]) + wc * (s[c + 2] - s[a + 2]), to = 4 * (y * this.side + x) + l;
        if (z > this.map[to]) this.map[to] = z;
      }
  }

  // The share of a light that the body lets through.
  open(l, p) {
    const m = this.matrices[l].elements, at = [0, 1, 2].map((k) => m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2] + m[12 + k]);
    const x = Math.floor(at[0]), y = Math.floor(at[1]);
    if (!(x >= 0 && y >= 0) || x > this.side - 2 || y > this.side - 2) return 1;
    const u = at[0] - x, v = at[1] - y;
    let open = 0;
    for (let j = 0; j < 2; j++)
      for (let i = 0; i < 2; i++) {
        const inside = (this.map[4 * ((y + j) * this.side + x + i) + l] - at[2]) / (3 * this.step);
        open += (i ? u : 1 - u) * (j ? v : 1 - v) * (1 - Math.min(1, Math.max(0, inside)));
      }
    return open;
  }
}
