// Hair of one side: guides become many hairs in a shader, which are drawn as ribbons, or as lines where they are thinner than a pixel.
import * as THREE from "three";
import { Guides, chooseGuides } from "./guides.js";
import { pigment, passOf } from "./scatter.js";
import * as S from "./shaders.js";

const KINDS = 16; // looks of sections, at most
const THICK = 1.1, WIDE = 0.016, CURLED = 0.5; // half of a lock's thickness: of how far locks are apart; of the groom's size, of its curl, at most
const SHORT = 0.12; // of the longest: shorter hair may be left out
const FLOOR_WIDTH = { line: 0.5, smooth: 0.25 }; // [pixel] half of the narrowest ribbon, also where edges are antialiased
const LOCK_SAMPLES = 24; // of a lock's middle line
const GROUP = 32; // hairs of an instance, and of a row of the textures; software draws each instance on its own

const material = (vertexShader, fragmentShader, uniforms, more = {}) =>
  new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader, fragmentShader, uniforms, ...more });

const dataTexture = (array, width, height) => {
  const texture = new THREE.DataTexture(array, width, height, THREE.RGBAFormat, THREE.FloatType);
  texture.needsUpdate = true;
  return texture;
};

// Locks of each guide: roots of hairs that are far from each other, the guide's own first; and every hair's nearest. The same locks however
// many of all hairs are made.
function makeLocks(groom, count) {
  const { strands, offsets, fill, hairs: all } = groom, each = all / strands;
  const many = Math.max(1, Math.min(fill.locks, Math.floor(each / 5)));
  const root = new Float32Array(3 * count), of = new Uint16Array(count), radius = new Float32Array(count), found = [];
  const apart = (a, b) => Math.hypot(offsets[3 * a] - b[0], offsets[3 * a + 1] - b[1], offsets[3 * a + 2] - b[2]);
  for (let g = 0; g < strands; g++) {
    const hairs = [];
    for (let h = g + strands; h < all && hairs.length < 400; h += strands) hairs.push(h);
    const places = [[0, 0, 0]], nearest = hairs.map((h) => apart(h, places[0]));
    const far = Math.max(0, ...nearest);
    while (places.length < many && hairs.length) {
      const at = nearest.indexOf(Math.max(...nearest));
      places.push([0, 1, 2].map((k) => offsets[3 * hairs[at] + k]));
      hairs.forEach((h, i) => (nearest[i] = Math.min(nearest[i], apart(h, places[places.length - 1]))));
    }
    found.push(places);
    const sizes = places.map((_, j) => {
      const id = 1000003 * (g + 1) + 7919 * j;
      return 0.6 + 0.8 * random(id + 1) * random(id + 2) + (j ? 0 : 0.3);
    });
    for (let h = g; h < count; h += strands) {
      let best = 0, least = Infinity;
      places.forEach((place, j) => {
        const d = apart(h, place) / sizes[j];
        if (d < least) (least = d), (best = j);
      });
      of[h] = best;
      root.set(places[best], 3 * h);
      radius[h] = sizes[best] * (fill.lock_radius > 0 ? fill.lock_radius : (0.5 * far) / Math.sqrt(many));
    }
  }
  return { root, of, radius, many, places: found };
}

const random = (x) => {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return ((x ^ (x >>> 16)) >>> 8) / 16777216;
};

// `limits`: hairs at most; samples for a turn of a curl, and at most (`perTurn`, `samples`); `solid`: ribbons stand for locks, so none of their
// pixels are left out, and the first of them are the middles of locks; `adds`: colours are light, for pictures that are added up; `slice`:
// hairs that are made at once, all where 0.
export class Hair {
  constructor(groom, shared, limits) {
    this.groom = groom;
    this.shared = shared; // uniforms of lights and camera
    this.limits = limits;
    this.guides = new Guides(groom, limits);
    const n = limits.solid ? LOCK_SAMPLES : this.guides.samples;
    this.most = Math.min(groom.hairs, limits.hairs, GROUP * 4096);
    this.slice = Math.min(this.most, limits.slice || this.most);
    this.count = this.most;
    this.range = { hairFirst: { value: 0 }, hairCount: { value: this.most } };
    this.guideTexture = dataTexture(this.guides.texels, this.guides.width, this.guides.height);
    this.makeHairs();
    this.makeGrowth(n);
    this.makeShading(n);
    this.makeRibbons(n);
    this.show(this.count);
  }

