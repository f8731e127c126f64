// The picture: camera, lights, bodies, hair, what the light sees, lines over it. One viewport a side.
import * as THREE from "three";
import { Hair, dataTexture, material } from "./hair.js";
import { Overlay } from "./overlay.js";
import * as S from "./shaders.js";

const vector = (v) => new THREE.Vector3(...v);
const radians = (degrees) => (degrees * Math.PI) / 180;

// Hairs at most, samples for each point of a guide, what the light sees: hairs at most, every how many samples. Solid: few hairs stand
// for many, so none of their pixels are left out.
const HARDWARE = { hairs: 60000, fine: 2, lit: 5000, skip: 2 }, SOFTWARE = { hairs: 4000, fine: 0.7, lit: 300, skip: 3, solid: true };

// Hairs and pixels (of the screen's) of a picture, from the fastest to the finest; the page finds its place by itself.
const LADDER = [[96, 0.6], [220, 0.75], [300, 0.75], [350, 0.75], [450, 0.75], [600, 0.75], [900, 0.75], [1300, 1], [2000, 1], [2800, 1], [4000, 1], [6000, 1],
  [9000, 1], [14000, 1.5], [20000, 1.5], [30000, 2], [60000, 2]];
const SAMPLES = 50; // of a hair that the counts above are for, where triangles are drawn in software: shorter ones may be more
const FIRST = 2, FINE = 10; // of the ladder: where a software renderer begins; what pictures that are kept have at least
const SLOW = 30, QUICK = 11; // [ms] a picture: fewer hairs above, more below
// A software renderer draws more hairs while nothing moves: pictures may take that long then. At rest is hair that is slower than
// CALM_SPEED [m/s] for CALM_FRAMES, or that is paused.
const CALM_SLOW = 160, CALM_QUICK = 60, CALM_SPEED = 0.03, CALM_FRAMES = 12, CALM_FIRST = 5;
const CALM_PERIOD = 300; // [ms] between such pictures: they differ little, and the simulation has the processors
const STILL = 8, STILL_AFTER = 500; // of the ladder: one picture when nothing at all changes for so long [ms]
const HOLD = 50; // [ms] that a slow picture waits for the answer to what the user did, at most
const LIGHT_EVERY = 4; // pictures of a software renderer: its shadows are drawn anew, and carried along in between
const COARSE = 0.024, COARSE_COSINE = 0.95; // of the body's size: cells whose vertices become one, where they face the same way
const NEARLY = 10; // [ms] that the browser may wait for a picture
const LEAD_SPEED = 6; // [m/s] that the server moves the head at, at most
const LEAD_FOR = 400; // [ms] after the hand's last move that pictures are ahead of the simulation

// Whether WebGL draws in software here: asked of a context of its own, because antialiasing is chosen with a context.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2"), info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

// Of the generated head at rest [unit]: its bust ends at the base; what is below TRUNK is drawn down, out of the picture (render/dress.c).
const TRUNK = -29, BASE = -32, TRUNK_LENGTH = 60;

const bytesTexture = (bytes, width, height, filter) => {
  const texture = new THREE.DataTexture(bytes, width, height, THREE.RGBAFormat, THREE.UnsignedByteType);
  Object.assign(texture, { minFilter: filter, magFilter: filter, needsUpdate: true });
  return texture;
};

