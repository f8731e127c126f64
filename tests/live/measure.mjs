// Scenes with a real page beside them: first picture, steps and pictures a second, time from the mouse to the picture.
// usage: node measure.mjs PROGRAM CHROMIUM SCENE... ("-": none, as `ringlet live` alone)     A JSON object a line.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Browser, sleep } from "./browser.mjs";
import { Server } from "./server.mjs";

const [given, chromium, ...scenes] = process.argv.slice(2), program = resolve(given);
const WIDTH = 1400, HEIGHT = 900;
const SECONDS = Number(process.env.SECONDS ?? 5); // of motion
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1] ?? NaN;

// The head is dragged to and fro for some seconds; for each move of the mouse the time from its event to the end of the first picture
// that has it (`head`), and of the first one that has hair simulated with it (`hair`).
async function drag(page, moves) {
  const box = await page.run("(() => { const b = ringlet.view.canvas.getBoundingClientRect(); return { x: b.left, y: b.top, w: b.width, h: b.height }; })()");
  const x = box.x + box.w / 2, y = box.y + 0.4 * box.h;
  await page.run(`(() => {
    const { view, hand } = ringlet, rows = (window.rows = []), move = hand.move.bind(hand);
    hand.move = (event) => {
      move(event);
      if (hand.held) rows.push({ at: event.timeStamp, x: hand.at.x, taken: performance.now() });
    };
    const finish = view.finish.bind(view);
    view.finish = () => {
      if (!view.pending) return;
      const { begun, pose, simulated } = view.pending, at = performance.now();
      const seen = (name, pose) => {
        let last = -1;
        rows.forEach((row, i) => row.taken <= begun && Math.abs(row.x - pose[0]) < 1e-4 && (last = i));
        for (let i = 0; i <= last; i++) rows[i][name] ??= { at, begun };
      };
      if (pose) seen("head", pose);
      if (simulated) seen("hair", simulated);
      finish();
    };
  })()`);
  await page.mouse("mousePressed", x, y);
  for (let i = 1; i <= moves; i++) {
    await page.mouse("mouseMoved", x + 90 * Math.sin(0.25 * i), y + 20 * Math.sin(0.1 * i));
    await sleep(16);
  }
  await sleep(400);
  await page.mouse("mouseReleased", x, y);
  const rows = await page.run("window.rows");
  const held = await page.run("ringlet.view.sides[0].hair.count");
  const seen = rows.filter((r) => r.head), part = (f) => median(seen.map(f));
  return { head: part((r) => r.head.at - r.at), worst: Math.max(...seen.map((r) => r.head.at - r.at)), queue: part((r) => r.taken - r.at),
    wait: part((r) => r.head.begun - r.taken), draw: part((r) => r.head.at - r.head.begun),
    hair: median(rows.filter((r) => r.hair).map((r) => r.hair.at - r.at)), unseen: rows.length - seen.length, moves: rows.length, hairs: held };
}

async function measure(browser, folder, scene) {
  const server = new Server(program, folder, ...(scene === "-" ? [] : [scene]), "--port", "0", ...(process.env.ARGS?.split(" ") ?? [])), url = await server.url();
  const page = await browser.open(url, WIDTH, HEIGHT);
  const out = { scene };
  try {
    await page.until("window.ringlet?.view.shown >= 0", 30);
    out.first = (await page.run("performance.timeOrigin + performance.getEntriesByName('picture')[0].startTime")) - server.begun;
    await sleep(1500);
    const facts = () => page.run(`({ step: ringlet.page.lastFrame[0].step, pictures: ringlet.view.frames, at: performance.now(),
      load: ringlet.page.lastFrame[0].facts.load, guides: ringlet.page.lastFrame[0].facts.strands, hairs: ringlet.view.sides[0].hair.count,
      ms: ringlet.view.milliseconds, level: ringlet.view.level, tick: ringlet.page.state.tick })`);
    await page.run("ringlet.send('play 1')");
    await sleep(1000);
    const a = await facts();
    await sleep(1000 * SECONDS);
    const b = await facts(), seconds = (b.at - a.at) / 1000;
    Object.assign(out, { rate: (b.step - a.step) / seconds, wanted: 1 / b.tick, pictures: (b.pictures - a.pictures) / seconds, step_ms: 1000 * b.load,
      guides: b.guides, hairs: b.hairs, picture_ms: b.ms, level: b.level });
    await page.run("ringlet.send('play 0')");
    await sleep(500);
    Object.assign(out, { drag: await drag(page, 120) });
    if (process.env.PICTURES) await page.picture(join(process.env.PICTURES, `${scene}.png`));
    out.problems = page.problems.slice(0, 2);
  } finally {
    await page.close();
    await server.stop();
  }
  console.log(JSON.stringify(out, (_, v) => (typeof v === "number" ? +v.toPrecision(4) : v)));
}

const folder = mkdtempSync(join(tmpdir(), "ringlet-measure-"));
process.env.XDG_RUNTIME_DIR = folder;
const browser = new Browser(chromium, WIDTH, HEIGHT);
try {
  await browser.open("about:blank", 300, 200); // it is up
  for (const scene of scenes) await measure(browser, folder, scene);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
