// The page of `ringlet live`: what the server shows, and what the user does.
import { Charts } from "./charts.js";
import { Hand, WindPad } from "./hand.js";
import { Link } from "./link.js";
import { Panel } from "./panel.js";
import { buildPresets } from "./presets.js";
import { View } from "./view.js";

const $ = (id) => document.getElementById(id);
const KEYS = [["drag", "move the head (or turn it, or pull hair: the tools above)"], ["shift + drag", "turn the head"],
  ["right drag, or beside the head", "turn the camera"], ["ctrl + drag", "move the camera"], ["wheel", "nearer, farther"],
  ["double click", "camera back"], ["arrows, shift + arrows", "move and turn the head"], ["1 2 3", "move, turn, pull"],
  ["space  .  R", "pause, one step, reset"], ["P", "the scene's own motion"], ["[  ]", "slower, faster"],
  ["W", "no wind"], ["B  F", "A | B, full quality"], ["S  M", "picture, movie"], ["ctrl + Z, ctrl + Y", "undo, redo"],
  ["/", "search values"], ["H", "the picture alone"], ["G", "guides"]];

function fatal(text) {
  $("fatal").textContent = text;
  $("fatal").hidden = false;
}

let view;
try {
  view = new View($("picture"));
} catch (error) {
  fatal(`The viewer needs WebGL2, and this browser has none to give (${error.message}). Try another browser, or turn on ` +
    "hardware acceleration. `ringlet render` makes pictures without it.");
  throw error;
}

const page = { state: null, session: null, control: true, connected: false, frames: 0, lastFrame: [null, null], bad: 0,
  received: [] };
const charts = new Charts(document.querySelector(".plots"));

const link = new Link({
  connected(on) {
    page.connected = on;
    page.adopts = on; // the head stays where it is when a page comes, or comes back
    showState();
  },
  role({ control, pages }) {
    page.control = control;
    hand.watches = !control;
    page.pages = pages;
    mayLead();
    showState();
  },
  hello(hello) {
    performance.mark("hello");
    page.hello = hello;
    page.scenes = hello.scenes;
    panel.hello(hello);
    buildPresets(document.querySelector(".cards"), hello.presets, (name) => panel.set("hair.preset", name));
    buildShows(hello.shows);
    // A server that was started anew knows nothing of what was changed: it is set again.
    if (page.session && page.session !== hello.session && page.state)
      page.state.sides.forEach((side, i) => side.changed.forEach((text) => send(`set ${i} ${text}`)));
    page.session = hello.session;
  },
  notice: showNotices,
  run: showRun,
  state(state) {
    const before = page.state;
    page.state = state;
    if (before && (before.scene !== state.scene || before.split !== state.split)) charts.clear();
    document.body.classList.toggle("split", state.split);
    document.body.classList.toggle("empty", state.sides.length === 0); // its errors are all there is to see
    view.setSplit(state.split);
    view.simulates = !state.paused;
    if (state.paused) view.setCalm(true);
    mayLead();
    $("title").textContent = $("title").title = state.title;
    $("scene").title = `${state.title}\nAnother scene of the program`;
    showScene(state.scene);
    $("play").classList.toggle("on", state.plays);
    $("pause").classList.toggle("on", state.paused);
    $("split").classList.toggle("on", state.split);
    $("full").classList.toggle("on", state.full);
    $("inertia").checked = state.inertia;
    $("rate").value = String(state.rate);
    $("sides").hidden = !state.split;
    if (!state.split) panel.side = 0;
    for (const button of $("sides").children) button.classList.toggle("on", Number(button.dataset.side) === panel.side);
    panel.state(state);
    wind.show(state.sides[0]?.values["wind.velocity"], page.metres ?? 0.01);
    showState();
  },
  groom(groom) {
    page.metres = groom.metres_per_unit;
    view.groom(groom);
    performance.mark("groom");
    if (page.lastFrame[groom.side]) view.frame(page.lastFrame[groom.side]);
  },
  frame(frame) {
    page.bad += !frame.good;
    page.lastFrame[frame.side] = frame;
    view.frame(frame);
    if (page.frames === 0) performance.mark("frame");
    charts.take(frame);
    if (frame.side === 0) {
      if (!page.control || page.adopts) hand.adopt(frame.facts.pose);
      page.adopts = false;
      page.frames++;
      page.received.push(performance.now());
      if (page.received.length > 48) page.received.shift();
    }
    if (!page.state?.split || frame.side === 1) view.draw(); // not only with the browser's next picture
  },
  overlay: (overlay) => view.sides[overlay.side].overlay.take(overlay),
});

const send = (line) => page.control && link.send(line);
const panel = new Panel($("panel"), $("search"), send);
const hand = new Hand(view, send);
const wind = new WindPad($("windpad"), view, (value) => panel.set("wind.velocity", value, true, 2), () => (panel.joined = null)); // both sides feel it

// Whether the simulation goes where the hand is.
function mayLead() {
  const s = page.state;
  view.mayLead = page.control && s && !s.paused && !s.inertia && !s.replaying;
}

// ---- what is shown ----