class Body {
  constructor(groom, shared, software) {
    const { vertices, places } = groom, attribute = (array, size, more) => new THREE.BufferAttribute(array, size, more);
    this.positions = attribute(new Float32Array(3 * vertices), 3);
    this.normals = attribute(new Float32Array(3 * vertices), 3);
    this.triangles = groom.triangles;
    this.group = new THREE.Group();
    this.group.visible = groom.look.body;
    this.face = bytesTexture(groom.facePicture, groom.face, groom.face, THREE.LinearFilter);
    const look = { face: { value: this.face }, cloth: { value: vector(groom.cloth) },
      dressed: { value: vector(groom.cloth.map((c) => 0.9 * Math.sqrt((3 * c) / groom.look.skin.reduce((a, b) => a + b)))) } };
    // what is drawn down below the bust, and how much
    this.trunk = [];
    for (let i = 0; i < vertices; i++) {
      const y = 16 * places[3 * i + 1] - 11, share = Math.min(1, (TRUNK - y) / (TRUNK - BASE));
      if (share > 0 && places[3 * i] !== 0) this.trunk.push([i, share * share * (3 - 2 * share)]);
    }
    if (software) this.lightAtVertices(groom, shared);
    const isFace = (t) => software && [0, 1, 2].some((k) => places[3 * groom.triangles[t + k] + 2] > 0 && places[3 * groom.triangles[t + k] + 1] > 0);
    const parts = [[], []];
    for (let t = 0; t < groom.triangles.length; t += 3) parts[isFace(t) ? 1 : 0].push(...groom.triangles.subarray(t, t + 3));
    const shaders = software ? [S.bodyPlain, S.bodyFace] : [S.bodyFine];
    this.meshes = shaders.map((shader, i) => {
      const geometry = new THREE.BufferGeometry().setAttribute("position", this.positions).setAttribute("place", attribute(places, 3))
        .setAttribute("paint", attribute(groom.paint, 4, true)).setIndex(attribute(Uint32Array.from(parts[i]), 1));
      if (!software) geometry.setAttribute("normal", this.normals);
      const mesh = new THREE.Mesh(geometry, material(...shader, { ...(software ? { lit: { value: this.target.texture } } : shared), ...look },
        { side: THREE.DoubleSide }));
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return mesh;
    });
  }

  // A pass of its own, so that each vertex is lit once.
  lightAtVertices(groom, shared) {
    const rows = Math.max(1, Math.ceil(groom.vertices / S.BODY_ROW)), paint = new Uint8Array(4 * S.BODY_ROW * rows);
    paint.set(groom.paint);
    this.places = dataTexture(new Float32Array(8 * S.BODY_ROW * rows), 2 * S.BODY_ROW, rows);
    this.paint = bytesTexture(paint, S.BODY_ROW, rows, THREE.NearestFilter);
    this.target = new THREE.WebGLRenderTarget(S.BODY_ROW, rows, { minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, depthBuffer: false });
    this.pass = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material(S.growVertex, S.bodyShade, { ...shared,
      bodyPlaces: { value: this.places }, paints: { value: this.paint } }, { depthTest: false, depthWrite: false }));
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
    for (const { geometry, material: own } of this.meshes) (geometry.dispose(), own.dispose());
    for (const owned of [this.face, this.places, this.paint, this.target, this.pass?.material, this.pass?.geometry]) owned?.dispose();
  }
}

// A frame whose points and vertices are all shifted.
function moved(frame, by) {
  const shifted = (from) => {
    const out = new Float32Array(from.length);
    for (let i = 0; i < from.length; i += 3) for (let k = 0; k < 3; k++) out[i + k] = from[i + k] + by[k];
    return out;
  };
  return { ...frame, points: shifted(frame.points), vertices: shifted(frame.vertices) };
}

