// The picture: camera, lights, bodies, hair, what the light sees, lines over it. One viewport a side.
import * as THREE from "three";
import { Refiner } from "./refine.js";
import { Side } from "./side.js";

const vector = (v) => new THREE.Vector3(...v);
const radians = (degrees) => (degrees * Math.PI) / 180;

// Hairs and pixels (of the screen's) of a picture, from the fastest to the finest; the page finds its place by itself. Of a software
// renderer: locks.
const HAIRS = [[1000, 1], [2000, 1], [4000, 1], [6000, 1], [9000, 1], [14000, 1.5], [20000, 1.5], [30000, 2], [60000, 2]];
const LOCKS = [[64, 0.6], [96, 0.65], [128, 0.7], [160, 0.75], [192, 0.75], [256, 0.75], [320, 0.75], [416, 0.75], [544, 0.75], [704, 1], [960, 1], [1280, 1], [2000, 1], [4000, 1]];
const FIRST = 2; // of the ladder: where a page begins
const SLOW = 30, QUICK = 20; // [ms] a picture: fewer hairs above, more below; a level takes less than half as much again as the one before
const PATIENCE = [2000, 60000], RELAPSE = 5000; // [ms] until a level that was too slow is tried again: first, at most; what was tried so lately
// At rest is hair that is slower than CALM_SPEED [m/s] for CALM_FRAMES, or that is paused: its picture is refined, until some of it is further
// than DRIFT [pixel] from there, or twice that while it is being refined.
const CALM_SPEED = 0.03, CALM_FRAMES = 12, DRIFT = 1;
const STILL_AFTER = 250; // [ms] without a change until pictures are refined
const HOLD = 50; // [ms] that a slow picture waits for the answer to what the user did, at most
const LIGHT_EVERY = 4; // pictures of a software renderer: its shadows are drawn anew, and carried along in between
const NEARLY = 10; // [ms] that the browser may wait for a picture
const LEAD_SPEED = 6; // [m/s] that the server moves the head at, at most
const LATE = 12; // [ms] that a frame may come after its time before a picture is drawn without it
const LEAD_FOR = 400; // [ms] after the hand's last move that pictures are ahead of the simulation

