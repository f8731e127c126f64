// Hair of one side: guides become many hairs in a shader, which are drawn as ribbons.
import * as THREE from "three";
import { Guides, chooseGuides } from "./guides.js";
import * as S from "./shaders.js";

const KINDS = 16; // looks of sections, at most
const WIDE = 0.008; // of the groom's size: ribbons of a software renderer that stand for many hairs, at most
const FLOOR_WIDTH = 0.5; // [pixel] half of the narrowest ribbon
const GROUP = 32; // hairs of an instance, and of a row of the textures; software draws each instance on its own

const material = (vertexShader, fragmentShader, uniforms, more = {}) =>
  new THREE.RawShaderMaterial({ glslVersion: THREE.GLSL3, vertexShader, fragmentShader, uniforms, ...more });

const dataTexture = (array, width, height) => {
  const texture = new THREE.DataTexture(array, width, height, THREE.RGBAFormat, THREE.FloatType);
  texture.needsUpdate = true;
  return texture;
};

// Absorption of pigments, and the colour of a mass of such hair (Chiang and others 2016).
function colourOf(look) {
  const b = 0.3, d = 5.969 - 0.215 * b + 2.532 * b ** 2 - 10.73 * b ** 3 + 5.574 * b ** 4 + 0.245 * b ** 5;
  if (look.dyed) return { colour: look.dye, sigma: look.dye.map((c) => (Math.log(Math.max(c, 1e-3)) / d) ** 2) };
  const unit = 0.4, eumelanin = [0.419, 0.697, 1.37], pheomelanin = [0.187, 0.55, 1.15]; // as src/render/hair_scatter.c has them
  const sigma = eumelanin.map((e, k) => unit * (look.eumelanin * e + look.pheomelanin * pheomelanin[k]));
  return { colour: sigma.map((s) => Math.exp(-Math.sqrt(s) * d * 0.92)), sigma };
}