// What one side shows.
class Side {
  constructor(view) {
    this.view = view;
    this.scene = new THREE.Scene();
    this.lightDepthScene = new THREE.Scene();
    this.lightLayersScene = new THREE.Scene();
    const size = view.lightSize, target = (type, depth) => new THREE.WebGLRenderTarget(size, size, { type, depthBuffer: depth,
      minFilter: depth ? THREE.NearestFilter : THREE.LinearFilter,
      magFilter: depth ? THREE.NearestFilter : THREE.LinearFilter });
    this.depth = target(THREE.FloatType, true);
    this.layers = target(THREE.HalfFloatType, false);
    const value = (v) => ({ value: v });
    this.shared = { lightMatrix: value(new THREE.Matrix4()), lightDepth: value(this.depth.texture),
      lightLayers: value(this.layers.texture), layerEnds: value(new THREE.Vector4(0.8, 2, 5, 14)),
      hairOpacity: value(0.02), lightRange: value(1), eye: value(new THREE.Vector3()), pixel: value(0.001),
      centre: value(new THREE.Vector3()), exposure: value(1),
      sky: value(new THREE.Vector3()), ground: value(new THREE.Vector3()) };
    for (const name of ["key", "fill", "rim"]) {
      this.shared[`${name}Direction`] = value(new THREE.Vector3(0, 1, 0));
      this.shared[`${name}Colour`] = value(new THREE.Vector3());
    }
    this.back = new THREE.Mesh(new THREE.PlaneGeometry(2, 2, 1, 24), material(S.backVertex, S.plainFragment, {
      top: value(new THREE.Vector3()), bottom: value(new THREE.Vector3()), exposure: this.shared.exposure },
      { depthTest: false, depthWrite: false }));
    this.back.frustumCulled = false;
    this.back.renderOrder = -1;
    this.overlay = new Overlay();
    this.scene.add(this.back, this.overlay.group);
  }

  clear() {
    if (!this.hair) return;
    this.scene.remove(this.hair.ribbons, this.body.group);
    this.lightDepthScene.remove(this.hair.lightDepth);
    this.lightLayersScene.remove(this.hair.lightLayers);
    this.hair.dispose();
    this.body.dispose();
    this.hair = this.body = this.groom = this.last = this.lit = null;
  }

  take(groom) {
    this.clear();
    this.groom = groom;
    const look = groom.look;
    this.hair = new Hair(groom, this.shared, this.view.software ? SOFTWARE : HARDWARE);
    this.body = new Body(groom, this.shared, this.view.software);
    this.scene.add(this.hair.ribbons, this.body.group);
    this.lightDepthScene.add(this.hair.lightDepth);
    this.lightLayersScene.add(this.hair.lightLayers);
    this.back.material.uniforms.top.value.set(...look.top);
    this.back.material.uniforms.bottom.value.set(...look.bottom);
    this.shared.exposure.value = look.exposure;
    this.shared.sky.value.set(...look.sky);
    this.shared.ground.value.set(...look.floor);
    for (const name of ["key", "fill", "rim"])
      this.shared[`${name}Colour`].value.set(...look[name].colour).multiplyScalar(1 / Math.PI);
    const cm = 0.01 / groom.metres_per_unit;
    this.shared.layerEnds.value.set(0.8 * cm, 2 * cm, 5 * cm, 14 * cm);
  }

  frame(frame) {
    if (!this.hair || frame.points.length !== 3 * this.groom.points) return;
    this.last = frame;
    this.fresh = true;
  }

  // The work that a frame makes is done for those that are drawn only. `lead`: how far the hand is ahead of the frame.
  settle(lead) {
    const same = this.lead ? lead && lead.every((x, k) => x === this.lead[k]) : !lead;
    if (!this.fresh && same) return;
    this.fresh = false;
    this.lead = lead;
    const frame = lead ? moved(this.last, lead) : this.last;
    this.hair.take(frame);
    this.body.take(frame.vertices);
    this.overlay.frame(frame, this.groom);
    const box = new THREE.Box3().setFromArray(frame.points);
    if (frame.vertices.length) box.union(new THREE.Box3().setFromArray(frame.vertices));
    box.getBoundingSphere((this.sphere ??= new THREE.Sphere()));
    const hair = new THREE.Box3().setFromArray(this.roots(frame));
    hair.getCenter(this.shared.centre.value);
  }

  roots(frame) {
    const out = new Float32Array(3 * this.groom.strands);
    for (let s = 0; s < this.groom.strands; s++)
      for (let k = 0; k < 3; k++) out[3 * s + k] = frame.points[3 * this.groom.first[s] + k];
    return out;
  }

