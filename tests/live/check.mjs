// The page of `ringlet live` in a real browser. usage: node check.mjs PROGRAM FOLDER CHROMIUM [PICTURES]
// Prints a line for each check; the exit code is 0 where all hold.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser, sleep } from "./browser.mjs";
import { Server, status } from "./server.mjs";

const [given, parent, chromium, pictures] = process.argv.slice(2), program = resolve(given);
const here = dirname(fileURLToPath(import.meta.url)), folder = join(parent, `live-page-${process.pid}`);
const SIZE = 420; // of the picture's part of the page [pixel]
let failed = 0;
const started = Date.now(), seconds = () => ((Date.now() - started) / 1000).toFixed(1);

function check(what, good, ...facts) {
  console.log(`${good ? "ok" : "FAILED"} ${seconds()} s: ${what}${facts.length ? `: ${facts.join(" ")}` : ""}`);
  failed += !good;
}

mkdirSync(folder, { recursive: true });
process.env.XDG_RUNTIME_DIR = folder;
const scene = join(folder, "small.yaml"), text = readFileSync(join(here, "small.yaml"), "utf8");
writeFileSync(scene, text);
const shot = (page, name) => (pictures ? page.picture(join(pictures, `${name}.png`)) : null);
const value = (page, key) => page.run(`ringlet.page.state.sides[0].values[${JSON.stringify(key)}]`);
const memory = (process) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${process.pid}/status`, "utf8"))[1]) / 1024;

// ---- who may come in ----
async function refuses(url) {
  const { port, pathname } = new URL(url), base = `http://127.0.0.1:${port}`, good = { Origin: base };
  const socket = `${base}${pathname}socket`, wrong = `${base}/${"0".repeat(32)}/`;
  const codes = [await status(base), await status(wrong), await status(url, { Host: `localhost:${port}` }),
    await status(url, { Host: "evil.example" }), await status(socket, { Origin: "http://evil.example" }, true),
    await status(socket, { Origin: `http://localhost:${port}` }, true), await status(socket, {}, true),
    await status(`${wrong}socket`, good, true), await status(socket, { ...good, Host: "evil.example" }, true)];
  check("no token, wrong tokens, hosts and origins are refused", codes.every((code) => code === 403), codes.join());
  check("the page and its socket are served", (await status(url)) === 200 && (await status(socket, good, true)) === 101);
  // every address of this machine but 127.0.0.1
  const others = ["::1", "127.0.0.2", ...Object.values(networkInterfaces()).flat().filter((each) => each.address !== "127.0.0.1" && !each.scopeid).map((each) => each.address)];
  const heard = await Promise.all(others.map((address) => new Promise((done) => {
    const socket = connect({ host: address, port: Number(port) }, () => (socket.destroy(), done(address)));
    socket.on("error", () => done(null));
    socket.setTimeout(3000, () => (socket.destroy(), done(null)));
  })));
  check("it listens to 127.0.0.1 alone", heard.every((address) => !address), others.join(), "heard:", heard.filter(Boolean).join());
  check("nothing but GET is answered", (await Promise.all(["POST", "DELETE", "OPTIONS", "HEAD"].map((method) => status(url, {}, false, method)))).every((code) => code === 405));
  check("other paths are not there", (await status(`${url}../../etc/passwd`)) === 403 && (await status(`${url}other`)) === 404);
}

// Ports that are none, or that another program has.
function refusesPorts(port) {
  const said = [[99999, 2, /0 to 65535/], [port, 1, /another program has it/]].map(([given, code, words]) => {
    const { status: exit, stderr } = spawnSync(program, ["live", scene, "--port", String(given)], { encoding: "utf8", timeout: 10000 });
    return exit === code && words.test(stderr);
  });
  check("ports that cannot be are refused", said.every(Boolean), said.join());
}

// ---- what is drawn ----

// Green pixels of the picture against those of the renderer's.
async function silhouette(page) {
  await page.run("ringlet.send('pause 1'), ringlet.send('set 0 render.body=off'), ringlet.send('reset')");
  await page.until("ringlet.page.lastFrame[0].step === 0 && ringlet.page.state.paused && !ringlet.view.sides[0].groom.look.body");
  const picture = join(folder, "picture.png");
  try {
    execFileSync(program, ["render", scene, "-o", picture, "--frames", "1", "--size", `${SIZE}x${SIZE}`, "--samples", "4", "--quiet",
      "--set", "render.body=off"], { stdio: "pipe" });
  } catch (error) {
    console.log(`skipped: the silhouette: ${String(error.stderr).trim()}`);
    return;
  }
  if (pictures) writeFileSync(join(pictures, "traced.png"), readFileSync(picture));
  const data = `data:image/png;base64,${readFileSync(picture).toString("base64")}`;
  const { missed, outside, count } = await page.run(`(async () => {
    const green = async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(${SIZE}, ${SIZE}), g = canvas.getContext("2d");
      g.drawImage(image, 0, 0, ${SIZE}, ${SIZE});
      const { data } = g.getImageData(0, 0, ${SIZE}, ${SIZE});
      return Uint8Array.from({ length: ${SIZE * SIZE} }, (_, i) => data[4 * i + 1] > 1.25 * data[4 * i] + 8 && data[4 * i + 1] > 1.25 * data[4 * i + 2] + 8);
    };
    let picture;
    await ringlet.view.still((canvas) => (picture = canvas.toDataURL()));
    const drawn = await green(picture), traced = await green(${JSON.stringify(data)});
    const near = (map, x, y, reach) => {
      for (let j = Math.max(0, y - reach); j <= Math.min(${SIZE - 1}, y + reach); j++)
        for (let i = Math.max(0, x - reach); i <= Math.min(${SIZE - 1}, x + reach); i++) if (map[${SIZE} * j + i]) return true;
      return false;
    };
    let missed = 0, outside = 0, all = 0, count = 0;
    for (let y = 0; y < ${SIZE}; y++)
      for (let x = 0; x < ${SIZE}; x++) {
        if (traced[${SIZE} * y + x]) (all++, missed += !near(drawn, x, y, 6));
        if (drawn[${SIZE} * y + x]) (count++, outside += !near(traced, x, y, 6));
      }
    return { missed: missed / all, outside: outside / count, count };
  })()`);
  await page.run("ringlet.send('unset 0 render.body')");
  check("hair is where the renderer has it", count > 2000 && missed < 0.1 && outside < 0.1,
    `${count} pixels, ${(100 * missed).toFixed(1)}% of the renderer's are missed, ${(100 * outside).toFixed(1)}% are elsewhere`);
}

