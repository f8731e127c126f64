// What one side shows: background, body, hair, lines over it, and what its lights meet.
import * as THREE from "three";
import { Body } from "./body.js";
import { Hair, dataTexture, material } from "./hair.js";
import { Cloud, Solids } from "./light.js";
import { Overlay } from "./overlay.js";
import { TABLE, tableOf } from "./scatter.js";
import * as S from "./shaders.js";

const radians = (degrees) => (degrees * Math.PI) / 180;
const LIGHTS = ["key", "fill", "rim"];

// Hairs at most, samples for a turn of a curl and at most, cells of the cloud. Solid: few hairs stand for many, so none of their pixels are
// left out.
const HARDWARE = { hairs: 60000, perTurn: 12, samples: 96, cells: 40 }, SOFTWARE = { hairs: 4000, perTurn: 8, samples: 64, solid: true, cells: 30 };
// Of pictures that are added up; `slice`: hairs that are made at once.
const FINE = { hairs: 60000, perTurn: 11, samples: 160, adds: true };
const FINE_CELLS = 68, TABLE_TURN = 0.2; // [rad] that the camera may rise before tables are made anew; a tenth of it for fine pictures

// A frame whose points and vertices are all shifted.
function moved(frame, by) {
  const shifted = (from) => {
    const out = new Float32Array(from.length);
    for (let i = 0; i < from.length; i += 3) for (let k = 0; k < 3; k++) out[i + k] = from[i + k] + by[k];
    return out;
  };
  return { ...frame, points: shifted(frame.points), vertices: shifted(frame.vertices) };
}

export class Side {
  constructor(view) {
    this.view = view;
    this.limits = view.software ? SOFTWARE : HARDWARE;
    this.scene = new THREE.Scene();
    this.fineScene = new THREE.Scene(); // of pictures that are added up
    this.litScene = new THREE.Scene(); // of the body that is lit for them
    const value = (v) => ({ value: v }), vectors = () => value(LIGHTS.map(() => new THREE.Vector3()));
    this.cloud = new Cloud(this.limits.cells);
    this.solids = new Solids(view.software ? 56 : 160);
    this.table = dataTexture(new Float32Array(4 * TABLE * TABLE * 3), TABLE, 3 * TABLE);
    this.shared = { eye: value(new THREE.Vector3()), pixel: value(0.001), exposure: value(1), sky: value(new THREE.Vector3()), ground: value(new THREE.Vector3()),
      around: value(new THREE.Vector3()), lightDirection: vectors(), lightColour: vectors(), yaw: value(new THREE.Vector2(1, 0)), table: value(this.table),
      cloud: value(this.cloud.texture), cloudLow: value(new THREE.Vector3()), cloudSize: value(new THREE.Vector3(1, 1, 1)), cloudShift: value(new THREE.Vector3()),
      cloudCell: value(1), cloudTexels: value(this.limits.cells), solids: value(this.solids.texture), solidMatrix: value(this.solids.matrices), solidStep: value(1) };
    this.background = { top: value(new THREE.Vector3()), bottom: value(new THREE.Vector3()) };
    const back = (adds) => {
      const mesh = new THREE.Mesh(new THREE.PlaneGeometry(2, 2, 1, 24), material(S.backVertex(adds), S.plainFragment, {
        ...this.background, exposure: this.shared.exposure }, { depthTest: false, depthWrite: false }));
      mesh.frustumCulled = false;
      mesh.renderOrder = -1;
      return mesh;
    };
    this.overlay = new Overlay();
    this.scene.add(back(false), this.overlay.group);
    this.fineScene.add(back(true));
    this.centre = new THREE.Vector3();
  }

  clear() {
    if (!this.hair) return;
    this.scene.remove(this.hair.ribbons, this.body.group);
    this.fineScene.remove(this.body.kept);
    this.litScene.remove(this.body.fine);
    this.hair.dispose();
    this.body.dispose();
    this.dropFine();
    this.hair = this.body = this.groom = this.last = this.lit = null;
  }

  dropFine() {
    this.fine?.dispose();
    this.fine = null;
  }

