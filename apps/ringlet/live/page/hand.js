// The mouse and the keyboard: the head, a lock of hair, the camera, the wind.
import * as THREE from "three";

const TURN = 0.008; // [rad] a pixel
const IDLE = "0 0 0 0 0 0 1";
const LINE = 33, WHEEL_MOST = 250; // [pixel] that a line of the wheel is; of one event, at most
const NEAREST = 0.05, FARTHEST = 20; // of the camera's own distance

export class Hand {
  constructor(view, send) {
    this.view = view;
    this.send = send;
    this.tool = "move";
    this.at = new THREE.Vector3();
    this.turn = new THREE.Quaternion();
    this.springsBack = false;
    this.watches = false; // another page has control: only the camera is this one's
    this.fingers = new Map(); // where they are, of those that touch
    const canvas = view.canvas;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerrawupdate", (event) => this.move(event)); // before the browser's next picture, where it has them
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", (event) => this.up(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("dblclick", () => view.goHome());
  }

  // Back in its place, after a reset.
  clear() {
    this.at.set(0, 0, 0);
    this.turn.identity();
    this.held = null;
    this.view.hand = null;
  }

  place(event) {
    const box = this.view.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  // Where the simulation has the head: what a page begins with that was not the one to move it.
  adopt(pose) {
    if (this.held || !pose) return;
    this.at.fromArray(pose);
    this.turn.fromArray(pose, 3);
  }

  // Two fingers: nearer and farther as they part. What the first of them held is let go.
  pinch(event) {
    if (event.pointerType !== "touch") return false;
    const apart = () => {
      const [a, b] = [...this.fingers.values()];
      return b ? Math.hypot(a[0] - b[0], a[1] - b[1]) : 0;
    };
    const before = apart();
    this.fingers.set(event.pointerId, this.place(event));
    if (this.fingers.size < 2) return false;
    if (this.held) this.up({ pointerId: this.held.id });
    if (before > 0 && apart() > 0) this.zoom(before / apart());
    return true;
  }

  zoom(factor) {
    const { orbit, home } = this.view, own = home?.distance ?? orbit.distance;
    orbit.distance = Math.min(FARTHEST * own, Math.max(NEAREST * own, orbit.distance * factor));
    this.view.dirty = true;
  }

  down(event) {
    if (this.pinch(event)) return;
    const [x, y] = this.place(event), where = this.view.ray(x, y);
    this.view.canvas.focus();
    this.view.canvas.setPointerCapture(event.pointerId);
    const camera = event.button !== 0 || event.ctrlKey || this.watches;
    const hair = camera ? null : this.view.pickHair(where), body = camera || hair ? null : this.view.pickBody(where);
    const hit = hair ?? body;
    const tool = !hit ? (event.button === 1 || event.ctrlKey ? "pan" : "orbit")
      : this.tool === "pull" && !hair ? "move" : event.shiftKey ? "turn" : this.tool;
    this.held = { tool, x, y, id: event.pointerId };
    this.view.canvas.classList.add("held");
    if (!hit) return;
    // a plane through what was taken, across the view
    const normal = this.view.camera.getWorldDirection(new THREE.Vector3());
    this.held.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.at);
    this.held.from = hit.at.clone();
    this.held.start = this.at.clone();
    if (tool === "pull") this.send(`grab ${where.side} ${hair.point} ${hit.at.toArray().join(" ")}`);
  }