  // What stays of every hair: its lock's root, guides and shares, phase, length; and its own place in the lock.
  makeHairs() {
    const { groom, most } = this, fill = groom.fill, n = this.guides.samples, radii = this.guides.radii;
    const locks = fill.blend === 3 ? makeLocks(groom, most) : null;
    if (locks && this.limits.solid) this.takeMiddles(locks);
    const { chosen, shares } = chooseGuides(groom, this.guides, locks ? locks.root : groom.offsets, most);
    const width = 2040, height = Math.max(1, Math.ceil((5 * most) / width)), first = groom.first, rest = groom.rest;
    this.order();
    const data = new Float32Array(4 * width * height), disc = (id) => {
      const r = Math.sqrt(random(id)), a = 2 * Math.PI * random(id + 1);
      return [r * Math.cos(a), r * Math.sin(a)];
    };
    for (let h = 0; h < most; h++) {
      const guide = h < groom.strands; // the first hair of each guide is as the guide is
      const g = groom.guides[h], own = fill.blend === 2 || guide ? g : chosen[3 * h];
      const lock = locks && !guide ? locks.of[h] : 0, id = 1000003 * (g + 1) + 7919 * lock; // random numbers of its lock
      const from = locks ? locks.root : groom.offsets, middle = locks && h < this.middles;
      const shorter = guide ? 0 : locks ? 1 - (lock ? 1 - 0.6 * fill.length_variation * random(id + 5) : 1) *
        (middle ? 1 : 1 - 0.7 * fill.length_variation * random(4 * h + 1)) : fill.length_variation * random(4 * h + 1);
      const last = Math.max(1, Math.round((1 - shorter) * (n - 1)));
      let wide = 0;
      for (let k = 0; k < 3; k++) wide += shares[3 * h + k] * radii[chosen[3 * h + k]];
      wide = guide || !(radii[own] > 0) ? 1 : Math.min(2, Math.max(0.5, wide / radii[own]));
      if (lock) wide *= 0.75 + 0.4 * random(id + 4);
      const phase = guide || (locks && !lock) ? 0 : ((fill.phase * Math.PI) / 180) * (2 * random(locks ? id + 3 : 4 * h + 2) - 1);
      const offset = [0, 1, 2].map((k) => (guide ? 0 : from[3 * h + k]) + rest[3 * first[g] + k] - rest[3 * first[own] + k]);
      const inside = [0, 1, 2].map((k) => (locks && !guide && !middle ? groom.offsets[3 * h + k] - from[3 * h + k] : 0));
      const stray = !middle && random(4 * h + 3) < fill.strays ? -1 : 1;
      const group = Math.floor(5 * random(5 * h + 4));
      data.set([...offset, own, guide ? own : chosen[3 * h + 1], guide ? own : chosen[3 * h + 2],
        guide ? 1 : shares[3 * h], guide ? 0 : shares[3 * h + 1],
        phase, last, wide, guide ? 0 : this.guides.lengths[own], ...inside, locks && !guide && !middle ? stray * locks.radius[h] : 0,
        ...disc(97 * h + 11), ...disc(id + 100 + 10 * group)], 20 * this.places[h]);
    }
    this.hairTexture = dataTexture(data, width, height);
    this.makeKinds();
  }

  // The first hairs, lock by lock of each guide, become the middles of the locks.
  takeMiddles(locks) {
    const { strands } = this.groom;
    this.middles = Math.min(this.most, strands * locks.many);
    for (let h = 0; h < this.middles; h++) {
      const lock = Math.floor(h / strands), guide = h % strands;
      locks.of[h] = lock;
      locks.root.set(locks.places[guide][Math.min(lock, locks.places[guide].length - 1)], 3 * h);
    }
  }

  // Where each hair is in the textures; the first ones are drawn. `long`: how many of them come before those that are left out: short ones
  // whose guides are further apart than they are long would be tufts on the skin, which has their colour.
  order() {
    const { groom, guides: { lengths } } = this, least = SHORT * Math.max(...lengths), late = [];
    const far = new Map(); // of each section: distances from guides, less lengths
    for (let h = 0; h < groom.hairs; h++) {
      const g = groom.guides[h], away = Math.hypot(groom.offsets[3 * h], groom.offsets[3 * h + 1], groom.offsets[3 * h + 2]);
      if (lengths[g] < least) far.set(groom.section[g], (far.get(groom.section[g]) ?? 0) + away - lengths[g]);
    }
    const isTuft = (g) => lengths[g] < least && far.get(groom.section[g]) > 0;
    this.places = new Uint32Array(this.most);
    this.long = 0;
    for (let h = 0; h < this.most; h++)
      if (!isTuft(groom.guides[h])) this.places[h] = this.long++;
      else late.push(h);
    late.forEach((h, i) => (this.places[h] = this.long + i));
    this.hairAt = new Uint32Array(this.most); // the other way round
    this.places.forEach((place, h) => (this.hairAt[place] = h));
    if (this.long === 0) this.long = this.most;
  }

