// The body of one side: painted as the renderer's, lit at its pixels, or at its vertices where WebGL draws in software.
import * as THREE from "three";
import { dataTexture, material } from "./hair.js";
import * as S from "./shaders.js";

const COARSE = 0.024, COARSE_COSINE = 0.95; // of the body's size: cells whose vertices become one, where they face the same way

const vector = (v) => new THREE.Vector3(...v);

// Of the generated head at rest [unit]: its bust ends at the base; what is below TRUNK is drawn down, out of the picture (render/dress.c).
const TRUNK = -29, BASE = -32, TRUNK_LENGTH = 60;

const bytesTexture = (bytes, width, height, filter) => {
  const texture = new THREE.DataTexture(bytes, width, height, THREE.RGBAFormat, THREE.UnsignedByteType);
  Object.assign(texture, { minFilter: filter, magFilter: filter, needsUpdate: true });
  return texture;
};

export class Body {
  constructor(groom, shared, software) {
    const { vertices, places } = groom, attribute = (array, size, more) => new THREE.BufferAttribute(array, size, more);
    this.positions = attribute(new Float32Array(3 * vertices), 3);
    this.normals = attribute(new Float32Array(3 * vertices), 3);
    this.triangles = groom.triangles;
    this.group = new THREE.Group();
    this.group.visible = groom.look.body;
    this.face = bytesTexture(groom.facePicture, groom.face, groom.face, THREE.LinearFilter);
    const look = { face: { value: this.face }, cloth: { value: vector(groom.cloth) } };
    // what is drawn down below the bust, and how much
    this.trunk = [];
    for (let i = 0; i < vertices; i++) {
      const y = 16 * places[3 * i + 1] - 11, share = Math.min(1, (TRUNK - y) / (TRUNK - BASE));
      if (share > 0 && places[3 * i] !== 0) this.trunk.push([i, share * share * (3 - 2 * share)]);
    }
    this.lift = { value: 0 }; // off the skin, where the hair before it is asked for
    if (software) this.lightAtVertices(groom, shared);
    const isFace = (t) => software && [0, 1, 2].some((k) => places[3 * groom.triangles[t + k] + 2] > 0 && places[3 * groom.triangles[t + k] + 1] > 0);
    const parts = [[], []];
    for (let t = 0; t < groom.triangles.length; t += 3) parts[isFace(t) ? 1 : 0].push(...groom.triangles.subarray(t, t + 3));
    const place = attribute(places, 3), paint = attribute(groom.paint, 4, true);
    const meshOf = (triangles, shader, uniforms) => {
      const geometry = new THREE.BufferGeometry().setAttribute("position", this.positions).setAttribute("place", place).setAttribute("paint", paint)
        .setAttribute("normal", this.normals).setIndex(attribute(triangles, 1));
      const mesh = new THREE.Mesh(geometry, material(...shader, { ...uniforms, ...look }, { side: THREE.DoubleSide }));
      mesh.frustumCulled = false;
      return mesh;
    };
    const lit = { ...shared, lift: this.lift }, drawn = software ? { lit: { value: this.target.texture } } : lit;
    const shaders = software ? [S.bodyPlain, S.bodyFace] : [S.bodyFine(false)];
    this.meshes = shaders.map((shader, i) => meshOf(Uint32Array.from(parts[i]), shader, drawn));
    this.group.add(...this.meshes);
    // for pictures that are added up: lit once, and drawn with that
    this.fine = meshOf(groom.triangles, S.bodyFine(true), lit);
    this.keeper = { value: null };
    this.kept = meshOf(groom.triangles, S.bodyKept, { kept: this.keeper });
    this.kept.visible = groom.look.body;
  }

