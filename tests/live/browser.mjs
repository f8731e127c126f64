// A headless Chromium, driven over its DevTools protocol by a pipe: no packages, no port.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--disable-extensions", "--mute-audio", "--hide-scrollbars", "--disable-dev-shm-usage",
  "--enable-precise-memory-info", "--js-flags=--expose-gc", "--remote-debugging-pipe"];

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export class Browser {
  constructor(program, width, height, more = []) {
    this.profile = mkdtempSync(join(tmpdir(), "ringlet-chromium-"));
    this.process = spawn(program, [...FLAGS, ...more, `--user-data-dir=${this.profile}`, `--window-size=${width},${height}`, "about:blank"],
      { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.id = 0;
    this.waiting = new Map();
    this.pages = new Map();
    let rest = "";
    this.process.stdio[4].setEncoding("utf8");
    this.process.stdio[4].on("data", (text) => {
      const parts = (rest + text).split("\0");
      rest = parts.pop();
      for (const part of parts) this.receive(JSON.parse(part));
    });
    this.process.on("exit", () => {
      for (const { fail } of this.waiting.values()) fail(new Error("the browser has ended"));
    });
  }

  receive(message) {
    if (message.id) {
      const { done, fail } = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      message.error ? fail(new Error(message.error.message)) : done(message.result);
    } else {
      this.pages.get(message.sessionId)?.event(message);
    }
  }

  call(method, params = {}, sessionId = undefined) {
    const id = ++this.id;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
    return new Promise((done, fail) => this.waiting.set(id, { done, fail }));
  }

  // `before`: a script that runs before those of the page.
  async open(url, width, height, before = "") {
    const { targetId } = await this.call("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.call("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.pages.set(sessionId, page);
    await page.call("Runtime.enable");
    await page.call("Page.enable");
    await page.call("Log.enable");
    await page.call("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    if (before) await page.call("Page.addScriptToEvaluateOnNewDocument", { source: before });
    await page.call("Page.navigate", { url });
    return page;
  }

  async close() {
    const ended = new Promise((done) => this.process.on("exit", done));
    this.call("Browser.close").catch(() => {});
    await Promise.race([ended, sleep(3000)]);
    this.process.kill("SIGKILL");
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target, problems: [] });
  }

  event({ method, params }) {
    if (method === "Runtime.exceptionThrown")
      this.problems.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    if (method === "Log.entryAdded" && params.entry.level === "error") this.problems.push(params.entry.text + " " + (params.entry.url ?? ""));
    if (method === "Runtime.consoleAPICalled" && params.type === "error")
      this.problems.push(params.args.map((a) => a.value ?? a.description).join(" "));
  }

  call(method, params) {
    return this.browser.call(method, params, this.session);
  }

  async run(expression) {
    const { result, exceptionDetails } = await this.call("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  // Until the expression is true; its last value otherwise.
  async until(expression, seconds = 30) {
    const end = Date.now() + 1000 * seconds;
    let value;
    do {
      value = await this.run(expression);
      if (value) return value;
      await sleep(50);
    } while (Date.now() < end);
    throw new Error(`waited ${seconds} s for: ${expression}`);
  }

  mouse(type, x, y, more = {}) {
    return this.call("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons: type === "mouseReleased" ? 0 : 1, clickCount: 1, ...more });
  }

  async drag(x0, y0, x1, y1, steps = 8, pause = 16) {
    await this.mouse("mousePressed", x0, y0);
    for (let i = 1; i <= steps; i++) {
      await this.mouse("mouseMoved", x0 + ((x1 - x0) * i) / steps, y0 + ((y1 - y0) * i) / steps);
      await sleep(pause);
    }
    await this.mouse("mouseReleased", x1, y1);
  }

  async key(key, code, modifiers = 0) {
    for (const type of ["keyDown", "keyUp"]) await this.call("Input.dispatchKeyEvent", { type, key, code, modifiers, windowsVirtualKeyCode: key.toUpperCase().charCodeAt(0) });
  }

  async picture(path) {
    const { data } = await this.call("Page.captureScreenshot", { format: "png" });
    writeFileSync(path, Buffer.from(data, "base64"));
  }

  close() {
    return this.browser.call("Target.closeTarget", { targetId: this.target });
  }
}