  // How far hairs are from their guides, in the mean of each section.
  spreads() {
    const { groom } = this, sums = new Map();
    for (let h = 0; h < groom.hairs; h++) {
      const sum = sums.get(groom.section[groom.guides[h]]) ?? sums.set(groom.section[groom.guides[h]], [0, 0]).get(groom.section[groom.guides[h]]);
      sum[0] += Math.hypot(groom.offsets[3 * h], groom.offsets[3 * h + 1], groom.offsets[3 * h + 2]);
      sum[1]++;
    }
    return new Map([...sums].map(([section, [far, count]]) => [section, Math.max(1e-6, far / count)]));
  }

  // Of each hair its section's look, and its width by the widest of all; of a lock, how thick it is by the thickest.
  makeKinds() {
    const { groom, most } = this, looks = groom.look.hair.slice(0, KINDS), width = 2040, height = Math.ceil(most / width) || 1;
    const kind = (guide) => (groom.section[guide] < looks.length ? groom.section[guide] : 0);
    const widths = Array.from(groom.widths, (w, guide) => w * looks[kind(guide)].width);
    const data = new Float32Array(4 * width * height), each = (f) => Array.from({ length: KINDS }, (_, k) => f(looks[k] ?? looks[0]));
    this.widest = Math.max(1e-9, ...widths);
    const spreads = this.spreads();
    this.spread = Math.max(1e-6, ...spreads.values());
    this.extent = new THREE.Box3().setFromArray(groom.rest).getSize(new THREE.Vector3()).length();
    const { lengths } = this.guides, longest = Math.max(1e-9, ...lengths);
    const slim = (guide) => Math.min(1, Math.max(0.3, (4 * lengths[guide]) / longest)); // fur is no scales
    const share = (g) => (this.limits.solid ? (slim(g) * spreads.get(groom.section[g])) / this.spread : widths[g] / this.widest);
    for (let h = 0; h < most; h++) data.set([kind(groom.guides[h]), share(groom.guides[h])], 4 * this.places[h]);
    this.kindTexture = dataTexture(data, width, height);
    this.kinds = { kinds: { value: this.kindTexture }, kindVariation: { value: each((l) => l.variation) },
      kindAlbedo: { value: each((l) => new THREE.Vector3(...pigment(l).albedo)) }, kindPass: { value: each((l) => new THREE.Vector3(...passOf(l))) } };
  }