  // Lights hang on the camera, as in `ringlet render`: 0 is from the eye, 90 from its right.
  setLights(camera, azimuth) {
    const look = this.groom.look;
    for (const name of ["key", "fill", "rim"]) {
      const a = azimuth + radians(look[name].azimuth), e = radians(look[name].elevation);
      this.shared[`${name}Direction`].value.set(Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e));
    }
    this.shared.eye.value.copy(camera.position);
  }

  // The light's maps are of some pictures ago: looked up where things were then, as far as they moved as a whole.
  carryLight() {
    const by = this.lit.centre.clone().sub(this.shared.centre.value);
    this.shared.lightMatrix.value.copy(this.lit.matrix).multiply(new THREE.Matrix4().makeTranslation(by.x, by.y, by.z));
  }

  drawLight(renderer, camera) {
    const { center, radius } = this.sphere, light = this.view.light;
    const direction = this.shared.keyDirection.value;
    light.left = light.bottom = -radius;
    light.right = light.top = radius;
    light.near = 0;
    light.far = 2 * radius;
    light.position.copy(center).addScaledVector(direction, radius);
    light.up.set(0, Math.abs(direction.y) > 0.95 ? 0 : 1, Math.abs(direction.y) > 0.95 ? 1 : 0);
    light.lookAt(center);
    light.updateMatrixWorld();
    light.updateProjectionMatrix();
    this.shared.lightMatrix.value.multiplyMatrices(light.projectionMatrix, light.matrixWorldInverse);
    this.lit = { frame: this.view.frames, matrix: this.shared.lightMatrix.value.clone(), centre: this.shared.centre.value.clone() };
    this.shared.lightRange.value = 2 * radius;
    // a hair of this width covers so much of a texel; all hairs stand behind those that are drawn here
    const texel = (2 * radius) / this.view.lightSize;
    this.shared.hairOpacity.value = Math.min(1.5, (2.2 * this.hair.mean * this.hair.opacity) / texel);
    renderer.setRenderTarget(this.depth);
    renderer.setClearColor(0xffffff, 1);
    renderer.clear();
    renderer.render(this.lightDepthScene, camera);
    renderer.setRenderTarget(this.layers);
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
    renderer.render(this.lightLayersScene, camera);
    renderer.setRenderTarget(null);
  }
}