// ---- moving ----

// Mean places of roots and tips of the last frame.
const places = (page) => page.run(`(() => {
  const { points, step } = ringlet.page.lastFrame[0], { first, strands } = ringlet.view.sides[0].groom;
  const mean = (at) => [0, 1, 2].map((k) => Array.from({ length: strands }, (_, s) => points[3 * at(s) + k]).reduce((a, b) => a + b) / strands);
  return { step, roots: mean((s) => first[s]), tips: mean((s) => first[s + 1] - 1), finite: points.every(Number.isFinite) };
})()`);
// Lets that many steps pass, however long they take; as fast as they go.
async function steps(page, count) {
  const from = await page.run("ringlet.send('rate 4'), ringlet.page.lastFrame[0].step");
  await page.until(`ringlet.page.lastFrame[0].step >= ${from + count} || ringlet.page.lastFrame[0].step < ${from}`, 60);
  await page.run("ringlet.send('rate 1')");
}
const way = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));

async function dragging(page, middle) {
  await page.run("ringlet.send('pause 0')");
  await steps(page, 90); // hair comes to rest
  const before = await places(page), before_pixels = await page.run("ringlet.view.frames");
  const begun = Date.now();
  await page.drag(middle.x, middle.y, middle.x + 60, middle.y - 20, 6);
  const soon = await places(page);
  await steps(page, 90);
  const after = await places(page);
  check("dragging moves the head", way(after.roots, before.roots) > 5, way(after.roots, before.roots).toFixed(1), "units");
  check("hair follows, and comes along", way(after.tips, before.tips) > 5 && way(after.tips, soon.tips) > 0.01 &&
    Math.abs(way(after.tips, before.tips) - way(after.roots, before.roots)) < 6, way(soon.tips, before.tips).toFixed(1), "then",
    way(after.tips, before.tips).toFixed(1));
  check("pictures are drawn meanwhile", (await page.run("ringlet.view.frames")) > before_pixels + 3, `${Date.now() - begun} ms`);
  // a metre at once
  await page.run("ringlet.send('pose 100 0 0 0 0 0 1')");
  await steps(page, 60);
  const jumped = await places(page);
  check("a jump by a metre is survived", jumped.finite && jumped.roots[0] > 60 && way(jumped.tips, jumped.roots) < 60,
    `roots at ${jumped.roots[0].toFixed(1)}, tips ${way(jumped.tips, jumped.roots).toFixed(1)} away`);
  await page.run("ringlet.send('pose 0 0 0 0 0 0 1'), ringlet.hand.clear()");
}

// From a line of the page to the end of drawing the first picture that shows its effect, and its parts: `server` from receiving it to
// the end of the step, `way` there and back, with packing and reading, `wait` for the picture that is being drawn, `draw`.
async function answers(page, count) {
  const { rows, hairs } = await page.run(`(async () => {
    const rows = [], { view, link, page } = ringlet, taken = link.on.frame, at = () => page.lastFrame[0].points[3 * view.sides[0].groom.first[0]];
    const later = (ms) => new Promise((done) => setTimeout(done, ms));
    let expect = null;
    link.on.frame = (frame) => {
      const came = performance.now();
      taken(frame);
      if (expect && Math.abs(at() - expect.before) >= 0.5) expect = expect.found({ came, step: frame.step, server: 1000 * frame.facts.answer });
    };
    for (let i = 0; i < ${count}; i++) { // an even count: it ends where it began
      const begun = performance.now();
      const answer = new Promise((found) => (expect = { before: at(), found }));
      ringlet.hand.at.x = i % 2 ? 0 : 2;
      ringlet.hand.wanted = "pose"; // as the mouse does
      ringlet.hand.flush();
      const { came, step, server } = await answer;
      while (view.shown < step && performance.now() - begun < 3000) await later(1);
      const { begun: drawn, at: end } = view.finished;
      rows.push({ all: end - begun, server, way: came - begun - server, wait: drawn - came, draw: end - drawn });
      await later(80);
    }
    link.on.frame = taken;
    return { rows, hairs: view.sides[0].hair.count };
  })()`);
  const median = (name) => rows.map((row) => row[name]).sort((a, b) => a - b)[count >> 1];
  return { all: median("all"), best: Math.min(...rows.map((row) => row.all)), hairs,
    parts: ["server", "way", "wait", "draw"].map((name) => `${name} ${median(name).toFixed(0)}`).join(", ") };
}

