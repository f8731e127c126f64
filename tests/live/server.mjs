// `ringlet live` as another process.
import { spawn } from "node:child_process";
import { request } from "node:http";

export class Server {
  constructor(program, folder, ...more) {
    this.begun = Date.now();
    this.process = spawn(program, ["live", "--json", ...more], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    this.out = "";
    this.errors = "";
    this.process.stdout.on("data", (text) => (this.out += text));
    this.process.stderr.on("data", (text) => (this.errors += text));
    this.ended = new Promise((done) => this.process.on("exit", (code, signal) => done({ code, signal })));
  }

  // The first line, as soon as it is printed.
  async url() {
    while (!this.out.includes("\n")) {
      if (this.process.exitCode !== null) throw new Error(`ringlet live has ended: ${this.errors}`);
      await new Promise((done) => setTimeout(done, 10));
    }
    return JSON.parse(this.out.slice(0, this.out.indexOf("\n"))).url;
  }

  // Ends it as Ctrl-C does; the object it prints about the run.
  async stop() {
    this.process.kill("SIGINT");
    this.end = await this.ended;
    const rest = this.out.slice(this.out.indexOf("\n") + 1);
    return rest.trim() ? JSON.parse(rest) : {};
  }

  async kill() {
    this.process.kill("SIGKILL");
    await this.ended;
  }
}

// The status of a plain request, or of one that asks for a WebSocket.
export function status(url, headers = {}, upgrade = false, method = "GET") {
  const more = upgrade ? { Upgrade: "websocket", Connection: "Upgrade", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==", "Sec-WebSocket-Protocol": "ringlet-live" } : {};
  return new Promise((done, fail) => {
    const asked = request(url, { agent: false, method, headers: { ...more, ...headers } }, (answer) => {
      answer.resume();
      done(answer.statusCode);
    });
    asked.on("upgrade", (answer, socket) => {
      socket.destroy();
      done(answer.statusCode);
    });
    asked.on("error", fail);
    asked.end();
  });
}