export class View {
  constructor(canvas) {
    this.canvas = canvas;
    this.software = drawsInSoftware();
    // without alpha the browser need not blend it with the page
    const context = canvas.getContext("webgl2", { alpha: false, antialias: !this.software, powerPreference: "high-performance" });
    if (!context) throw new Error("no WebGL2 context");
    this.renderer = new THREE.WebGLRenderer({ canvas, context });
    this.renderer.autoClear = false;
    const gl = this.renderer.getContext();
    if (!gl.getExtension("EXT_color_buffer_float")) throw new Error("this browser's WebGL2 cannot draw to float textures");
    this.lightSize = this.software ? 128 : 512;
    if (this.software) this.makeBehind();
    this.camera = new THREE.PerspectiveCamera(25, 1, 1, 1e5);
    this.light = new THREE.OrthographicCamera();
    this.sides = [new Side(this), new Side(this)];
    this.split = false;
    this.orbit = { azimuth: radians(25), elevation: radians(6), distance: 150, target: new THREE.Vector3() };
    this.level = this.software ? FIRST : FINE; // of the ladder
    this.calm = false; // nothing moves
    this.otherLevel = CALM_FIRST; // that it has where `calm` is the other way round
    this.slowFrames = 0; // frames in which hair was at rest, one after the other
    this.times = [];
    this.frames = 0; // pictures that were begun
    this.shown = -1; // step of the last picture that is finished
    this.pending = null;
    this.held = 0; // until when no picture is begun
    this.warm();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  // One hair that nobody sees: programs are made ready while the server builds the groom. Those of a software renderer take a second.
  warm() {
    const light = { azimuth: 0, elevation: 0, colour: [1, 1, 1] }, numbers = (...list) => new Float32Array(list);
    const fill = { blend: 0, neighbours: 1, parting: 1, clump: 0, clump_start: 0, wisp_tip: 1, phase: 0, length_variation: 0, noise: 0,
      noise_length: 1, width: 1, tip: 1, tip_start: 1, locks: 0, clump_large: 0, clump_small: 0, lock_radius: 1, frizz: 0, frizz_length: 1, strays: 0 };
    const hair = { eumelanin: 0.3, pheomelanin: 0, dyed: false, dye: [0, 0, 0], roughness: 0.3, tilt: 3, variation: 0, width: 1 };
    const points = numbers(0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0), vertices = numbers(0, 0, 0, 1, 0, 0, 0, 1, 0);
    const side = (this.warmed = new Side(this));
    side.take({ side: 0, strands: 1, points: 4, vertices: 3, hairs: 1, first: new Int32Array([0, 4]), rest: points, widths: numbers(0.01),
      section: new Int32Array(1), triangles: new Uint32Array([0, 1, 2, 0, 1, 2]), paint: new Uint8Array(12), cloth: [1, 1, 1], face: 1, facePicture: new Uint8Array(4),
      places: numbers(1, 1, 1, 1, 1, 0, 1, 1, 0), offsets: numbers(0, 0, 0), guides: new Uint32Array(1),
      metres_per_unit: 0.01, fill, look: { hair: [hair], skin: [1, 1, 1], body: true, top: [0, 0, 0], bottom: [0, 0, 0], sky: [0, 0, 0],
        floor: [0, 0, 0], exposure: 1, key: light, fill: light, rim: light } });
    side.frame({ side: 0, step: -1, strands: 1, points, vertices, turns: new Int16Array([0, 0, 0, 32767]) });
    side.settle();
    this.place(1, 1);
    side.setLights(this.camera, 0);
    side.hair.grow(this.renderer, this.camera);
    side.hair.shade(this.renderer, this.camera);
    side.body.shade(this.renderer, this.camera);
    this.renderer.render(side.scene, this.camera);
    side.drawLight(this.renderer, this.camera);
    this.renderer.clear();
    this.renderer.getContext().flush();
  }

  // A browser without a graphics card reads each picture back, and its main thread stands still until it is drawn: no mouse, no frames. So
  // pictures are drawn behind the canvas and put there when they are finished.
  makeBehind() {
    this.behind = new THREE.WebGLRenderTarget(1, 1, { minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter });
    const channel = new MessageChannel();
    this.afterPicture = channel.port2;
    channel.port1.onmessage = () => this.finish();
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    this.size = new THREE.Vector2(Math.max(1, clientWidth), Math.max(1, clientHeight));
    this.ratio = Math.min(LADDER[this.level][1], Math.max(1, devicePixelRatio));
    this.dirty = true;
    if (this.behind) return; // the canvas follows with its picture
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(this.size.x, this.size.y, false);
  }

  groom(groom) {
    this.sides[groom.side].take(groom);
    this.applyBudget();
    if (groom.side === 0 && groom.title !== this.title) this.aim(groom.camera); // another scene
    if (groom.side === 0) this.title = groom.title;
    this.dirty = true;
  }

  // The camera of the scene, until the user turns it.
  aim(camera) {
    const from = vector(camera.eye).sub(vector(camera.target)), o = this.orbit;
    o.distance = from.length() || 150;
    o.azimuth = Math.atan2(from.x, from.z);
    o.elevation = Math.asin(from.y / o.distance);
    o.target.copy(vector(camera.target));
    this.camera.fov = camera.field_of_view;
    this.home = { ...o, target: o.target.clone() };
  }

  goHome() {
    if (this.home) this.orbit = { ...this.home, target: this.home.target.clone() };
    this.dirty = true;
  }

  frame(frame) {
    frame.came = performance.now();
    this.sides[frame.side].frame(frame);
    if (frame.facts.answered !== this.answered) this.held = 0;
    const speed = frame.facts.fastest * this.sides[0].groom?.metres_per_unit;
    this.slowFrames = speed < CALM_SPEED ? this.slowFrames + 1 : 0;
    this.setCalm(this.slowFrames >= CALM_FRAMES);
    this.answered = frame.facts.answered;
    this.dirty = true;
  }

  // The user moved something: a picture of what was before would only keep a software renderer busy, so the answer is waited for.
  expect() {
    this.slowFrames = 0;
    this.setCalm(false);
    if (this.software && !this.held) this.held = performance.now() + HOLD;
  }

  // The hand has the head there: pictures have it at once, with hair as it was; the simulation's answer comes later.
  follow(at) {
    this.slowFrames = 0;
    this.setCalm(false);
    this.hand = { at: at.toArray(), since: performance.now() };
    this.dirty = true;
  }

  // How far to draw a side ahead of its last frame; null: not at all. `mayLead` is off where the simulation does not go where the hand is:
  // paused, replaying, with inertia.
  leadOf(side) {
    const now = performance.now(), pose = side.last.facts.pose;
    if (!this.mayLead || !pose || !this.hand || now - this.hand.since > LEAD_FOR) return null;
    const by = this.hand.at.map((x, k) => x - pose[k]), far = Math.hypot(...by), metres = side.groom.metres_per_unit;
    const most = (LEAD_SPEED / metres) * ((now - side.last.came) / 1000 + 1 / side.groom.frames_per_second);
    if (far < 1e-5 * side.hair.extent) return null;
    return by.map((x) => x * Math.min(1, most / far));
  }

  setSplit(split) {
    this.split = split;
    if (!split) this.sides[1].clear();
    this.dirty = true;
  }

  applyBudget() {
    const share = [0.1, 0.17, 0.25, 0.4, 0.65][this.level] ?? 1; // of scenes that have few hairs
    for (const { hair } of this.sides) {
      if (!hair) continue;
      const short = this.software ? Math.min(6, Math.max(1, SAMPLES / hair.guides.samples)) : 1; // triangles are what takes time there
      hair.show(Math.min(short * LADDER[this.level][0], Math.max(share, 0.1 * short) * hair.groom.hairs) / (this.split ? 2 : 1));
    }
  }

  // A step of the ladder; fewer hairs are wider.
  setLevel(level) {
    const before = this.level;
    this.level = Math.min(LADDER.length - 1, Math.max(0, level));
    if (this.level === before) return;
    if (LADDER[this.level][1] !== LADDER[before][1]) this.resize();
    this.applyBudget();
  }

  // Each of both states has its own level. Hardware has time enough for one.
  setCalm(calm) {
    if (!this.software || calm === this.calm) return;
    const level = this.level;
    this.calm = calm;
    this.times.length = 0;
    this.again = 0;
    this.setLevel(this.otherLevel);
    this.otherLevel = level;
    this.dirty = true;
  }

  // Fewer hairs while pictures are slow, more while there is time. A level that was too slow is tried again later and later.
  adapt(milliseconds) {
    this.times.push(milliseconds);
    if (this.times.length < 6) return;
    const median = this.times.sort((a, b) => a - b)[3], now = performance.now();
    const slow = this.calm ? CALM_SLOW : SLOW, quick = this.calm ? CALM_QUICK : QUICK;
    this.times.length = 0;
    this.milliseconds = median;
    if (this.fixed) return;
    if (median > slow) {
      this.patience = Math.min(60000, 2 * (this.patience ?? 2000));
      this.again = now + this.patience;
      this.setLevel(this.level - (median > 2.5 * slow ? 2 : 1));
    } else if (median < quick && now > (this.again ?? 0)) {
      this.setLevel(this.level + 1);
    }
  }

  // Whether the last picture is still being drawn. A new one waits for it: else pictures queue up, and are old when they come.
  busy() {
    if (!this.pending) return false;
    const gl = this.renderer.getContext(), p = this.pending, now = performance.now();
    p.drawn ??= gl.getSyncParameter(p.sync, gl.SYNC_STATUS) === gl.SIGNALED || now - p.begun > 3000 ? now : undefined;
    if (p.drawn && !this.behind) this.finish();
    return this.pending !== null;
  }

  // Within the browser's own picture, which takes what the canvas has then: puts one there that is drawn, or nearly so. It is finished a task
  // later, when the browser has taken it.
  present() {
    const p = this.pending;
    if (!this.behind || !this.busy() || p.presented || (!p.drawn && performance.now() - p.begun < (this.usual ?? Infinity) - NEARLY)) return;
    p.presented = true;
    this.blit();
    this.afterPicture.postMessage(0);
  }

  blit() {
    const { width, height } = this.behind, gl = this.renderer.getContext();
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    this.renderer.setRenderTarget(null);
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, this.renderer.properties.get(this.behind).__webglFramebuffer);
    gl.blitFramebuffer(0, 0, width, height, 0, 0, width, height, gl.COLOR_BUFFER_BIT, gl.NEAREST);
    gl.flush();
  }