// Chromium draws in software here, on processors that other tests use, too: the best median of some rounds counts. A queue of
// frames would be there in all of them. Numbers: docs/design/live-viewer.md.
async function latency(page) {
  const bound = 600, rounds = 5, medians = []; // [ms]
  await page.run("ringlet.send('pose 0 0 0 0 0 0 1')");
  await steps(page, 30);
  let found = { all: Infinity };
  for (let round = 0; round < rounds && !(found.all < bound); round++) {
    const next = await answers(page, 10);
    medians.push(next.all.toFixed(0));
    if (next.all < found.all) found = next;
  }
  check("a picture follows the mouse", found.all < bound, `median ${medians.join(", then ")} ms, of`, `${found.parts}, best ${found.best.toFixed(0)} ms,`,
    `${found.hairs} hairs`);
}

// Pictures do not wait for the simulation: they have the head where the hand is, while no frames come.
async function ahead(page) {
  const { shown, simulated, wanted } = await page.run(`(async () => {
    const { view, link, hand } = ringlet, taken = link.on.frame, later = (ms) => new Promise((done) => setTimeout(done, ms));
    await later(300);
    link.on.frame = () => {};
    const wanted = (hand.at.x += 2);
    for (let i = 0; i < 100 && !(Math.abs(view.finished.pose[0] - wanted) < 0.01); i++) {
      hand.wanted = "pose";
      hand.flush();
      await later(100);
    }
    link.on.frame = taken;
    return { shown: view.finished.pose[0], simulated: view.finished.simulated[0], wanted };
  })()`);
  check("pictures are ahead of the simulation", Math.abs(shown - wanted) < 0.01 && Math.abs(simulated - wanted) > 1, `${shown} shown, ${simulated} simulated`);
  await page.run("ringlet.hand.clear(), ringlet.send('pose 0 0 0 0 0 0 1')");
}

// While the hand moves, a picture of the head alone is not begun where the next frame would have to wait for it; more hairs are drawn
// while there is time, and a level that was too slow is left alone for longer and longer only where it is so again and again.
async function paced(page) {
  const { waits, levels, patience } = await page.run(`(() => {
    const { view } = ringlet, now = performance.now(), kept = { ...view };
    Object.assign(view, { software: true, mayLead: true, hand: { at: [0, 0, 0], since: now }, period: 42, usual: 20, calm: false });
    const fresh = view.sides[0].fresh;
    view.sides[0].fresh = false;
    const waits = [[now - 30, 20], [now - 10, 20], [now - 60, 20], [now - 30, 5]].map(([heard, usual]) => Object.assign(view, { heard, usual }).awaitsFrame(now));
    view.sides[0].fresh = true;
    waits.push(Object.assign(view, { heard: now - 30, usual: 20 }).awaitsFrame(now));
    view.sides[0].fresh = fresh;
    const levels = [], patience = [], six = (ms) => { view.times.length = 0; for (let i = 0; i < 6; i++) view.adapt(ms); levels.push(view.level); patience.push(view.patience); };
    view.setLevel(2);
    Object.assign(view, { again: 0, raised: -Infinity, patience: 1000 });
    for (const ms of [15, 25, 50]) six(ms);
    view.again = 0;
    for (const ms of [15, 50]) six(ms);
    view.raised = -Infinity;
    six(50);
    view.setLevel(kept.level);
    const { software, mayLead, hand, period, usual, calm, heard, again, raised, milliseconds } = kept;
    Object.assign(view, { software, mayLead, hand, period, usual, calm, heard, again, raised, milliseconds, patience: kept.patience });
    view.times.length = 0;
    return { waits, levels, patience };
  })()`);
  check("hair does not wait for pictures of the head alone", waits.join() === "true,false,false,false,false", waits.join());
  check("more hairs are drawn while there is time", levels.join() === "3,3,2,3,2,1" && patience.slice(2).join() === "2000,2000,4000,2000",
    levels.join(), "patience", patience.join());
}

// What stands still is refined to all hairs, little by little; what the user does comes first.
async function refined(page) {
  await page.run("ringlet.send('pause 1')");
  await page.until("ringlet.page.state.paused && ringlet.view.refiner.pictures > 0", 30);
  const [before, first] = await page.run("[ringlet.view.frames, ringlet.view.refiner.shownHairs()]");
  await page.until("ringlet.view.refiner.done", 60);
  const { all, hairs, longest } = await page.run("({ all: ringlet.view.refiner.shownHairs(), hairs: ringlet.view.sides[0].groom.hairs, longest: ringlet.view.sides[0].fine.guides.samples })");
  check("what stands still is refined to all hairs", all === hairs && first > 0 && first < all && longest >= 32, `${first}, then ${all} of ${hairs}`);
  await page.run("(ringlet.view.orbit.azimuth += 0.1), (ringlet.view.dirty = true), ringlet.view.draw()");
  const dropped = await page.run("[ringlet.view.refiner.done, ringlet.view.refiner.pictures].join()");
  await page.until(`ringlet.view.frames > ${before}`, 10);
  check("and dropped when something moves", dropped === "false,0", dropped);
  await page.run("ringlet.view.goHome(), ringlet.send('pause 0')");
}