// The scene, and all that the program has; a file comes before these.
function showScene(scene) {
  const names = page.scenes ?? [], file = names.includes(scene) ? [] : [new Option(scene.slice(scene.lastIndexOf("/") + 1), scene)];
  if ($("scene").options.length !== names.length + file.length) $("scene").replaceChildren(...file, ...names.map((name) => new Option(name, name)));
  $("scene").value = scene;
}

function showState() {
  const s = page.state;
  $("state").textContent = !page.connected ? "The server is gone; waiting for it to come back…"
    : !page.control ? "Another page has control; this one watches."
    : s && !s.sides.length ? "" : s?.replaying ? "Replaying what was recorded." : s?.paused ? "Paused." : "";
}

// Values that are changed here come as from the command line; where in it is no news, nor which scene own files are in.
const plainly = (text) => text.replace(/^(built-in scene [\w-]+: )?(--set:\d+:\d+: )?/gm, "");

function makeNotice({ severity, source, text }) {
  const close = Object.assign(document.createElement("button"), { textContent: "×" });
  const box = Object.assign(document.createElement("div"), { className: severity, textContent: plainly(text) });
  const go = (close.onclick = () => {
    box.closed = true;
    box.remove();
  });
  box.append(close);
  if (severity === "note") setTimeout(go, source === "asked" ? 8000 : 15000);
  return box;
}

function showNotices({ items, in_motion }) {
  // that the viewer's own change of the model leaves keys unread is no news to anybody
  items = items.filter((item) => item.severity !== "note" || !/^--set:.*(no hair is left that reads time\.|is converted: )/.test(item.text));
  // nor that what is said of a value goes for one that live quality has set because of it
  const said = ({ text }) => text.replace(/^--set:\d+:\d+: [^:]* = [^:]*: /, "");
  items = items.filter((item, i) => items.findIndex((other) => said(other) === said(item)) === i);
  // what there is to say about the scene shares a box: warnings one, and notes one, which say what live quality leaves out
  for (const severity of ["warning", "note"]) {
    const some = items.filter((item) => item.source === "scene" && item.severity === severity);
    if (some.length > 1) items = [...items.filter((item) => !some.includes(item)), { ...some[0], text: [...new Set(some.map((n) => n.text))].join("\n") }];
  }
  // a box that was there stays as it is, or away
  const before = page.boxes ?? new Map(), wanted = items.filter((item) => item.source !== "motion" || item.severity === "error");
  page.boxes = new Map(wanted.map((item) => {
    const key = `${item.severity} ${item.text}`;
    return [key, item.source !== "asked" && before.get(key) || makeNotice(item)];
  }));
  $("notices").replaceChildren(...[...page.boxes.values()].filter((box) => !box.closed));
  const left = items.filter((item) => item.source === "scene" && item.severity === "note").map((item) => item.text);
  $("full").title = `All guides and steps of the scene, however slow (F)${left.length ? `\nLive quality: ${left.join("\n")}` : ""}`;
  const motion = items.find((item) => item.source === "motion");
  $("speed").title = motion ? `${in_motion} messages of the motion; the last: ${motion.text}` : "";
}

function showSpeed() {
  const times = page.received, frame = page.lastFrame[0];
  if (!frame) return;
  const rate = times.length > 1 ? (1000 * (times.length - 1)) / (times[times.length - 1] - times[0]) : 0;
  const f = frame.facts, hairs = view.sides[0].hair;
  const still = page.state?.paused || performance.now() - times[times.length - 1] > 1000;
  $("speed").textContent = `${still ? "–" : rate.toFixed(0)} frames/s · ${(1e3 * (f.load ?? 0)).toFixed(1)} ms a step · ` +
    `${f.strands} guides, ${f.points} points, ${f.model} · ${view.refiner.shownHairs() || `${hairs?.count ?? 0} ${view.software ? "locks" : "hairs"}`} of ${hairs?.groom.hairs ?? 0} hairs` +
    (page.bad ? ` · ${page.bad} damaged frames` : "");
  $("key").textContent = view.sides[0].overlay.data ? view.sides[0].overlay.key : "";
}

function showRun(run) {
  const box = $("progress"), found = /frame (-?\d+)/.exec(run.line);
  box.hidden = false;
  box.querySelector("progress").value = run.status === "done" ? 1 : found ? Number(found[1]) / Math.max(1, run.last) : 0;
  box.querySelector("span").textContent = `${run.output}: ${run.status === "running" ? run.line : run.status}`;
  $("stop").disabled = run.status !== "running";
}

function buildShows(names) {
  const box = document.querySelector(".checks"), wanted = ["guides", "smoothed", "core", "frames", "targets", "contacts",
    "stretch", "speed", "penetration", "twist", "curvature"];
  box.replaceChildren(...names.filter((name) => wanted.includes(name)).map((name) => {
    const input = Object.assign(document.createElement("input"), { type: "checkbox", value: name });
    const label = document.createElement("label");
    label.append(input, ` ${name}`);
    input.onchange = () => {
      const on = [...box.querySelectorAll("input:checked")].map((i) => i.value);
      for (const side of view.sides) side.overlay.set(on);
      send(`show ${on.reduce((bits, n) => bits | (1 << names.indexOf(n)), 0)}`);
      view.dirty = true;
    };
    return label;
  }));
}