  finish() {
    if (!this.pending) return;
    const { sync, begun, drawn, step, pose, simulated } = this.pending, now = performance.now();
    this.renderer.getContext().deleteSync(sync);
    this.pending = null;
    if (this.shown < 0 && step >= 0) performance.mark("picture"); // the first one, for whoever measures it
    this.shown = step;
    this.finished = { begun, at: now, pose, simulated };
    const took = (drawn ?? now) - begun;
    this.usual = this.usual ? 0.7 * this.usual + 0.3 * took : took;
    this.adapt(took);
    this.draw(); // what has come since
  }

  // Looks whether the picture is finished; what has come since is drawn at once.
  watch() {
    if (!this.busy()) return;
    if (this.pending.drawn && document.hidden) this.finish(); // nobody sees it
    else setTimeout(() => this.watch(), 2);
  }

  place(width, height) {
    const o = this.orbit, camera = this.camera, e = Math.cos(o.elevation);
    const away = o.distance / Math.min(1, width / height); // a narrow picture shows as much from side to side
    camera.position.set(Math.sin(o.azimuth) * e, Math.sin(o.elevation), Math.cos(o.azimuth) * e)
      .multiplyScalar(away).add(o.target);
    camera.near = away * 0.02;
    camera.far = away * 12;
    camera.aspect = width / height;
    camera.lookAt(o.target);
    camera.updateMatrixWorld();
    camera.updateProjectionMatrix();
    const fit = 2 * Math.tan(radians(camera.fov) / 2);
    return fit / (height * this.ratio); // size of a pixel at distance 1
  }