// Wind is a value as others are: one pull on its handle is one step back.
async function blowing(page) {
  const wind = () => value(page, "wind.velocity"), before = await wind();
  const [x, y] = await page.run("(() => { const b = ringlet.wind.canvas.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()");
  await page.drag(x, y, x + 25, y - 10, 6);
  await page.until(`ringlet.page.state.sides[0].values["wind.velocity"] !== ${JSON.stringify(before)}`, 20).catch(() => {});
  await sleep(200);
  const [blown, steps] = [await wind(), await page.run("ringlet.panel.done.length")];
  await page.run("ringlet.panel.undo()");
  await page.until(`ringlet.page.state.sides[0].values["wind.velocity"] === ${JSON.stringify(before)}`, 20).catch(() => {});
  const handle = await page.run("Math.hypot(ringlet.wind.x, ringlet.wind.y)");
  check("wind is undone in one step, and its handle goes back", blown !== before && steps === 1 && (await wind()) === before && handle < 0.01, `${before}, ${blown}, ${steps} steps`);
  await page.until("ringlet.page.state.sides[0].changed.length === 0", 20).catch(() => {});
}

// Keys S and M: what is seen as files.
async function keeping(page, browser) {
  const kept = () => Object.fromEntries(readdirSync(folder).filter((name) => /^take\.(png|webm)$/.test(name)).map((name) => [name, statSync(join(folder, name)).size]));
  await browser.call("Browser.setDownloadBehavior", { behavior: "allow", downloadPath: folder });
  await page.run("ringlet.send('play 1'), document.getElementById('movie').click()");
  await sleep(1200);
  await page.run("document.getElementById('movie').click(), document.getElementById('shot').click()");
  for (let i = 0; i < 300 && Object.keys(kept()).length < 2; i++) await sleep(100);
  const sizes = kept();
  check("a picture and a movie are kept", sizes["take.png"] > 10000 && sizes["take.webm"] > 3000, JSON.stringify(sizes));
  await page.run("ringlet.send('play 0')");
}

// The renderer's paint comes with the groom (a face only for the head that scenes have; this one is coarser: tests/test_paint.c).
async function painted(page) {
  const { lips, skin } = await page.run(`(() => {
    const { facePicture: f, face: size, paint } = ringlet.view.sides[0].groom;
    const at = 4 * (Math.round((-7.4 + 11) / 16 * (size - 1)) * size + Math.round(size / 2));
    return { lips: [...f.slice(at, at + 3)], skin: Math.max(...paint.filter((_, i) => i % 4 === 0)) };
  })()`);
  check("the head is painted", lips[0] > 1.1 * lips[1] && skin > 100, `lips ${lips.join()}, skin ${skin}`);
}

