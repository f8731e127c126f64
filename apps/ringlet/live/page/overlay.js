// Lines over the picture: guides, frames, targets, smoothed curves, contacts, and values as colours.
import * as THREE from "three";
import { material } from "./hair.js";
import * as S from "./shaders.js";

const BLUE = [0.2, 0.55, 1], GREEN = [0.3, 0.9, 0.4], RED = [1, 0.3, 0.25], YELLOW = [1, 0.85, 0.2], WHITE = [0.9, 0.9, 0.9];
const LEAST = { stretch: 1e-3 }; // of the scale: less is nothing to be seen
const WITHIN = 0.98; // of the points are within the scale of colours
const VALUES = ["stretch", "speed", "penetration", "twist", "curvature"];

// 0: blue, 0.5: white, 1: red.
function scale(x) {
  const t = Math.min(1, Math.max(0, x));
  return t < 0.5 ? [0.15 + 1.7 * t, 0.35 + 1.3 * t, 1] : [1, 1 - 1.7 * (t - 0.5), 1 - 2 * (t - 0.5)];
}

class Lines {
  constructor(kind, adds) {
    this.geometry = new THREE.BufferGeometry();
    const m = material(S.lineVertex, S.lineFragment, { size: { value: 5 }, adds });
    this.object = kind === "points" ? new THREE.Points(this.geometry, m) : new THREE.LineSegments(this.geometry, m);
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  set(positions, tints) {
    this.object.visible = positions.length > 0;
    const old = this.geometry.attributes.position;
    if (!old || old.array.length < positions.length) {
      this.geometry.dispose();
      const size = Math.ceil(positions.length * 1.3 / 3) * 3;
      this.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(size), 3));
      this.geometry.setAttribute("tint", new THREE.BufferAttribute(new Float32Array(size), 3));
    }
    const { position, tint } = this.geometry.attributes;
    position.array.set(positions);
    tint.array.set(tints);
    position.needsUpdate = tint.needsUpdate = true;
    this.geometry.setDrawRange(0, positions.length / 3);
  }
}

export class Overlay {
  constructor() {
    this.adds = { value: false }; // to pictures that are added up
    this.lines = new Lines("lines", this.adds);
    this.points = new Lines("points", this.adds);
    this.group = new THREE.Group();
    this.group.add(this.lines.object, this.points.object);
    this.shows = new Set();
    this.key = "";
  }

  frame(frame, groom) {
    this.last = { frame, groom };
    if (!this.data || this.shows.has("guides")) this.draw();
  }

  take(data) {
    this.data = data;
    const none = [...this.shows].filter((name) => name !== "guides" && !(data[name] ?? (name === "contacts" && data.radii)));
    this.key = none.length ? `${none.join(", ")}: hair of this model has none` : "";
    this.draw();
  }

  set(shows) {
    this.shows = new Set(shows);
    if (![...this.shows].some((name) => name !== "guides")) this.data = null;
    this.draw();
  }

  draw() {
    const positions = [], tints = [], dots = [], dotTints = [];
    if (this.last && this.shows.size) {
      const p = this.last.frame.points, { first, strands } = this.last.groom;
      const edges = (points, tint) => {
        for (let s = 0; s < strands; s++)
          for (let i = first[s]; i + 1 < first[s + 1]; i++) {
            positions.push(points[3 * i], points[3 * i + 1], points[3 * i + 2], points[3 * i + 3], points[3 * i + 4], points[3 * i + 5]);
            tints.push(...tint(i), ...tint(i + 1));
          }
      };
      const value = VALUES.find((name) => this.shows.has(name) && this.data?.[name]);
      if (value) this.values(value, edges, p);
      else if (this.shows.has("guides")) edges(p, () => YELLOW);
      const d = this.data ?? {};
      if (d.smoothed) edges(d.smoothed, () => BLUE);
      if (d.core) edges(d.core, () => GREEN);
      const arrow = (from, at, by, offset, size, tint) => {
        positions.push(from[at], from[at + 1], from[at + 2], from[at] + size * by[offset], from[at + 1] + size * by[offset + 1],
          from[at + 2] + size * by[offset + 2]);
        tints.push(...tint, ...tint);
      };
      if (d.frames && d.origins)
        for (let i = 0; i < p.length / 3; i++)
          [RED, GREEN, BLUE].forEach((tint, k) => arrow(d.origins, 3 * i, d.frames, 9 * i + 3 * k, 0.8, tint));
      if (d.targets) for (let i = 0; i < p.length / 3; i++) arrow(p, 3 * i, d.targets, 3 * i, 1, [1, 0.45, 0.8]);
      for (let i = 0; d.springs && i < d.springs.length; i += 3) {
        const [a, b] = [d.springs[i], d.springs[i + 1]];
        positions.push(p[3 * a], p[3 * a + 1], p[3 * a + 2], p[3 * b], p[3 * b + 1], p[3 * b + 2]);
        tints.push(...RED, ...RED);
      }
      for (let i = 0; d.radii && i < d.radii.length; i++)
        if (d.radii[i] > 0) {
          dots.push(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
          dotTints.push(...WHITE);
        }
    }
    this.lines.set(positions, tints);
    this.points.set(dots, dotTints);
  }

  // Values along the guides as colours; the key says what they mean.
  values(name, edges, p) {
    const v = this.data[name];
    if (v.length !== p.length / 3) return;
    const about = name === "stretch" ? 1 : 0;
    const both = name === "stretch" || name === "twist" || name === "curvature";
    // single points that are far off would leave all others one colour
    const sizes = Float32Array.from(v, (x) => Math.abs(x - about)).filter(Number.isFinite).sort();
    const most = Math.max(LEAST[name] ?? 1e-9, sizes[Math.floor(WITHIN * (sizes.length - 1))] ?? 0);
    this.most = this.what === name ? Math.max(most, this.most * 0.97) : most;
    this.what = name;
    const shade = (i) => (Number.isFinite(v[i]) ? scale(both ? 0.5 + (0.5 * (v[i] - about)) / this.most : v[i] / this.most) : WHITE);
    edges(p, shade);
    const size = name === "stretch" ? `${(100 * this.most).toPrecision(2)}%` : this.most.toPrecision(3);
    this.key = `${name}: ${both ? `-${size}` : 0} blue, ${both ? "0 white, " : ""}${size} red, or beyond`;
  }
}
