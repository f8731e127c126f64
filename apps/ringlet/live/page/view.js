// The picture: camera, lights, bodies, hair, what the light sees, lines over it. One viewport a side.
import * as THREE from "three";
import { Hair, material } from "./hair.js";
import { Overlay } from "./overlay.js";
import * as S from "./shaders.js";

const vector = (v) => new THREE.Vector3(...v);
const radians = (degrees) => (degrees * Math.PI) / 180;

// Hairs at most, samples for each point of a guide, what the light sees: hairs at most, every how many samples. Solid: few hairs stand
// for many, so none of their pixels are left out.
const HARDWARE = { hairs: 60000, fine: 2, lit: 5000, skip: 2 }, SOFTWARE = { hairs: 4000, fine: 0.7, lit: 300, skip: 3, solid: true };

// Hairs and pixels (of the screen's) of a picture, from the fastest to the finest; the page finds its place by itself.
const LADDER = [[110, 0.6], [220, 0.75], [300, 0.75], [350, 0.75], [450, 0.75], [600, 0.75], [900, 0.75], [1300, 1], [2000, 1], [2800, 1], [4000, 1], [6000, 1],
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

// Whether WebGL draws in software here: asked of a context of its own, because antialiasing is chosen with a context.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2"), info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

class Body {
  constructor(groom, shared, software) {
    this.geometry = new THREE.BufferGeometry();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * groom.vertices), 3));
    this.geometry.setAttribute("normal", new THREE.BufferAttribute(new Float32Array(3 * groom.vertices), 3));
    this.geometry.setIndex(new THREE.BufferAttribute(groom.triangles, 1));
    this.mesh = new THREE.Mesh(this.geometry, material(...(software ? S.bodyPlain : S.bodyFine), { ...shared,
      skin: { value: vector(groom.look.skin) } }, { side: THREE.DoubleSide }));
    this.mesh.frustumCulled = false;
    this.mesh.visible = groom.look.body;
  }

  take(frame) {
    this.geometry.attributes.position.array.set(frame.vertices);
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.computeVertexNormals();
    this.geometry.computeBoundingSphere();
  }

  dispose() {
    this.geometry.dispose();
    this.mesh.material.dispose();
  }
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
    this.scene.remove(this.hair.ribbons, this.body.mesh);
    this.lightDepthScene.remove(this.hair.lightDepth);
    this.lightLayersScene.remove(this.hair.lightLayers);
    this.hair.dispose();
    this.body.dispose();
    this.hair = this.body = this.groom = this.last = null;
  }

  take(groom) {
    this.clear();
    this.groom = groom;
    const look = groom.look;
    this.hair = new Hair(groom, this.shared, this.view.software ? SOFTWARE : HARDWARE);
    this.body = new Body(groom, this.shared, this.view.software);
    this.scene.add(this.hair.ribbons, this.body.mesh);
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

  // The work that a frame makes is done for those that are drawn only.
  settle() {
    const frame = this.last;
    if (!this.fresh) return;
    this.fresh = false;
    this.hair.take(frame);
    this.body.take(frame);
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
      section: new Int32Array(1), triangles: new Uint32Array([0, 1, 2]), offsets: numbers(0, 0, 0), guides: new Uint32Array(1),
      metres_per_unit: 0.01, fill, look: { hair: [hair], skin: [1, 1, 1], body: true, top: [0, 0, 0], bottom: [0, 0, 0], sky: [0, 0, 0],
        floor: [0, 0, 0], exposure: 1, key: light, fill: light, rim: light } });
    side.frame({ side: 0, step: -1, strands: 1, points, vertices, turns: new Int16Array([0, 0, 0, 32767]) });
    side.settle();
    this.place(1, 1);
    side.setLights(this.camera, 0);
    side.hair.grow(this.renderer, this.camera);
    side.hair.shade(this.renderer, this.camera);
    this.renderer.render(side.scene, this.camera);
    side.drawLight(this.renderer, this.camera);
    this.renderer.clear();
    this.renderer.getContext().flush();
  }

  resize() {
    const { clientWidth, clientHeight } = this.canvas.parentElement;
    this.renderer.setPixelRatio(Math.min(LADDER[this.level][1], Math.max(1, devicePixelRatio)));
    this.renderer.setSize(Math.max(1, clientWidth), Math.max(1, clientHeight), false);
    this.dirty = true;
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
    const gl = this.renderer.getContext(), { sync, begun, step } = this.pending;
    if (gl.getSyncParameter(sync, gl.SYNC_STATUS) === gl.UNSIGNALED && performance.now() - begun < 3000) return true;
    gl.deleteSync(sync);
    this.pending = null;
    if (this.shown < 0 && step >= 0) performance.mark("picture"); // the first one, for whoever measures it
    this.shown = step;
    this.finished = { begun, at: performance.now() };
    this.adapt(this.finished.at - begun);
    return false;
  }

  // Looks whether the picture is finished; what has come since is drawn at once.
  watch() {
    if (this.busy()) setTimeout(() => this.watch(), 2);
    else this.draw();
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
    return fit / (height * this.renderer.getPixelRatio()); // size of a pixel at distance 1
  }

  // Nothing where nothing has changed, or a picture is under way and it is not asked for at once.
  draw(atOnce = false) {
    const begun = performance.now();
    if (!this.dirty || (!atOnce && (this.busy() || begun < this.held))) return false;
    if (this.calm && !atOnce && begun - (this.finished?.at ?? 0) < CALM_PERIOD) return false;
    this.held = 0;
    this.dirty = false;
    if (this.refined) {
      this.refined = false;
      this.resize();
      this.dirty = false;
      this.applyBudget();
    }
    const size = this.renderer.getSize(new THREE.Vector2()), count = this.split ? 2 : 1;
    const width = Math.floor(size.x / count);
    const pixel = this.place(width, size.y);
    for (let i = 0; i < count; i++) {
      const side = this.sides[i], x = i * width;
      this.renderer.setRenderTarget(null);
      this.renderer.setScissorTest(false);
      if (side.hair && side.last) {
        side.settle();
        side.shared.pixel.value = pixel;
        side.setLights(this.camera, this.orbit.azimuth);
        side.hair.grow(this.renderer, this.camera);
        if (!this.software || this.frames % 2 === 1 || atOnce) side.drawLight(this.renderer, this.camera);
        side.hair.shade(this.renderer, this.camera);
      }
      this.renderer.setViewport(x, 0, width, size.y);
      this.renderer.setScissor(x, 0, width, size.y);
      this.renderer.setScissorTest(true);
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
    const gl = this.renderer.getContext();
    this.pending = { sync: gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0), begun, step: this.sides[0].last?.step ?? -1 };
    gl.flush();
    setTimeout(() => this.watch(), 2);
    return true;
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
    shown.body.mesh.material.side = THREE.DoubleSide;
    const hit = caster.intersectObject(shown.body.mesh)[0];
    return hit ? { at: hit.point } : null;
  }
}