// Wheel and fingers: however far they go, the camera stays near the head; fingers move the head and not the page.
async function cameraHeld(page, middle) {
  const distance = () => page.run("ringlet.view.orbit.distance"), own = await distance();
  const wheel = (deltaY) => page.call("Input.dispatchMouseEvent", { type: "mouseWheel", ...middle, deltaX: 0, deltaY });
  const ends = [];
  for (const deltaY of [-400, 400]) {
    for (let i = 0; i < 40; i++) await wheel(deltaY);
    ends.push((await distance()) / own);
  }
  const lines = await page.run(`(() => { const { hand, view } = ringlet; view.goHome();
    const by = (deltaY, deltaMode) => { view.goHome(); hand.wheel({ preventDefault() {}, deltaY, deltaMode }); return view.orbit.distance; };
    return [by(99, 0), by(3, 1), by(1e9, 0) / view.home.distance]; })()`);
  check("the wheel keeps the camera near the head", ends[0] > 0.01 && ends[0] < 0.5 && ends[1] > 2 && ends[1] < 100 && Math.abs(lines[0] - lines[1]) < 1e-6 * own && lines[2] < 1.5,
    ends.map((x) => x.toFixed(2)).join(), lines.map((x) => x.toFixed(1)).join());
  await page.run("ringlet.view.goHome()");
  await page.call("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
  const touch = (type, ...fingers) => page.call("Input.dispatchTouchEvent", { type, touchPoints: fingers.map((x, id) => ({ x: middle.x + x, y: middle.y, id })) });
  const at = () => page.run("ringlet.hand.at.toArray()");
  await touch("touchStart", 0);
  for (let i = 1; i <= 5; i++) await touch("touchMove", 8 * i);
  await touch("touchEnd");
  const moved = way(await at(), [0, 0, 0]), before = await at();
  await touch("touchStart", -20);
  await touch("touchStart", -20, 20);
  for (let i = 1; i <= 5; i++) await touch("touchMove", -20 - 8 * i, 20 + 8 * i);
  await touch("touchEnd");
  const [near, scale] = [(await distance()) / own, await page.run("visualViewport.scale")];
  await page.call("Emulation.setTouchEmulationEnabled", { enabled: false });
  check("a finger moves the head, two the camera", moved > 1 && way(await at(), before) < 0.5 && near < 0.6 && scale === 1, moved.toFixed(1), near.toFixed(2), `scale ${scale}`);
  await page.run("ringlet.view.goHome(), ringlet.hand.clear(), ringlet.send('pose 0 0 0 0 0 0 1')");
}

async function pulling(page) {
  await page.run("ringlet.send('pose 0 0 0 0 0 0 1')");
  await steps(page, 120);
  const tip = await page.run(`(() => { const f = ringlet.view.sides[0].groom.first; const i = f[1] - 2; return { i, at: [...ringlet.page.lastFrame[0].points.slice(3 * i, 3 * i + 3)] }; })()`);
  const where = () => page.run(`[...ringlet.page.lastFrame[0].points.slice(${3 * tip.i}, ${3 * tip.i + 3})]`);
  await page.run(`ringlet.send('grab 0 ${tip.i} ${tip.at.join(" ")}'), ringlet.send('pull ${tip.at[0] + 8} ${tip.at[1]} ${tip.at[2]}')`);
  await steps(page, 60);
  const held = await where();
  await page.run("ringlet.send('release')");
  await steps(page, 90);
  const free = await where();
  check("a lock is pulled and let go", way(held, tip.at) > 3 && way(free, tip.at) < way(held, tip.at), way(held, tip.at).toFixed(1), "then",
    way(free, tip.at).toFixed(1));
}

// ---- values ----
async function sliding(page) {
  const key = "hair.rod.young", before = await value(page, key);
  const energy = () => page.run("(() => { const [l] = ringlet.charts.energy.lines.get('bend'); return l[l.length - 1]; })()");
  await page.run("ringlet.send('play 1')");
  await steps(page, 30);
  const bent = await energy();
  await page.run(`(() => { const row = ringlet.panel.rows.get("${key}"); row.slider.value = 950; row.slider.dispatchEvent(new Event("input")); row.slider.dispatchEvent(new Event("change")); })()`);
  await page.until(`ringlet.page.state.sides[0].values["${key}"] !== ${JSON.stringify(before)}`);
  const changed = await value(page, key);
  await steps(page, 30);
  const stiff = await energy();
  check("a slider changes stiffness, and the chart shows it", changed !== before && Math.abs(stiff - bent) > 0.2 * Math.abs(bent),
    `${before} to ${changed}, bending energy ${bent.toPrecision(3)} to ${stiff.toPrecision(3)}`);
  await page.run("ringlet.send('play 0'), ringlet.panel.undo()");
  await page.until(`ringlet.page.state.sides[0].values["${key}"] === ${JSON.stringify(before)}`).catch(() => {});
  check("undo restores it", (await value(page, key)) === before);
  await page.run("ringlet.panel.redo()");
  await page.until(`ringlet.page.state.sides[0].values["${key}"] === ${JSON.stringify(changed)}`).catch(() => {});
  check("and redo brings it back", (await value(page, key)) === changed);
  await page.run("ringlet.panel.undo()");
  await page.run("ringlet.panel.set('gravity', '[0, -300, 0]')"); // a key of no section
  await page.until(`ringlet.page.state.sides[0].values.gravity === "[0, -300, 0]"`, 30).catch(() => {});
  check("gravity changes", (await value(page, "gravity")) === "[0, -300, 0]", await value(page, "gravity"));
  await page.run("ringlet.panel.undo()");
  await page.until("ringlet.page.state.sides[0].changed.length === 0", 30).catch(() => {});
}

// Each overlay that the scene has (no contacts between hairs) comes, and is drawn; of the others the page says so.
async function overlays(page) {
  const facts = {};
  for (const name of ["guides", "frames", "targets", "stretch", "speed", "penetration", "twist", "curvature", "smoothed"]) {
    await page.run(`document.querySelectorAll(".checks input").forEach((i) => i.checked !== (i.value === "${name}") && i.click())`);
    const shown = `(() => { const o = ringlet.view.sides[0].overlay; return o.lines.object.visible || o.points.object.visible; })()`;
    await steps(page, 4);
    facts[name] = await page.until(name === "smoothed" ? "ringlet.view.sides[0].overlay.key" : shown, 30).catch(() => false);
    if (name === "stretch") facts.scale = /^stretch: -[0-9.]+% blue, 0 white, [0-9.]+% red/.test(await page.run("ringlet.view.sides[0].overlay.key"));
  }
  await page.run(`document.querySelectorAll(".checks input:checked").forEach((i) => i.click())`);
  const { smoothed, ...others } = facts;
  check("overlays are drawn", Object.values(others).every(Boolean) && /smoothed: hair of this model has none/.test(smoothed),
    Object.keys(others).filter((name) => !others[name]).join(), smoothed);
}

// What is wanted first is in sight, and what was closed stays closed.
async function arranged(page) {
  const { first, open, saves, group } = await page.run(`(() => {
    const groups = [...document.querySelectorAll("#panel details")], box = document.getElementById("save").getBoundingClientRect();
    return { first: groups[0].dataset.group, open: groups[0].open, saves: box.height > 0 && box.bottom <= innerHeight,
      group: [...groups.find((g) => g.dataset.group === "hair").querySelectorAll(".row")].map((row) => row.dataset.key) };
  })()`);
  check("the panel begins with the model's stiffness, and saving is in sight", first === "hair.rod" && open && saves &&
    group.indexOf("hair.length") < group.indexOf("hair.file"), first, group.slice(0, 3).join());
  const shown = await page.run(`(() => {
    const say = (...texts) => ringlet.link.on.notice({ in_motion: 0, items: texts.map((text) => ({ source: "scene", severity: "warning", text })) });
    const texts = () => [...document.querySelectorAll("#notices .warning")].map((box) => box.firstChild.data).join();
    say("--set:1:9: one", "two"); // of one source: one box
    const both = texts();
    document.querySelector("#notices button").click();
    ringlet.link.on.notice({ in_motion: 0, items: ["--set:1:9: one", "two"].map((text) => ({ source: "scene", severity: "warning", text }))
      .concat({ source: "asked", severity: "warning", text: "three" }) });
    const after = texts();
    say();
    say("one");
    return [both, after, texts()];
  })()`);
  check("a notice that was closed stays away until it comes again", shown.join(" then ") === "one\ntwo then three then one", shown.join(" then "));
  await page.run("ringlet.link.on.notice({ in_motion: 0, items: [] })");
}

// Kinds of hair by picture: each card has one, and a click takes it.
async function presets(page) {
  await page.run("document.getElementById('presets').open = true");
  const cards = await page.until(`(() => {
    const cards = [...document.querySelectorAll(".cards button")].map((card) => {
      const { data } = card.querySelector("canvas").getContext("2d").getImageData(0, 0, 96, 96);
      return [card.textContent.trim(), new Set(data.filter((_, i) => i % 4 === 0)).size > 50];
    });
    return cards.some(([, drawn]) => drawn) && cards;
  })()`, 10);
  const types = [1, 2, 3, 4].flatMap((n) => ["a", "b", "c"].map((letter) => `${n}${letter}`));
  check("presets have pictures, types 1A to 4C too", types.every((name) => cards.some(([card, drawn]) => card === name && drawn)) &&
    cards.every(([, drawn]) => drawn), `${cards.length} cards`);
  await page.run(`[...document.querySelectorAll(".cards button")].find((card) => card.textContent.trim() === "1b").click()`);
  await page.until("ringlet.page.state.sides[0].changed.some((text) => text === 'hair.preset=1b')", 60).catch(() => {});
  check("a click on one takes it", /1b/.test(await value(page, "hair.preset")), await value(page, "hair.preset"));
  await page.run("ringlet.panel.undo(), (document.getElementById('presets').open = false)");
  await page.until("ringlet.page.state.sides[0].changed.length === 0", 60);
}

// ---- bad input ----
async function garbage(page) {
  const before = await page.run("ringlet.page.frames");
  const lines = ["", "hello", "pose", "pose NaN 0 0 0 0 0 1", "pose 1e300 0 0 0 0 0 1", "pose 0 0 0 0 0 0 0", "grab 0 99999999 0 0 0",
    "set 0 hair.rod.young=-3", "set 0 no.such.key=1", "set 7 a=b", "save ../../x", "rate 0", "x".repeat(3000)];
  await page.run(`for (const line of ${JSON.stringify(lines)}) ringlet.link.socket.send(line)`);
  await page.until(`ringlet.page.frames > ${before + 5}`);
  await page.run("ringlet.link.socket.send(new Uint8Array(100))");
  await page.until("ringlet.link.socket.readyState !== 1", 3).catch(() => {});
  await page.until("ringlet.page.connected", 30);
  await page.run("ringlet.link.socket.send('x'.repeat(100000))");
  await sleep(300);
  await page.until("ringlet.page.connected && ringlet.link.socket.readyState === 1", 30);
  const now = await page.run("ringlet.page.frames");
  await page.until(`ringlet.page.frames > ${now + 5}`, 30).catch(() => {});
  check("garbage on the socket is harmless", (await page.run("ringlet.page.frames")) > now + 5);
}

async function editing(page) {
  writeFileSync(scene, text.replace("count: 40", "count: -4"));
  const shown = await page.until(`[...document.querySelectorAll("#notices .error")].map((e) => e.textContent).find((t) => t.includes("small.yaml"))`, 40).catch(() => "");
  check("errors of the scene's file are shown with line and column", /small\.yaml:\d+:\d+: hair\.count/.test(shown), shown.slice(0, 90));
  await shot(page, "errors");
  writeFileSync(scene, "title: nobody\n");
  const none = await page.until(`[...document.querySelectorAll("#notices .error")].map((e) => e.textContent).find((t) => t.includes("no hair"))`, 40).catch(() => "");
  check("a scene without hair is told so, and the last one goes on", /there is no hair to simulate/.test(none) && (await page.run("ringlet.page.lastFrame[0].facts.strands")) === 40, none);
  writeFileSync(scene, text.replace("count: 40", "count: 30"));
  await page.until("ringlet.page.lastFrame[0].facts.strands === 30 && ![...document.querySelectorAll('#notices .error')].some((e) => e.textContent.includes('small.yaml'))", 40).catch(() => {});
  check("and it is read again when it is mended", (await page.run("ringlet.page.lastFrame[0].facts.strands")) === 30);
  writeFileSync(scene, text);
  await page.until("ringlet.page.lastFrame[0].facts.strands === 40", 60);
}

// ---- what is kept ----
async function saving(page) {
  await page.run("ringlet.hand.clear(), ringlet.send('pause 1'), ringlet.send('reset')");
  await page.until("ringlet.page.lastFrame[0].step === 0");
  await page.run("ringlet.send('pause 0'), ringlet.send('play 1'), ringlet.send('inertia 1'), ringlet.send('pose 6 2 0 0 0.2 0 1')");
  await steps(page, 15);
  await page.run("ringlet.send('set 2 wind.velocity=[200, 0, 100]'), ringlet.send('set 0 hair.length=26')");
  await page.until("ringlet.page.state.sides[0].values['hair.length'] === '26'", 60);
  await steps(page, 20);
  await page.run("ringlet.send('take check'), ringlet.send('save check'), ringlet.send('motion moved')");
  await steps(page, 5);
  for (const name of ["check", "moved"]) {
    let good = true, said = "";
    try {
      said = execFileSync(program, ["check", join(folder, `${name}.yaml`)], { encoding: "utf8", stdio: "pipe" });
    } catch (error) {
      good = false;
      said = String(error.stderr) + (await page.run("document.getElementById('notices').textContent"));
    }
    check(`the scene is saved (${name}.yaml)`, good, said.trim().slice(0, 150));
  }
  try {
    const end = JSON.parse(execFileSync(program, ["live", "--replay", join(folder, "check.inputs"), "--headless", "--json"], { encoding: "utf8", stdio: "pipe" }));
    check("a recording is replayed to the same bytes", end.same === true && end.steps > 10, `${end.steps} steps, ${end.hash}`);
  } catch (error) {
    check("a recording is replayed to the same bytes", false, String(error.stdout), String(error.stderr));
  }
  const refused = [["bob"], ["--set", "wind.velocity=[1,0,0]"]].map((more) => {
    const { status, stderr } = spawnSync(program, ["live", ...more, "--replay", join(folder, "check.inputs"), "--headless"], { encoding: "utf8" });
    return status === 2 && /leave out/.test(stderr);
  });
  check("a recording is replayed with no other scene or values", refused.every(Boolean), refused.join());
}

// The real run of what was changed, to its end.
async function simulating(page) {
  await page.run("ringlet.send('set 0 time.last=4'), ringlet.send('run whole')");
  await page.until("/: (done|stopped|failed|diverged)/.test(document.querySelector('#progress span').textContent)", 40).catch(() => {});
  const line = await page.run("document.querySelector('#progress span').textContent");
  let said = "";
  try {
    said = execFileSync(program, ["inspect", join(folder, "whole.usdc")], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    said = String(error.stderr);
  }
  check("the scene is simulated in full", line.endsWith("whole.usdc: done") && /time codes 1 to 4/.test(said) && /40 curves/.test(said), line);
}

async function watching(browser, url, page) {
  const other = await browser.open(url, 300, 200);
  await other.until("window.ringlet?.page.frames > 1");
  check("a second page watches", (await other.run("ringlet.page.control")) === false && (await page.run("ringlet.page.control")) === true);
  const paused = await page.run("ringlet.page.state.paused");
  await other.run("ringlet.link.socket.send('pause 1')");
  await sleep(300);
  // its mouse turns its camera, and its head is where the first page has it: nothing jumps when it gets control
  await page.run("ringlet.hand.at.set(4, 0, 0), (ringlet.hand.wanted = 'pose'), ringlet.hand.flush()");
  await other.until("Math.abs(ringlet.hand.at.x - 4) < 0.01", 20).catch(() => {});
  await other.run(`(() => { const { view } = ringlet, b = view.canvas.getBoundingClientRect(), e = (type, x) => view.canvas.dispatchEvent(
    new PointerEvent(type, { pointerId: 1, button: 0, clientX: b.left + b.width / 2 + x, clientY: b.top + 0.4 * b.height }));
    view.canvas.setPointerCapture = () => {}; e("pointerdown", 0); e("pointermove", 40); e("pointerup", 40); })()`);
  const [watched, held] = await other.run("[ringlet.hand.at.x, ringlet.hand.watches]");
  check("a page that watches has the head where the first has it", Math.abs(watched - 4) < 0.01 && held === true, watched.toFixed(2));
  await page.run("ringlet.hand.clear(), ringlet.send('pose 0 0 0 0 0 0 1')");
  check("and has no say", (await page.run("ringlet.page.state.paused")) === paused);
  await other.close();
}

// What a graphics card gets: Chromium's software renderer under another name.
const AS_HARDWARE = `{ const get = WebGL2RenderingContext.prototype.getParameter;
  WebGL2RenderingContext.prototype.getParameter = function (name) { return name === 0x9246 ? "a graphics card" : get.call(this, name); }; }`;

async function asHardware(browser, url) {
  const other = await browser.open(url, 300, 200, AS_HARDWARE);
  await other.until("window.ringlet?.view.shown >= 0", 60);
  const { software, hairs, colours } = await other.run(`(() => { const { view } = ringlet, hair = view.sides[0].hair;
    return { software: view.software, hairs: hair.count, colours: hair.kinds.kindAlbedo.value.length }; })()`);
  // times of its own, and none of a busy machine that were counted before
  const top = await other.run(`(() => { const { view } = ringlet; view.again = 0; view.times.length = 0; for (let i = 0; i < 200; i++) view.adapt(4);
    return view.level === view.ladder.length - 1 && view.sides[0].hair.count === view.sides[0].groom.hairs; })()`);
  check("a fast one draws all hairs", top === true);
  check("a graphics card gets its own shaders", !software && hairs > 0 && colours > 0 && other.problems.length === 0,
    `${hairs} hairs`, other.problems.slice(0, 2).join(" | "));
  await other.close();
}

async function reconnecting(page, server, port) {
  await page.run("ringlet.send('set 0 hair.rod.damping=0.02')");
  await page.until("ringlet.page.state.sides[0].changed.length > 0");
  await server.kill();
  await page.until("!ringlet.page.connected", 30);
  check("the page says that the server is gone", (await page.run("document.getElementById('state').textContent")).includes("gone"));
  const again = new Server(program, folder, scene, "--full", "--port", String(port));
  await again.url();
  await page.until("ringlet.page.connected", 40);
  const frames = await page.run("ringlet.page.frames");
  await page.until(`ringlet.page.frames > ${frames + 3}`, 40);
  await page.until("ringlet.page.state.sides[0].values['hair.rod.damping'] === '0.02'", 30).catch(() => {});
  check("it connects again, and what was changed is set again", (await value(page, "hair.rod.damping")) === "0.02");
  return again;
}

// From here on few pictures are drawn: a software renderer would take the time of what is tested.
const drawSeldom = (page) => page.run("(() => { const draw = ringlet.view.draw.bind(ringlet.view); let n = 0; ringlet.view.draw = (atOnce) => (atOnce || n++ % 20 === 0 ? draw(atOnce) : false); })()");

// Frames are received as fast as the machine has them.
async function longRun(page, server, frames) {
  await page.run("ringlet.send('rate 4'), ringlet.send('pause 0'), ringlet.send('play 1')");
  const heap = () => page.run("(gc(), performance.memory.usedJSHeapSize / 1048576)");
  const first = await page.run("ringlet.page.frames");
  await page.run("ringlet.view.refiner.finish()"); // what it needs is there from here on
  await page.until(`ringlet.page.frames > ${first + 100}`, 30);
  const [heap0, memory0] = [await heap(), memory(server.process)], begun = Date.now();
  await page.until(`ringlet.page.frames > ${first + 100 + frames}`, 120);
  const [heap1, memory1] = [await heap(), memory(server.process)];
  check(`memory is flat over ${frames} frames`, heap1 - heap0 < (frames < 1000 ? 8 : 4) && memory1 - memory0 < 6, // some frames are in flight
    `page ${heap0.toFixed(1)} to ${heap1.toFixed(1)} MB, server ${memory0.toFixed(1)} to ${memory1.toFixed(1)} MB,`,
    `${((1000 * frames) / (Date.now() - begun)).toFixed(0)} frames/s`);
}

async function ending(page, server) {
  await page.run("ringlet.send('pause 1')");
  await page.until("ringlet.page.state.paused");
  await sleep(300);
  const { step, sum, bad } = await page.run("({ step: ringlet.page.lastFrame[0].step, sum: ringlet.page.lastFrame[0].checksum, bad: ringlet.page.bad })");
  const end = await server.stop();
  check("the state's checksum is the server's", end.checksum === sum && end.steps === step && bad === 0, `${sum} at step ${step}, ${bad} damaged`);
  check("late and dropped ticks are counted", Number.isInteger(end.late) && Number.isInteger(end.dropped), `${end.late} of ${end.steps} late, ${end.dropped} dropped`);
  check("Ctrl-C ends it well", server.end.code === 0);
}

let server = new Server(program, folder, scene, "--full", "--port", "0");
const url = await server.url(), port = Number(new URL(url).port);
const browser = new Browser(chromium, 1100, 700);
try {
  await refuses(url);
  refusesPorts(new URL(url).port);
  const page = await browser.open(url, SIZE + 336, SIZE + 80);
  await page.until("window.ringlet?.view.frames > 1 && ringlet.page.state", 60);
  check("the page opens and draws", true, `${Date.now() - server.begun} ms after the command`);
  // a square picture, as the renderer's is
  await page.run(`(() => { const s = document.getElementById("stage").style; s.flex = "none"; s.width = s.height = "${SIZE}px"; })()`);
  await sleep(200);
  const box = await page.run(`(() => { const b = ringlet.view.canvas.getBoundingClientRect(); return { x: b.left, y: b.top }; })()`);
  const middle = { x: box.x + SIZE / 2, y: box.y + 0.36 * SIZE };
  await silhouette(page);
  await shot(page, "small");
  await dragging(page, middle);
  await cameraHeld(page, middle);
  await latency(page);
  await ahead(page);
  await paced(page);
  await refined(page);
  await keeping(page, browser);
  await painted(page);
  await drawSeldom(page);
  await pulling(page);
  await sliding(page);
  await blowing(page);
  await overlays(page);
  await arranged(page);
  await presets(page);
  await garbage(page);
  await editing(page);
  await saving(page);
  await simulating(page);
  await watching(browser, url, page);
  await asHardware(browser, url);
  // a page finds a server again that was started with the same port and token
  await server.stop();
  server = new Server(program, folder, scene, "--full", "--port", String(port));
  const fixed = await server.url();
  await page.call("Page.navigate", { url: fixed });
  await page.until("window.ringlet?.view.frames > 1 && ringlet.page.state", 60);
  await drawSeldom(page);
  server = await reconnecting(page, server, port);
  await longRun(page, server, process.env.RINGLET_LONG ? 2000 : 300);
  await ending(page, server);
  const problems = page.problems.filter((text) => !/WebSocket|ERR_CONNECTION/.test(text));
  check("the page had no errors", problems.length === 0, problems.slice(0, 3).join(" | "));
} catch (error) {
  check("the script went to its end", false, error.stack);
} finally {
  await browser.close();
  server.process.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${failed} failed, ${seconds()} s`);
process.exit(failed ? 1 : 0);