  makeGrowth(n) {
    const fill = this.groom.fill;
    this.target = new THREE.WebGLRenderTarget(GROUP * n, Math.max(1, Math.ceil(this.slice / GROUP)), {
      type: THREE.FloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, depthBuffer: false });
    this.growth = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material(S.growVertex, S.growFragment(this.limits.solid), {
      guides: { value: this.guideTexture }, hairs: { value: this.hairTexture }, samples: { value: this.guides.samples }, drawn: { value: n },
      stride: { value: this.guides.stride }, guidesPerRow: { value: this.guides.perRow }, ...this.range, perRow: { value: GROUP },
      blend: { value: fill.blend }, clump: { value: fill.clump }, clumpStart: { value: fill.clump_start },
      clumpLarge: { value: fill.clump_large }, clumpSmall: { value: fill.clump_small },
      frizz: { value: fill.frizz }, frizzLength: { value: Math.max(1e-6, fill.frizz_length) },
      noise: { value: fill.noise }, noiseLength: { value: Math.max(1e-6, fill.noise_length) },
      wispTip: { value: fill.wisp_tip } }, { depthTest: false, depthWrite: false }));
    this.growth.frustumCulled = false;
    this.growthScene = new THREE.Scene();
    this.growthScene.add(this.growth);
  }

  // Sides and colours of all samples, of the size of the growth.
  makeShading(n) {
    const { solid, adds } = this.limits;
    this.sides = new THREE.WebGLRenderTarget(this.target.width, this.target.height, {
      type: THREE.FloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, depthBuffer: false, count: solid ? 3 : 1 });
    this.width = { value: this.widest };
    this.thick = { value: new THREE.Vector2() };
    const { guides, hairs, stride, guidesPerRow } = this.growth.material.uniforms;
    this.shading = new THREE.Mesh(this.growth.geometry, material(S.growVertex, solid ? S.lockShadeFragment : S.shadeFragment(adds), { ...this.shared,
      grown: { value: this.target.texture }, samples: { value: this.guides.samples }, drawn: { value: n }, guides, hairs, stride, guidesPerRow, thick: this.thick, perRow: { value: GROUP }, width: this.width,
      tip: { value: this.groom.fill.tip }, tipStart: { value: this.groom.fill.tip_start }, floorWidth: { value: FLOOR_WIDTH.line },
      ...this.range, ...this.kinds }, { depthTest: false, depthWrite: false }));
    this.shading.frustumCulled = false;
    this.shadingScene = new THREE.Scene();
    this.shadingScene.add(this.shading);
  }

  makeRibbons(n) {
    const { solid, adds } = this.limits;
    const uniforms = { ...this.shared, ...this.range, grown: { value: this.target.texture }, sides: { value: this.sides.texture }, winds: { value: this.sides.textures[1] }, seens: { value: this.sides.textures[2] },
      perRow: { value: GROUP }, floorWidth: { value: adds ? FLOOR_WIDTH.line : FLOOR_WIDTH.smooth } };
    const geometry = (each, count, index) => { // `each` corners a sample
      const all = new THREE.InstancedBufferGeometry(), numbers = [], corners = each * n, places = [];
      for (let hair = 0; hair < GROUP; hair++)
        for (let i = 0; i < corners; i++) places.push(hair, hair * n + Math.floor(i / each), 2 * (i % each) - 1);
      all.setAttribute("corner", new THREE.BufferAttribute(Float32Array.from(places), 3));
      for (let hair = 0; hair < GROUP; hair++)
        for (let i = 0; i < count; i++) for (const k of index(i)) numbers.push(hair * corners + k);
      all.setIndex(numbers);
      return all;
    };
    const add = (object) => {
      object.frustumCulled = false;
      return object;
    };
    const ribbon = geometry(2, n - 1, (i) => [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2]);
    this.ribbons = add(new THREE.Mesh(ribbon, material(solid ? S.lockVertex : S.hairVertex(adds), solid ? S.lockFragment : S.hairFragment(adds), uniforms,
      { side: THREE.DoubleSide })));
    if (!adds) return;
    this.lines = add(new THREE.LineSegments(geometry(1, n - 1, (i) => [i, i + 1]), material(S.lineHairVertex, S.hairFragment(adds), uniforms)));
  }

  // How many hairs are drawn; fewer are wider, so that they cover as much.
  show(count) {
    this.count = Math.min(this.long, Math.max(64, GROUP * Math.round(count / GROUP))); // whole groups
    const ratio = ((this.groom.hairs / this.most) * this.long) / Math.max(1, Math.min(this.count, this.long));
    const fewer = Math.min(8, Math.sqrt(ratio));
    this.setRange(0, this.count);
    this.width.value = this.widest * this.groom.fill.width * fewer;
    const apart = this.spread * Math.sqrt(this.groom.strands / Math.max(1, this.count));
    this.thick.value.set(Math.min(THICK * apart, WIDE * this.extent), CURLED);
  }

  // Hairs from `first` on, up to `end`, are made and drawn next: no more than a slice.
  setRange(first, end) {
    this.range.hairFirst.value = first;
    this.range.hairCount.value = end;
    this.rows = Math.ceil((end - first) / GROUP);
    this.ribbons.geometry.instanceCount = this.rows;
    if (this.lines) this.lines.geometry.instanceCount = this.rows;
    this.stale = true;
  }

  take(frame) {
    this.guides.take(frame.points, frame.turns);
    this.guideTexture.needsUpdate = true;
    this.stale = true;
  }

  grow(renderer, camera) {
    if (!this.stale) return;
    this.stale = false;
    this.fill(renderer, camera, this.target, this.growthScene);
  }

  // After what the lights meet is known, before the picture.
  shade(renderer, camera) {
    this.fill(renderer, camera, this.sides, this.shadingScene);
  }

  fill(renderer, camera, target, scene) {
    target.scissorTest = true;
    target.scissor.set(0, 0, target.width, this.rows);
    renderer.setRenderTarget(target);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
  }

  dispose() {
    for (const owned of [this.target, this.sides, this.guideTexture, this.hairTexture, this.kindTexture]) owned.dispose();
    for (const object of [this.growth, this.shading, this.ribbons, this.lines]) {
      object?.geometry.dispose();
      object?.material.dispose();
    }
  }
}

export { dataTexture, material };