  take(groom) {
    this.clear();
    this.groom = groom;
    const look = groom.look, shared = this.shared;
    this.hair = new Hair(groom, shared, this.limits);
    this.body = new Body(groom, shared, this.view.software);
    this.scene.add(this.hair.ribbons, this.body.group);
    this.fineScene.add(this.body.kept);
    this.litScene.add(this.body.fine);
    this.background.top.value.set(...look.top);
    this.background.bottom.value.set(...look.bottom);
    shared.exposure.value = look.exposure;
    shared.sky.value.set(...look.sky);
    shared.ground.value.set(...look.floor);
    shared.around.value.set(...look.sky.map((x, k) => 0.4 * (x + look.horizon[k] + look.floor[k])));
    LIGHTS.forEach((name, l) => shared.lightColour.value[l].set(...look[name].colour));
    this.tableAt = null;
    // how much hair a length of a guide is
    this.weights = Float32Array.from(groom.widths, (w, g) => (w * groom.fill.width * (look.hair[groom.section[g]] ?? look.hair[0]).width * groom.hairs) / groom.strands);
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
    this.shownFrame = frame;
    this.hair.take(frame);
    this.body.take(frame.vertices);
    this.overlay.frame(frame, this.groom);
    this.centre.set(0, 0, 0);
    const { first, strands } = this.groom, p = frame.points;
    for (let s = 0; s < strands; s++) this.centre.add(new THREE.Vector3().fromArray(p, 3 * first[s]));
    this.centre.divideScalar(Math.max(1, strands));
  }

  // How far a frame's hair or body is from what is shown.
  drift(frame) {
    let most = 0;
    for (const name of ["points", "vertices"]) {
      const a = this.shownFrame[name], b = frame[name];
      for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i] - b[i]));
    }
    return most;
  }

  // Lights hang on the camera, as in `ringlet render`: 0 is from the eye, 90 from its right. Tables are of the hair's direction as the
  // camera sees it, so that they change with its height alone.
  setLights(camera, { azimuth, elevation }, fine) {
    const look = this.groom.look, shared = this.shared, direction = (a, e) => [Math.sin(a) * Math.cos(e), Math.sin(e), Math.cos(a) * Math.cos(e)];
    LIGHTS.forEach((name, l) =>
      shared.lightDirection.value[l].set(...direction(azimuth + radians(look[name].azimuth), radians(look[name].elevation))));
    shared.yaw.value.set(Math.cos(azimuth), Math.sin(azimuth));
    shared.eye.value.copy(camera.position);
    if (this.tableAt !== null && Math.abs(elevation - this.tableAt) < TABLE_TURN * (fine ? 0.1 : 1)) return;
    this.tableAt = elevation;
    const lights = LIGHTS.map((name) => ({ colour: look[name].colour, direction: direction(radians(look[name].azimuth), radians(look[name].elevation)) }));
    const each = 3 * TABLE * TABLE, texels = new Float32Array(4 * each * look.hair.length);
    look.hair.forEach((hair, k) => tableOf(hair, direction(0, elevation), lights, texels, k * each));
    if (texels.length !== this.table.image.data.length) {
      this.table.dispose();
      this.table = shared.table.value = dataTexture(texels, TABLE, 3 * TABLE * look.hair.length);
    }
    this.table.image.data.set(texels);
    this.table.needsUpdate = true;
  }

  // What lights meet, from the guides alone: where things are now, and for some pictures to come.
  makeLight() {
    const { first, strands } = this.groom, p = this.shownFrame.points, cloud = this.cloud;
    cloud.begin(new THREE.Box3().setFromArray(p).expandByScalar(this.hair.spread));
    for (let s = 0; s < strands; s++)
      for (let i = first[s]; i + 1 < first[s + 1]; i++) cloud.add(p, 3 * i, 3 * i + 3, this.weights[s]);
    cloud.soften();
    for (const _ of this.finishLight(cloud));
  }

  // In pieces of work.
  *finishLight(cloud) {
    const { shared, solids, body } = this, directions = shared.lightDirection.value.map((d) => d.toArray());
    if (body.group.visible) solids.mark(body.positions.array, body.triangles, directions);
    yield* cloud.finish(directions, body.group.visible ? solids : null);
    if (!body.group.visible) solids.map.fill(-1e9);
    shared.cloud.value = cloud.texture;
    shared.cloudLow.value.copy(cloud.low);
    shared.cloudSize.value.set(...cloud.size);
    shared.cloudCell.value = cloud.cell;
    shared.cloudTexels.value = cloud.cells;
    shared.solidStep.value = solids.step ?? 1;
    shared.cloudShift.value.set(0, 0, 0);
    body.lift.value = (1.5 * Math.max(...cloud.size) * cloud.cell) / FINE_CELLS;
    this.lit = { picture: this.view.frames, centre: this.centre.clone(), azimuth: this.view.orbit.azimuth };
  }

  // The cloud is of some pictures ago: asked where things were then, as far as they moved as a whole.
  carryLight() {
    this.shared.cloudShift.value.copy(this.lit.centre).sub(this.centre);
  }

  // Hair for pictures that are added up, of the frame that is shown.
  makeFine(slice) {
    this.fine ??= new Hair(this.groom, this.shared, { ...FINE, slice });
    this.fine.take(this.shownFrame);
    this.fineCloud ??= new Cloud(FINE_CELLS);
    return this.fine;
  }
}