// ---- pictures and movies ----

function download(blob, name) {
  const a = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}

function takePicture() {
  void view.still((canvas) => canvas.toBlob((blob) => download(blob, `${$("name").value || "ringlet"}.png`)));
}

function toggleMovie() {
  if (page.recorder) {
    page.recorder.stop();
    return;
  }
  if (!window.MediaRecorder) return;
  const parts = [], stream = view.canvas.captureStream(30);
  page.recorder = new MediaRecorder(stream, { videoBitsPerSecond: 16e6 });
  page.recorder.ondataavailable = (event) => parts.push(event.data);
  page.recorder.onstop = () => {
    download(new Blob(parts, { type: page.recorder.mimeType }), `${$("name").value || "ringlet"}.webm`);
    page.recorder = null;
    $("movie").classList.remove("on");
  };
  page.recorder.start();
  $("movie").classList.add("on");
}

// ---- buttons and keys ----

function setTool(tool) {
  hand.tool = tool;
  for (const button of $("tools").children) button.classList.toggle("on", button.dataset.tool === tool);
}

const toggle = (word, on) => send(`${word} ${on ? 0 : 1}`);
const actions = {
  play: () => toggle("play", page.state?.plays),
  pause: () => toggle("pause", page.state?.paused),
  step: () => send("step"),
  reset: () => {
    hand.clear();
    send("reset");
  },
  split: () => {
    hand.clear();
    toggle("split", page.state?.split);
  },
  full: () => {
    hand.clear();
    toggle("quality", page.state?.full);
  },
  shot: takePicture,
  movie: toggleMovie,
  help: () => ($("keys").hidden = !$("keys").hidden),
  undo: () => panel.undo(),
  redo: () => panel.redo(),
  stop: () => send("stop"),
};
for (const [id, action] of Object.entries(actions)) $(id).onclick = action;
for (const word of ["save", "motion", "take", "run"])
  $(word).onclick = () => send(`${word} ${$("name").value.replace(/[^\w-]/g, "_") || "take"}`);
for (const button of $("tools").children) button.onclick = () => setTool(button.dataset.tool);
for (const button of $("sides").children)
  button.onclick = () => {
    panel.side = Number(button.dataset.side);
    for (const other of $("sides").children) other.classList.toggle("on", other === button);
    panel.state(page.state);
  };
$("rate").onchange = () => send(`rate ${$("rate").value}`);
$("inertia").onchange = () => send(`inertia ${$("inertia").checked ? 1 : 0}`);
$("back").onchange = () => (hand.springsBack = $("back").checked);
$("scene").onchange = () => {
  hand.clear();
  if (page.scenes.includes($("scene").value)) send(`scene ${$("scene").value}`);
};
$("keys").append(...KEYS.flatMap(([key, what]) => [Object.assign(document.createElement("kbd"), { textContent: key }), what]
  .map((part) => (typeof part === "string" ? Object.assign(document.createElement("span"), { textContent: part }) : part))));
setTool("move");

function faster(step) {
  const list = [...$("rate").options].map((o) => o.value), at = list.indexOf($("rate").value);
  const next = list[Math.min(list.length - 1, Math.max(0, at - step))];
  send(`rate ${next}`);
}

addEventListener("keydown", (event) => {
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.type !== "range") {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const keys = { " ": actions.pause, ".": actions.step, r: actions.reset, p: actions.play, b: actions.split, f: actions.full,
    s: takePicture, m: toggleMovie, "?": actions.help, 1: () => setTool("move"), 2: () => setTool("turn"), 3: () => setTool("pull"),
    "[": () => faster(-1), "]": () => faster(1), w: () => wind.none(), "/": () => $("search").focus(),
    h: () => document.body.classList.toggle("bare"), Escape: () => ($("keys").hidden = true),
    g: () => document.querySelector(".checks input[value=guides]")?.click(),
    ArrowLeft: () => hand.nudge(-1, 0, event.shiftKey), ArrowRight: () => hand.nudge(1, 0, event.shiftKey),
    ArrowUp: () => hand.nudge(0, 1, event.shiftKey), ArrowDown: () => hand.nudge(0, -1, event.shiftKey) };
  const control = event.ctrlKey || event.metaKey, key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const action = control ? (key === "z" ? (event.shiftKey ? actions.redo : actions.undo) : key === "y" ? actions.redo : null) : keys[key];
  if (!action) return;
  event.preventDefault();
  action();
});

// ---- the loop ----

function loop() {
  hand.flush();
  wind.flush(page.metres ?? 0.01);
  view.present();
  view.draw();
  requestAnimationFrame(loop);
}
requestAnimationFrame(loop);
setInterval(() => {
  showSpeed();
  view.refine();
  if ($("charts").open) charts.draw();
}, 250);

// For tests and for the curious.
window.ringlet = { page, view, panel, hand, wind, link, charts, send };