// Locks of each guide: roots of hairs that are far from each other, the guide's own first; and every hair's nearest.
function makeLocks(groom, count) {
  const { strands, offsets, fill } = groom, each = count / strands;
  const many = Math.max(1, Math.min(fill.locks, Math.floor(each / 5)));
  const root = new Float32Array(3 * count), of = new Uint16Array(count), radius = new Float32Array(count);
  const apart = (a, b) => Math.hypot(offsets[3 * a] - b[0], offsets[3 * a + 1] - b[1], offsets[3 * a + 2] - b[2]);
  for (let g = 0; g < strands; g++) {
    const hairs = [];
    for (let h = g + strands; h < count && hairs.length < 400; h += strands) hairs.push(h);
    const places = [[0, 0, 0]], nearest = hairs.map((h) => apart(h, places[0]));
    const far = Math.max(0, ...nearest);
    while (places.length < many && hairs.length) {
      const at = nearest.indexOf(Math.max(...nearest));
      places.push([0, 1, 2].map((k) => offsets[3 * hairs[at] + k]));
      hairs.forEach((h, i) => (nearest[i] = Math.min(nearest[i], apart(h, places[places.length - 1]))));
    }
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
  return { root, of, radius };
}

const random = (x) => {
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return ((x ^ (x >>> 16)) >>> 8) / 16777216;
};

export class Hair {
  constructor(groom, shared, limits) {
    this.groom = groom;
    this.shared = shared; // uniforms of lights and camera
    this.limits = limits;
    this.guides = new Guides(groom, limits.fine);
    const n = this.guides.samples;
    this.most = Math.min(groom.hairs, limits.hairs, GROUP * 4096);
    this.count = this.most;
    this.guideTexture = dataTexture(this.guides.texels, this.guides.width, this.guides.height);
    this.makeHairs();
    this.makeGrowth(n);
    this.makeShading(n);
    this.makeRibbons(n);
  }

  // What stays of every hair: its lock's root, guides and shares, phase, length; and its own place in the lock.
  makeHairs() {
    const { groom, most } = this, fill = groom.fill, n = this.guides.samples, radii = this.guides.radii;
    const locks = fill.blend === 3 ? makeLocks(groom, most) : null;
    const { chosen, shares } = chooseGuides(groom, this.guides, locks ? locks.root : groom.offsets, most);
    const width = 2040, height = Math.max(1, Math.ceil((5 * most) / width)), first = groom.first, rest = groom.rest;
    const data = new Float32Array(4 * width * height), disc = (id) => {
      const r = Math.sqrt(random(id)), a = 2 * Math.PI * random(id + 1);
      return [r * Math.cos(a), r * Math.sin(a)];
    };
    for (let h = 0; h < most; h++) {
      const guide = h < groom.strands; // the first hair of each guide is as the guide is
      const g = groom.guides[h], own = fill.blend === 2 || guide ? g : chosen[3 * h];
      const lock = locks && !guide ? locks.of[h] : 0, id = 1000003 * (g + 1) + 7919 * lock; // random numbers of its lock
      const from = locks ? locks.root : groom.offsets;
      const shorter = guide ? 0 : locks ? 1 - (lock ? 1 - 0.6 * fill.length_variation * random(id + 5) : 1) *
        (1 - 0.7 * fill.length_variation * random(4 * h + 1)) : fill.length_variation * random(4 * h + 1);
      const last = Math.max(1, Math.round((1 - shorter) * (n - 1)));
      let wide = 0;
      for (let k = 0; k < 3; k++) wide += shares[3 * h + k] * radii[chosen[3 * h + k]];
      wide = guide || !(radii[own] > 0) ? 1 : Math.min(2, Math.max(0.5, wide / radii[own]));
      if (lock) wide *= 0.75 + 0.4 * random(id + 4);
      const phase = guide || (locks && !lock) ? 0 : ((fill.phase * Math.PI) / 180) * (2 * random(locks ? id + 3 : 4 * h + 2) - 1);
      const offset = [0, 1, 2].map((k) => (guide ? 0 : from[3 * h + k]) + rest[3 * first[g] + k] - rest[3 * first[own] + k]);
      const inside = [0, 1, 2].map((k) => (locks && !guide ? groom.offsets[3 * h + k] - from[3 * h + k] : 0));
      const stray = random(4 * h + 3) < fill.strays ? -1 : 1;
      const group = Math.floor(5 * random(5 * h + 4));
      data.set([...offset, own, guide ? own : chosen[3 * h + 1], guide ? own : chosen[3 * h + 2],
        guide ? 1 : shares[3 * h], guide ? 0 : shares[3 * h + 1],
        phase, last, wide, guide ? 0 : this.guides.lengths[own], ...inside, locks && !guide ? stray * locks.radius[h] : 0,
        ...disc(97 * h + 11), ...disc(id + 100 + 10 * group)], 20 * h);
    }
    this.hairTexture = dataTexture(data, width, height);
    this.makeKinds();
  }

  // Of each hair its section's look, and its width by the widest of all.
  makeKinds() {
    const { groom, most } = this, looks = groom.look.hair.slice(0, KINDS), width = 2040, height = Math.ceil(most / width) || 1;
    const kind = (guide) => (groom.section[guide] < looks.length ? groom.section[guide] : 0);
    const widths = Array.from(groom.widths, (w, guide) => w * looks[kind(guide)].width);
    const data = new Float32Array(4 * width * height), each = (f) => Array.from({ length: KINDS }, (_, k) => f(looks[k] ?? looks[0]));
    this.widest = Math.max(1e-9, ...widths);
    this.extent = new THREE.Box3().setFromArray(groom.rest).getSize(new THREE.Vector3()).length();
    this.mean = widths.reduce((a, b) => a + b, 0) / Math.max(1, widths.length) || 0.05;
    const { lengths } = this.guides, longest = Math.max(1e-9, ...lengths);
    const slim = (guide) => (this.limits.solid ? Math.min(1, Math.max(0.3, (4 * lengths[guide]) / longest)) : 1); // fur is no scales
    for (let h = 0; h < most; h++)
      data.set([kind(groom.guides[h]), (slim(groom.guides[h]) * widths[groom.guides[h]]) / this.widest], 4 * h);
    this.kindTexture = dataTexture(data, width, height);
    this.kinds = { kinds: { value: this.kindTexture }, kindColour: { value: each((l) => new THREE.Vector3(...colourOf(l).colour)) },
      kindSigma: { value: each((l) => new THREE.Vector3(...colourOf(l).sigma)) },
      kindLobe: { value: each((l) => new THREE.Vector3(l.roughness, (l.tilt * Math.PI) / 180, l.variation)) } };
  }

  makeGrowth(n) {
    const fill = this.groom.fill;
    this.target = new THREE.WebGLRenderTarget(GROUP * n, Math.max(1, Math.ceil(this.most / GROUP)), {
      type: THREE.FloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, depthBuffer: false });
    this.growth = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material(S.growVertex, S.growFragment, {
      guides: { value: this.guideTexture }, hairs: { value: this.hairTexture }, samples: { value: n },
      stride: { value: this.guides.stride }, guidesPerRow: { value: this.guides.perRow }, hairCount: { value: this.count }, perRow: { value: GROUP },
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
    this.sides = new THREE.WebGLRenderTarget(this.target.width, this.target.height, {
      type: THREE.FloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, depthBuffer: false });
    this.width = { value: this.widest };
    this.shading = new THREE.Mesh(this.growth.geometry, material(S.growVertex, S.shadeFragment(this.limits.solid), { ...this.shared,
      grown: { value: this.target.texture }, samples: { value: n }, perRow: { value: GROUP }, width: this.width,
      tip: { value: this.groom.fill.tip }, tipStart: { value: this.groom.fill.tip_start }, floorWidth: { value: FLOOR_WIDTH },
      hairCount: this.growth.material.uniforms.hairCount, ...this.kinds }, { depthTest: false, depthWrite: false }));
    this.shading.frustumCulled = false;
    this.shadingScene = new THREE.Scene();
    this.shadingScene.add(this.shading);
  }

  makeRibbons(n) {
    const common = { grown: { value: this.target.texture }, samples: { value: n }, perRow: { value: GROUP },
      hairCount: this.growth.material.uniforms.hairCount, lightCount: { value: 0 } };
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
    const ribbon = geometry(2, n - 1, (i) => [2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2]);
    this.ribbons = new THREE.Mesh(ribbon, material(S.hairVertex(this.limits.solid), this.limits.solid ? S.solidFragment : S.hairFragment, {
      ...this.shared, ...common, sides: { value: this.sides.texture }, floorWidth: { value: FLOOR_WIDTH } }, { side: THREE.DoubleSide }));
    this.ribbons.frustumCulled = false;
    const { skip } = this.limits, line = geometry(1, Math.ceil((n - 1) / skip), (i) => [skip * i, Math.min(n - 1, skip * (i + 1))]);
    const light = (fragment, more) => {
      const object = new THREE.LineSegments(line, material(S.lightVertex, fragment, { ...this.shared, ...common }, more));
      object.frustumCulled = false;
      return object;
    };
    this.lightDepth = light(S.lightDepthFragment, {});
    this.lightLayers = light(S.lightLayersFragment, { depthTest: false, depthWrite: false, transparent: true,
      blending: THREE.CustomBlending, blendEquation: THREE.AddEquation, blendSrc: THREE.OneFactor,
      blendDst: THREE.OneFactor, blendSrcAlpha: THREE.OneFactor, blendDstAlpha: THREE.OneFactor });
    this.show(this.count);
  }

  // How many hairs are drawn; fewer are wider, so that they cover as much.
  show(count) {
    this.count = Math.min(this.most, Math.max(64, GROUP * Math.round(count / GROUP))); // whole groups
    const ratio = this.groom.hairs / Math.max(1, this.count), { solid } = this.limits;
    const fewer = Math.min(solid ? Math.max(8, (WIDE * this.extent) / this.widest) : 8, ratio ** (solid ? 0.65 : 0.5));
    this.ribbons.geometry.instanceCount = Math.ceil(this.count / GROUP);
    this.growth.material.uniforms.hairCount.value = this.count;
    this.stale = true;
    const lit = (this.lightDepth.material.uniforms.lightCount.value = Math.min(this.count, this.limits.lit));
    this.lightDepth.geometry.instanceCount = Math.ceil(lit / GROUP);
    this.width.value = this.widest * this.groom.fill.width * fewer;
    this.opacity = this.groom.hairs / Math.max(1, lit);
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

  // After the light's maps, before the picture.
  shade(renderer, camera) {
    this.fill(renderer, camera, this.sides, this.shadingScene);
  }

  fill(renderer, camera, target, scene) {
    target.scissorTest = true;
    target.scissor.set(0, 0, target.width, Math.ceil(this.count / GROUP));
    renderer.setRenderTarget(target);
    renderer.render(scene, camera);
    renderer.setRenderTarget(null);
  }

  dispose() {
    this.target.dispose();
    this.sides.dispose();
    this.guideTexture.dispose();
    this.hairTexture.dispose();
    this.kindTexture.dispose();
    for (const object of [this.growth, this.shading, this.ribbons, this.lightDepth, this.lightLayers]) {
      object.geometry.dispose();
      object.material.dispose();
    }
  }
}

export { dataTexture, material };