  // Nothing where nothing has changed, or a picture is under way and it is not asked for at once.
  draw(atOnce = false) {
    const begun = performance.now();
    if (!atOnce && (this.busy() || begun < this.held)) return false;
    if (!this.dirty) return false;
    if (this.calm && !atOnce && begun - (this.finished?.at ?? 0) < CALM_PERIOD) return false;
    this.held = 0;
    this.dirty = false;
    if (this.refined) {
      this.refined = false;
      this.resize();
      this.dirty = false;
      this.applyBudget();
    }
    const count = this.split ? 2 : 1, width = Math.floor(this.size.x / count), pixel = this.place(width, this.size.y);
    if (this.behind) this.behind.setSize(Math.floor(this.size.x * this.ratio), Math.floor(this.size.y * this.ratio));
    for (let i = 0; i < count; i++) {
      const side = this.sides[i];
      if (side.hair && side.last) {
        side.settle(this.leadOf(side));
        side.shared.pixel.value = pixel;
        side.setLights(this.camera, this.orbit.azimuth);
        side.hair.grow(this.renderer, this.camera);
        if (!this.software || atOnce || !side.lit || this.frames >= side.lit.frame + LIGHT_EVERY) side.drawLight(this.renderer, this.camera);
        else side.carryLight();
        side.hair.shade(this.renderer, this.camera);
        side.body.shade(this.renderer, this.camera);
        side.body.setCoarse(!this.calm && !atOnce);
      }
      this.openWindow(i * width, width);
      this.renderer.clear();
      if (side.hair && side.last) this.renderer.render(side.scene, this.camera);
    }
    this.renderer.setScissorTest(false);
    this.frames++;
    if (this.warmed && this.sides[0].last) {
      this.warmed.clear(); // its programs have others now that use them
      this.warmed = null;
    }
    if (this.pending) return true;
    const gl = this.renderer.getContext(), { last, lead } = this.sides[0];
    this.pending = { sync: gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0), begun, step: last?.step ?? -1,
      simulated: last?.facts.pose, pose: last?.facts.pose?.map((x, k) => x + (lead?.[k] ?? 0)) };
    gl.flush();
    setTimeout(() => this.watch(), 2);
    return true;
  }

  // Draws to a part of the picture from here on.
  openWindow(x, width) {
    const r = this.behind ? this.ratio : 1, part = [Math.round(r * x), 0, Math.round(r * width), Math.floor(r * this.size.y)];
    if (this.behind) {
      this.behind.viewport.set(...part);
      this.behind.scissor.set(...part);
      this.behind.scissorTest = true;
      this.renderer.setRenderTarget(this.behind);
    } else {
      this.renderer.setRenderTarget(null);
      this.renderer.setViewport(...part);
      this.renderer.setScissor(...part);
      this.renderer.setScissorTest(true);
    }
  }

  // One fine picture of what stands still, for a software renderer: those before it were made in haste.
  refine() {
    if (!this.software || this.dirty || this.fixed || this.refined || this.busy()) return;
    if (performance.now() - (this.finished?.at ?? 0) < STILL_AFTER) return;
    const level = this.level;
    this.setLevel(Math.max(level, STILL));
    this.dirty = true;
    this.refined = this.draw(true);
    this.level = level; // the next picture has it
  }

  // A picture to be kept, handed to `take` as a canvas: finer than one of many may be.
  still(take) {
    const level = this.level;
    this.setLevel(Math.max(level, FINE));
    this.dirty = true;
    this.draw(true);
    if (this.behind) this.blit();
    take(this.canvas);
    this.setLevel(level);
    this.dirty = true;
  }

  // The ray under a place of the canvas, and which side it is on.
  ray(x, y) {
    const { width, height } = this.canvas.getBoundingClientRect(), count = this.split ? 2 : 1;
    const each = width / count, side = Math.min(count - 1, Math.floor(x / each));
    const at = new THREE.Vector2((2 * (x - side * each)) / each - 1, 1 - (2 * y) / height);
    const caster = new THREE.Raycaster();
    this.place(each, height);
    caster.setFromCamera(at, this.camera);
    return { side, ray: caster.ray, pixel: (2 * Math.tan(radians(this.camera.fov) / 2)) / height };
  }

  // The point of hair nearest to a ray, within some pixels; roots are left out.
  pickHair({ side, ray, pixel }, reach = 14) {
    const shown = this.sides[side];
    if (!shown?.last) return null;
    const p = shown.last.points, { first, strands } = shown.groom, at = new THREE.Vector3();
    let best = null;
    for (let s = 0; s < strands; s++)
      for (let i = first[s] + 1; i < first[s + 1]; i++) {
        at.set(p[3 * i], p[3 * i + 1], p[3 * i + 2]);
        const far = at.distanceTo(ray.origin), off = ray.distanceToPoint(at) / (pixel * far);
        if (off < reach && (!best || off * 2 + far * 0.02 < best.rank))
          best = { point: i, strand: s, at: at.clone(), rank: off * 2 + far * 0.02 };
      }
    return best;
  }

  pickBody({ side, ray }) {
    const shown = this.sides[side];
    if (!shown?.body) return null;
    const caster = new THREE.Raycaster(ray.origin, ray.direction);
    const hit = shown.body.group.visible && caster.intersectObjects(shown.body.meshes)[0];
    return hit ? { at: hit.point } : null;
  }
}