  // A pass of its own, so that each vertex is lit once.
  lightAtVertices(groom, shared) {
    const rows = Math.max(1, Math.ceil(groom.vertices / S.BODY_ROW)), paint = new Uint8Array(4 * S.BODY_ROW * rows);
    paint.set(groom.paint);
    this.places = dataTexture(new Float32Array(8 * S.BODY_ROW * rows), 2 * S.BODY_ROW, rows);
    this.paint = bytesTexture(paint, S.BODY_ROW, rows, THREE.NearestFilter);
    this.target = new THREE.WebGLRenderTarget(2 * S.BODY_ROW, rows, { minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, depthBuffer: false });
    this.pass = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material(S.growVertex, S.bodyShade, { ...shared,
      bodyPlaces: { value: this.places }, paints: { value: this.paint }, cloth: { value: vector(groom.cloth) }, lift: this.lift }, { depthTest: false, depthWrite: false }));
    this.pass.frustumCulled = false;
    this.passScene = new THREE.Scene();
    this.passScene.add(this.pass);
  }

  // Triangles of fewer vertices: those of a cell that face nearly the same way become one. What is round or fine, as a nose, keeps them.
  coarsen() {
    const p = this.positions.array, n = this.normals.array, count = p.length / 3, cells = new Map(), to = new Uint32Array(count);
    const cell = COARSE * new THREE.Box3().setFromArray(p).getSize(new THREE.Vector3()).length();
    const cosine = (a, b) => (n[a] * n[b] + n[a + 1] * n[b + 1] + n[a + 2] * n[b + 2]) /
      Math.sqrt((n[a] ** 2 + n[a + 1] ** 2 + n[a + 2] ** 2) * (n[b] ** 2 + n[b + 1] ** 2 + n[b + 2] ** 2) || 1);
    const kept = new Set(this.meshes[1].geometry.index.array); // the face's own: no gap beside it
    for (let i = 0; i < count; i++) {
      to[i] = i;
      if (kept.has(i)) continue;
      const key = [0, 1, 2].map((k) => Math.floor(p[3 * i + k] / cell)).join(), list = cells.get(key) ?? cells.set(key, []).get(key);
      to[i] = list.find((other) => cosine(3 * i, 3 * other) > COARSE_COSINE) ?? (list.push(i), i);
    }
    this.indices = this.meshes.map(({ geometry }) => {
      const left = [], all = geometry.index.array;
      for (let i = 0; i < all.length; i += 3) {
        const [a, b, c] = [0, 1, 2].map((k) => to[all[i + k]]);
        if (a !== b && b !== c && c !== a) left.push(a, b, c);
      }
      return [geometry.index, new THREE.BufferAttribute(Uint32Array.from(left), 1)];
    });
  }

  // Fewer triangles while it moves, in software; the face keeps its own.
  setCoarse(on) {
    if (this.indices) this.meshes[0].geometry.setIndex(this.indices[0][on ? 1 : 0]);
  }

  take(vertices) {
    const p = this.positions.array, n = this.normals.array, t = this.triangles;
    p.set(vertices);
    n.fill(0);
    for (let i = 0; i < t.length; i += 3) {
      const a = 3 * t[i], b = 3 * t[i + 1], c = 3 * t[i + 2];
      const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2], vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
      const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
      for (const k of [a, b, c]) (n[k] += x), (n[k + 1] += y), (n[k + 2] += z); // shaders make them unit vectors
    }
    if (this.places && !this.indices) this.coarsen();
    this.lengthen(p, n);
    this.positions.needsUpdate = this.normals.needsUpdate = true;
    for (const { geometry } of this.meshes) geometry.boundingSphere = null;
    if (!this.places) return;
    const out = this.places.image.data;
    for (let i = 0; i < p.length / 3; i++)
      for (let k = 0; k < 3; k++) (out[8 * i + k] = p[3 * i + k]), (out[8 * i + 4 + k] = n[3 * i + k]);
    this.places.needsUpdate = true;
  }

  // The bust's base goes down, out of the picture.
  lengthen(p, n) {
    const down = new THREE.Vector3();
    for (const [i, share] of this.trunk) if (share > 0.99) (down.x += n[3 * i]), (down.y += n[3 * i + 1]), (down.z += n[3 * i + 2]);
    down.normalize();
    for (const [i, share] of this.trunk) {
      const a = 3 * i, along = share * (n[a] * down.x + n[a + 1] * down.y + n[a + 2] * down.z);
      [down.x, down.y, down.z].forEach((d, k) => ((p[a + k] += TRUNK_LENGTH * share * d), (n[a + k] -= along * d)));
    }
  }

  shade(renderer, camera) {
    if (!this.pass || !this.group.visible) return;
    renderer.setRenderTarget(this.target);
    renderer.render(this.passScene, camera);
    renderer.setRenderTarget(null);
  }

  dispose() {
    for (const { geometry, material: own } of [...this.meshes, this.fine, this.kept]) (geometry.dispose(), own.dispose());
    for (const owned of [this.face, this.places, this.paint, this.target, this.pass?.material, this.pass?.geometry]) owned?.dispose();
  }
}