// Whether WebGL draws in software here: asked of a context of its own, because antialiasing is chosen with a context.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2"), info = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
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
    if (this.software) this.makeBehind();
    this.camera = new THREE.PerspectiveCamera(25, 1, 1, 1e5);
    this.sides = [new Side(this), new Side(this)];
    this.split = false;
    this.orbit = { azimuth: radians(25), elevation: radians(6), distance: 150, target: new THREE.Vector3() };
    this.ladder = this.software ? LOCKS : HAIRS;
    this.level = FIRST;
    this.calm = false; // nothing moves
    this.slowFrames = 0; // frames in which hair was at rest, one after the other
    this.patience = PATIENCE[0] / 2;
    this.times = [];
    this.frames = 0; // pictures that were begun
    this.shown = -1; // step of the last picture that is finished
    this.pending = null;
    this.held = 0; // until when no picture is begun
    this.refiner = new Refiner(this);
    this.warm();
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement);
    this.resize();
  }

  // One hair that nobody sees: programs are made ready while the server builds the groom. Those of a software renderer take a second.
  warm() {
    const light = { azimuth: 0, elevation: 0, colour: [1, 1, 1] }, numbers = (...list) => new Float32Array(list);
    const fill = { blend: 0, neighbours: 1, parting: 1, clump: 0, clump_start: 0, wisp_tip: 1, phase: 0, length_variation: 0, noise: 0,
      noise_length: 1, width: 1, tip: 1, tip_start: 1, locks: 0, clump_large: 0, clump_small: 0, lock_radius: 1, frizz: 0, frizz_length: 1, strays: 0 };
    const hair = { eumelanin: 0.3, pheomelanin: 0, dyed: false, dye: [0, 0, 0], roughness: 0.3, roughness_around: 0.4,
      ior: 1.55, tilt: 3, variation: 0, width: 1 };
    const points = numbers(0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0), vertices = numbers(0, 0, 0, 1, 0, 0, 0, 1, 0);
    const side = (this.warmed = new Side(this));
    side.take({ side: 0, strands: 1, points: 4, vertices: 3, hairs: 1, first: new Int32Array([0, 4]), rest: points, widths: numbers(0.01),
      section: new Int32Array(1), triangles: new Uint32Array([0, 1, 2, 0, 1, 2]), paint: new Uint8Array(12), cloth: [1, 1, 1], face: 1, facePicture: new Uint8Array(4),
      places: numbers(1, 1, 1, 1, 1, 0, 1, 1, 0), offsets: numbers(0, 0, 0), guides: new Uint32Array(1),
      metres_per_unit: 0.01, fill, look: { hair: [hair], skin: [1, 1, 1], body: true, top: [0, 0, 0], bottom: [0, 0, 0], sky: [0, 0, 0],
        horizon: [0, 0, 0], floor: [0, 0, 0], exposure: 1, key: light, fill: light, rim: light } });
    side.frame({ side: 0, step: -1, strands: 1, points, vertices, turns: new Int16Array([0, 0, 0, 32767]) });
    side.settle();
    this.place(1, 1);
    side.setLights(this.camera, this.orbit);
    side.makeLight();
    side.hair.grow(this.renderer, this.camera);
    side.hair.shade(this.renderer, this.camera);
    side.body.shade(this.renderer, this.camera);
    this.renderer.render(side.scene, this.camera);
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
    this.ratio = Math.min(this.ladder[this.level][1], Math.max(1, devicePixelRatio));
    this.dirty = true;
    if (this.behind) return; // the canvas follows with its picture
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(this.size.x, this.size.y, false);
  }

  groom(groom) {
    this.refiner.drop();
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
    if (frame.side === 0) this.listen(frame.came);
    this.sides[frame.side].frame(frame);
    if (frame.facts.answered !== this.answered) this.held = 0;
    const speed = frame.facts.fastest * this.sides[0].groom?.metres_per_unit;
    this.slowFrames = speed < CALM_SPEED ? this.slowFrames + 1 : 0;
    this.setCalm(this.slowFrames >= CALM_FRAMES);
    this.answered = frame.facts.answered;
    if (!this.keepsRefined(frame)) this.dirty = true;
  }

  // Whether what is refined is still where things are. Where hair at rest has drifted away, that is refined anew: nothing coarse in between.
  keepsRefined(frame) {
    const { refiner } = this, side = this.sides[frame.side];
    if (!this.calm || this.dirty || !side.shownFrame || side.lead) return false;
    const drift = side.drift(frame) / (side.shared.pixel.value * this.camera.position.distanceTo(side.centre));
    if (refiner.running ? drift < 2 * DRIFT || refiner.pictures < 2 : drift < DRIFT) return true;
    if (!refiner.running && !refiner.done) return false;
    for (const each of this.sides) each.settle(null);
    refiner.start(true);
    return true;
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

  // How far apart frames come, in the mean.
  listen(now) {
    const gap = now - (this.heard ?? -Infinity);
    if (gap < 500) this.period = this.period ? 0.9 * this.period + 0.1 * gap : gap;
    this.heard = now;
  }

  // Whether a picture of what the hand did would still be under way when the next frame comes: a software renderer draws that one instead, and
  // hair is on the screen that much sooner.
  awaitsFrame(now) {
    if (!this.software || !this.hand || !this.mayLead || now - this.hand.since > LEAD_FOR || this.sides[0].fresh) return false;
    const due = this.heard + this.period;
    return now + (this.usual ?? 0) > due && now < due + LATE;
  }

  setSplit(split) {
    if (split !== this.split) this.refiner.drop();
    this.split = split;
    if (!split) this.sides[1].clear();
    this.dirty = true;
  }

  applyBudget() {
    for (const { hair } of this.sides) hair?.show(this.ladder[this.level][0] / (this.split ? 2 : 1));
  }

  // A step of the ladder; fewer hairs are wider.
  setLevel(level) {
    const before = this.level;
    this.level = Math.min(this.ladder.length - 1, Math.max(0, level));
    if (this.level === before) return;
    if (this.ladder[this.level][1] !== this.ladder[before][1]) this.resize();
    this.applyBudget();
  }

  setCalm(calm) {
    if (this.calm && !calm) this.dirty = true;
    this.calm = calm;
  }

  // Fewer hairs while pictures are slow, more while there is time. A level that was too slow is tried again later and later.
  adapt(milliseconds) {
    this.times.push(milliseconds);
    if (this.times.length < 6) return;
    const median = this.times.sort((a, b) => a - b)[3], now = performance.now();
    this.times.length = 0;
    this.milliseconds = median;
    if (this.fixed) return;
    if (median > SLOW) {
      this.patience = now - (this.raised ?? -Infinity) < RELAPSE ? Math.min(PATIENCE[1], 2 * this.patience) : PATIENCE[0];
      this.again = now + this.patience;
      this.setLevel(this.level - (median > 2.5 * SLOW ? 2 : 1));
    } else if (median < QUICK && now > (this.again ?? 0)) {
      this.raised = now;
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
    if (this.refined && this.behind && !p) this.blit();
    this.refined = false;
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
    gl.bindFramebuffer(gl.READ_FRAMEBUFFER, null); // what is kept of the canvas is read from here
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
    if (!atOnce && (this.frozen || this.busy() || begun < this.held)) return false;
    if (!this.dirty || (!atOnce && this.awaitsFrame(begun))) return false;
    this.held = 0;
    this.dirty = false;
    this.refiner.drop();
    this.refined = false;
    const count = this.split ? 2 : 1, width = Math.floor(this.size.x / count), pixel = this.place(width, this.size.y);
    if (this.behind) this.behind.setSize(Math.floor(this.size.x * this.ratio), Math.floor(this.size.y * this.ratio));
    for (let i = 0; i < count; i++) {
      const side = this.sides[i];
      if (side.hair && side.last) {
        side.settle(this.leadOf(side));
        side.shared.pixel.value = pixel;
        side.setLights(this.camera, this.orbit, atOnce);
        if (atOnce || !side.lit || this.frames >= side.lit.picture + LIGHT_EVERY || this.orbit.azimuth !== side.lit.azimuth) side.makeLight();
        else side.carryLight();
        side.hair.grow(this.renderer, this.camera);
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

  // What stands still is drawn again, hair by hair, until all of it is there.
  refine() {
    if (this.dirty || this.refiner.running || this.refiner.done || this.busy() || !this.sides[0].last) return;
    if (performance.now() - (this.finished?.at ?? 0) < STILL_AFTER) return;
    this.refiner.start();
  }

  // A picture to be kept: refined to its end, and only then handed to `take` as a canvas.
  async still(take) {
    this.dirty = true;
    this.draw(true);
    this.frozen = true;
    await this.refiner.finish();
    this.frozen = false;
    take(this.refiner.canvas());
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
