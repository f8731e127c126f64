// What stands still is drawn again with all hairs, however thin, while nothing changes. A picture is the mean of some, each with its own share
// of the hairs, one pixel wide, and its own place of the pixels: a hair that covers a twelfth of a pixel is in one of twelve. So each
// hair is made and drawn about once, in small pieces of work, and the mean may be shown after each of them.
import * as THREE from "three";
import { material } from "./hair.js";
import * as S from "./shaders.js";

const PIECE = { software: 192, hardware: 4096 }; // hairs made at once
const KNOWN = 1024; // hairs that the cloud of what lights meet is made from
const THIN = 1.3; // [pixel] hairs that are thinner in their picture are lines of one pixel
const PARTS = [4, 16], PICTURES = 8; // that hairs are shared among; pictures of a mean, at least
const STRIPS = 6; // that a body is lit in, one a piece of work
const KEPT = 8000; // [ms] until a picture that is to be kept is taken as it is
const POLL = 2; // [ms] between looks whether a piece of work is done

// Places of the pixels of picture i, -0.5 to 0.5, evenly spread (Halton).
const place = (i) => [2, 3].map((base) => {
  let sum = 0, part = 1 / base;
  for (let k = i + 1; k > 0; k = Math.floor(k / base), part /= base) sum += part * (k % base);
  return sum - 0.5;
});

const target = (depthBuffer) => new THREE.WebGLRenderTarget(1, 1, { type: THREE.HalfFloatType, minFilter: THREE.NearestFilter, magFilter: THREE.NearestFilter, depthBuffer });

export class Refiner {
  constructor(view) {
    this.view = view;
    this.running = this.done = false;
    this.pictures = 0; // of the mean that is shown
    this.camera = new THREE.PerspectiveCamera();
    this.waiting = [];
    this.channel = new MessageChannel(); // sooner than timers, which browsers hold up
    this.soon = [];
    this.channel.port1.onmessage = () => this.soon.shift()();
  }

  after(look) {
    this.soon.push(look);
    this.channel.port2.postMessage(0);
  }