  move(event) {
    if (this.fingers.has(event.pointerId) && this.pinch(event)) return;
    const held = this.held;
    if (!held || held.id !== event.pointerId) return;
    const [x, y] = this.place(event), dx = x - held.x, dy = y - held.y, orbit = this.view.orbit;
    held.x = x;
    held.y = y;
    this.view.setCalm(false);
    if (held.tool === "orbit") {
      orbit.azimuth -= dx * TURN;
      orbit.elevation = Math.min(1.5, Math.max(-1.5, orbit.elevation + dy * TURN));
      this.view.dirty = true;
    } else if (held.tool === "pan") {
      const step = orbit.distance * this.view.ray(x, y).pixel, m = this.view.camera.matrixWorld.elements;
      orbit.target.addScaledVector(new THREE.Vector3(m[0], m[1], m[2]), -dx * step)
        .addScaledVector(new THREE.Vector3(m[4], m[5], m[6]), dy * step);
      this.view.dirty = true;
    } else if (held.tool === "turn") {
      const right = new THREE.Vector3().setFromMatrixColumn(this.view.camera.matrixWorld, 0);
      this.turn.premultiply(new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), dx * TURN));
      this.turn.premultiply(new THREE.Quaternion().setFromAxisAngle(right, dy * TURN)).normalize();
      this.wanted = "pose";
    } else {
      const at = this.view.ray(x, y).ray.intersectPlane(held.plane, new THREE.Vector3());
      if (!at) return;
      if (held.tool === "move") this.at.copy(held.start).add(at).sub(held.from);
      else this.pullAt = at;
      this.wanted = held.tool === "move" ? "pose" : "pull";
    }
    if (performance.now() - (this.sent ?? 0) > 12) this.flush(); // not only with the next picture, which may be slow
  }

  up(event) {
    if (event.type) this.fingers.delete(event.pointerId);
    const held = this.held;
    if (!held || held.id !== event.pointerId) return;
    this.flush();
    this.held = null;
    this.view.canvas.classList.remove("held");
    if (held.tool === "pull") this.send("release");
    if (this.springsBack && (held.tool === "move" || held.tool === "turn")) {
      this.clear();
      this.send(`pose ${IDLE}`);
    }
  }

  // The arrow keys move and turn the head as well.
  nudge(x, y, turns) {
    if (this.watches) return;
    const right = new THREE.Vector3().setFromMatrixColumn(this.view.camera.matrixWorld, 0);
    if (turns) {
      this.turn.premultiply(new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 1, 0), 0.15 * x));
      this.turn.premultiply(new THREE.Quaternion().setFromAxisAngle(right, -0.15 * y)).normalize();
    } else {
      this.at.addScaledVector(right, 0.02 * this.view.orbit.distance * x);
      this.at.y += 0.02 * this.view.orbit.distance * y;
    }
    this.wanted = "pose";
  }

  // What the mouse has come to since.
  flush() {
    if (this.wanted) this.sent = performance.now();
    if (this.wanted === "pose" && this.held?.tool !== "turn") this.view.follow(this.at);
    else if (this.wanted) this.view.expect();
    if (this.wanted === "pose") this.send(`pose ${this.at.toArray().join(" ")} ${this.turn.toArray().join(" ")}`);
    else if (this.wanted === "pull") this.send(`pull ${this.pullAt.toArray().join(" ")}`);
    this.wanted = null;
  }

  wheel(event) {
    event.preventDefault();
    const pixels = event.deltaY * [1, LINE, 20 * LINE][event.deltaMode];
    this.zoom(Math.exp(0.001 * Math.min(WHEEL_MOST, Math.max(-WHEEL_MOST, pixels))));
  }
}

// A round pad: how far and where to the handle is drawn is the wind, as the camera sees it; up is away from it.
export class WindPad {
  // `set` takes a value; `begins` is told that those to come are one change.
  constructor(canvas, view, set, begins) {
    Object.assign(this, { canvas, view, set, begins });
    this.x = this.y = 0;
    this.most = 800; // [cm/s]
    const drag = (event) => {
      if (!(event.buttons & 1)) return;
      const half = canvas.width / 2;
      let x = (event.offsetX - half) / (half - 8), y = (event.offsetY - half) / (half - 8);
      const length = Math.hypot(x, y);
      if (length > 1) (x /= length), (y /= length);
      this.x = x;
      this.y = y;
      this.wanted = true;
      this.draw();
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.begins();
      this.held = true;
      drag(event);
    });
    canvas.addEventListener("pointermove", drag);
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => (this.held = false));
    canvas.addEventListener("dblclick", () => this.none());
    this.draw();
  }

  none() {
    this.begins();
    this.x = this.y = 0;
    this.wanted = true;
    this.draw();
  }

  // [unit/s] in the world, where a unit is so many metres long.
  velocity(metres) {
    const a = this.view.orbit.azimuth, speed = (this.most * 0.01) / metres;
    const right = this.x * speed, away = -this.y * speed;
    return [right * Math.cos(a) - away * Math.sin(a), 0, -right * Math.sin(a) - away * Math.cos(a)];
  }

  // The wind that there is, whoever changed it.
  show(text, metres) {
    const v = /^\[([^,]+),[^,]+,([^,]+)\]$/.exec(text ?? "")?.slice(1).map(Number);
    if (!v?.every(Number.isFinite) || this.held || this.wanted) return;
    const a = this.view.orbit.azimuth, speed = (this.most * 0.01) / metres;
    this.x = (v[0] * Math.cos(a) - v[1] * Math.sin(a)) / speed;
    this.y = (v[0] * Math.sin(a) + v[1] * Math.cos(a)) / speed;
    const length = Math.max(1, Math.hypot(this.x, this.y));
    this.x /= length;
    this.y /= length;
    this.draw();
  }

  flush(metres) {
    if (!this.wanted) return;
    this.wanted = false;
    this.set(`[${this.velocity(metres).map((x) => +x.toFixed(1)).join(", ")}]`);
  }

  draw() {
    const g = this.canvas.getContext("2d"), size = this.canvas.width, half = size / 2, r = half - 8;
    g.clearRect(0, 0, size, size);
    g.lineWidth = 1.5;
    g.strokeStyle = "#59626c";
    g.fillStyle = "#181b1fb0";
    g.beginPath();
    g.arc(half, half, r, 0, 7);
    g.fill();
    g.stroke();
    g.strokeStyle = "#7fb2e5";
    g.beginPath();
    g.moveTo(half, half);
    g.lineTo(half + r * this.x, half + r * this.y);
    g.stroke();
    g.fillStyle = this.x || this.y ? "#7fb2e5" : "#8c949e";
    g.beginPath();
    g.arc(half + r * this.x, half + r * this.y, 7, 0, 7);
    g.fill();
  }
}