  make() {
    if (this.one) return;
    this.one = target(true);
    this.sum = target(false);
    this.lit = target(true);
    const quad = (fragment, uniforms, more) => {
      const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material(S.growVertex, fragment, uniforms, { depthTest: false, depthWrite: false, ...more }));
      mesh.frustumCulled = false;
      const scene = new THREE.Scene();
      scene.add(mesh);
      return scene;
    };
    this.add = quad(S.copyFragment, { one: { value: this.one.texture } }, { transparent: true, blending: THREE.CustomBlending,
      blendEquation: THREE.AddEquation, blendSrc: THREE.OneFactor, blendDst: THREE.OneFactor });
    this.count = { value: 1 };
    this.mean = quad(S.meanFragment, { sum: { value: this.sum.texture }, count: this.count });
  }

  // Begins with what is shown now.
  start(keeps = false) {
    const before = keeps ? this.shownHairs() : 0;
    this.drop();
    this.before = before; // hairs of the picture that stays until there is another
    this.make();
    this.running = true;
    this.work = this.pieces();
    this.next();
  }

  // Something has changed: what was refined is of the past.
  drop() {
    this.running = this.done = false;
    this.work = null;
    this.pictures = this.before = 0;
    this.tell();
  }

  tell() {
    for (const done of this.waiting.splice(0)) done();
  }

  // Hairs of the picture that is shown; 0: it is not refined.
  shownHairs() {
    const { fine } = this.view.sides[0];
    return this.pictures > 0 && fine ? Math.floor(fine.long * Math.min(1, this.pictures / this.parts)) : this.before ?? 0;
  }

  // Resolves when all hairs are there, or something has changed, or it has taken long.
  finish() {
    const begun = performance.now();
    if (!this.running && !this.done) this.start();
    return this.done ? Promise.resolve() : new Promise((done) => {
      this.waiting.push(done);
      const look = () => (this.pictures > 0 && performance.now() - begun > KEPT ? done() : this.waiting.includes(done) && setTimeout(look, 100));
      look();
    });
  }

  // One piece of work, and the next when the graphics card, or what stands for it, has done the one before: it always has something to do, and
  // what the user does waits for two pieces at most. While a simulation runs beside it on the same processors, each piece is followed by as
  // long a rest.
  next() {
    const { work, view } = this, gl = view.renderer.getContext(), begun = performance.now();
    if (!work) return;
    if (view.pending) {
      setTimeout(() => this.next(), POLL);
      return;
    }
    const { done } = work.next();
    if (done) {
      this.running = false;
      this.done = true;
      this.tell();
      return;
    }
    const rests = view.software && view.simulates && !view.frozen, sync = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    const awaited = rests ? sync : this.sync;
    if (this.sync && awaited !== this.sync) gl.deleteSync(this.sync);
    this.sync = rests ? null : sync;
    gl.flush();
    const look = () => {
      if (awaited && gl.getSyncParameter(awaited, gl.SYNC_STATUS) !== gl.SIGNALED) {
        setTimeout(look, POLL);
        return;
      }
      gl.deleteSync(awaited);
      const go = () => this.work === work && this.next();
      if (rests) setTimeout(go, performance.now() - begun);
      else go();
    };
    this.after(look);
  }

  *pieces() {
    const { view } = this, slice = view.software ? PIECE.software : PIECE.hardware;
    const sides = view.sides.slice(0, view.split ? 2 : 1).filter((side) => side.hair && side.last);
    const ratio = Math.max(1, devicePixelRatio), count = view.split ? 2 : 1, width = Math.floor(view.size.x / count), height = view.size.y;
    const size = [Math.floor(view.size.x * ratio), Math.floor(height * ratio)];
    for (const each of [this.one, this.sum, this.lit]) each.setSize(...size);
    this.camera.copy(view.camera);
    view.place(width, height);
    const pixel = (2 * Math.tan((view.camera.fov * Math.PI) / 360)) / (height * ratio);
    for (const side of sides) {
      side.setLights(view.camera, view.orbit, true);
      side.shared.pixel.value = pixel;
      const hair = side.makeFine(slice);
      yield;
      yield* this.light(side, hair, slice);
    }
    const plans = sides.map((side) => this.plan(side, pixel)), most = Math.max(...plans.map((plan) => plan.parts)), pictures = most * Math.ceil(PICTURES / most);
    this.parts = plans[0]?.parts ?? 1;
    this.clear(this.sum);
    this.clear(this.lit);
    const windows = sides.map((side) => [Math.round(ratio * width * view.sides.indexOf(side)), Math.round(ratio * width), size[1]]);
    for (const [k, side] of sides.entries()) {
      this.open(this.lit, windows[k]);
      side.body.keeper.value = this.lit.texture;
      for (let strip = 0, high = Math.ceil(size[1] / STRIPS); strip < STRIPS && side.body.kept.visible; strip++) {
        this.lit.scissor.set(windows[k][0], strip * high, windows[k][1], high);
        view.renderer.setRenderTarget(this.lit);
        view.renderer.render(side.litScene, view.camera);
        yield;
      }
    }
    for (let i = 0; i < pictures; i++) {
      this.clear(this.one);
      for (const [k, side] of sides.entries()) yield* this.picture(side, plans[k], i, windows[k]);
      this.show(i + 1, size);
      yield;
    }
  }

  // What lights meet, of some hairs as they are.
  *light(side, hair, slice) {
    const { renderer, camera } = this.view, cloud = side.fineCloud, n = hair.guides.samples, each = Math.min(slice, 256), most = Math.min(hair.long, KNOWN);
    const parts = [], row = 4 * hair.target.width;
    for (let first = 0; first < most; first += each) {
      hair.setRange(first, Math.min(most, first + each));
      hair.grow(renderer, camera);
      const points = new Float32Array(row * hair.rows);
      renderer.readRenderTargetPixels(hair.target, 0, 0, hair.target.width, hair.rows, points);
      parts.push([first, Math.min(most, first + each), points]);
      yield;
    }
    const box = new THREE.Box3(), at = new THREE.Vector3(), { groom, weights } = side;
    for (const [first, end, p] of parts)
      for (let i = 0; i < 4 * n * (end - first); i += 12) box.expandByPoint(at.set(p[i], p[i + 1], p[i + 2]));
    cloud.begin(box);
    for (const [first, end, p] of parts) {
      for (let h = first; h < end; h++) {
        const from = 4 * n * (h - first), weight = (weights[groom.guides[hair.hairAt[h]]] * groom.strands * hair.long) / (most * hair.most); // they stand for all
        for (let i = 0; i + 1 < n; i++) cloud.add(p, from + 4 * i, from + 4 * i + 4, weight);
      }
      yield;
    }
    yield* side.finishLight(cloud);
  }

  // In one of how many pictures each hair is, and how wide there.
  plan(side, pixel) {
    const hair = side.fine, far = this.view.camera.position.distanceTo(side.centre);
    const width = hair.widest * side.groom.fill.width * (side.groom.hairs / hair.most), pixels = width / (pixel * far);
    const parts = Math.round(Math.min(PARTS[1], Math.max(PARTS[0], 1 / pixels)));
    return { parts, width: width * parts, isThin: pixels * parts < THIN };
  }

  // Draws to a part of a target from here on.
  open(each, [x, wide, high]) {
    each.viewport.set(x, 0, wide, high);
    each.scissor.set(x, 0, wide, high);
    each.scissorTest = true;
    this.view.renderer.setRenderTarget(each);
  }

  *picture(side, { parts, isThin, width }, i, window) {
    const { renderer, camera: own } = this.view, { one } = this, hair = side.fine, camera = this.camera.copy(own), [dx, dy] = place(i), [, wide, high] = window;
    camera.setViewOffset(wide, high, dx, dy, wide, high);
    this.open(one, window);
    side.scene.remove(side.overlay.group);
    side.fineScene.add(side.overlay.group);
    side.overlay.adds.value = true;
    renderer.render(side.fineScene, camera);
    side.overlay.adds.value = false;
    side.scene.add(side.overlay.group);
    yield;
    const shape = isThin ? hair.lines : hair.ribbons;
    this.hairs ??= new THREE.Scene();
    hair.width.value = width;
    const part = i % parts, end = Math.floor(((part + 1) * hair.long) / parts);
    for (let first = Math.floor((part * hair.long) / parts); first < end; first += hair.slice) {
      hair.setRange(first, Math.min(end, first + hair.slice));
      hair.grow(renderer, camera);
      hair.shade(renderer, camera);
      this.hairs.add(shape);
      renderer.setRenderTarget(one);
      renderer.render(this.hairs, camera);
      this.hairs.remove(shape);
      yield;
    }
  }

  clear(each) {
    const { renderer } = this.view, { width, height } = each;
    each.scissorTest = false;
    each.viewport.set(0, 0, width, height);
    renderer.setRenderTarget(each);
    renderer.setClearColor(0x000000, 0);
    renderer.clear();
  }

  // Adds a picture to the sum, and hands the mean to the page.
  show(pictures, size) {
    const { view } = this, { renderer, behind } = view;
    renderer.setRenderTarget(this.sum);
    renderer.render(this.add, this.camera);
    this.count.value = pictures;
    if (behind) {
      behind.setSize(...size);
      behind.scissorTest = false;
      behind.viewport.set(0, 0, ...size);
    } else {
      renderer.setScissorTest(false);
      renderer.setViewport(0, 0, view.size.x, view.size.y);
    }
    renderer.setRenderTarget(behind ?? null);
    renderer.render(this.mean, this.camera);
    renderer.setRenderTarget(null);
    this.pictures = pictures;
    view.refined = true; // for the browser's next picture
  }

  // The mean as a canvas of its own.
  canvas() {
    const { renderer } = this.view, { width, height } = this.sum, bytes = new Uint8Array(4 * width * height);
    const seen = new THREE.WebGLRenderTarget(width, height, { depthBuffer: false });
    renderer.setRenderTarget(seen);
    renderer.render(this.mean, this.camera);
    renderer.readRenderTargetPixels(seen, 0, 0, width, height, bytes);
    renderer.setRenderTarget(null);
    seen.dispose();
    const canvas = Object.assign(document.createElement("canvas"), { width, height }), image = new ImageData(width, height);
    for (let y = 0; y < height; y++) image.data.set(bytes.subarray(4 * width * y, 4 * width * (y + 1)), 4 * width * (height - 1 - y));
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas;
  }
}
