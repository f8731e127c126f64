// The socket: documents in, lines out. Connects again when the server went away.
const FRAME = 0x31464c52, GROOM = 0x31474c52, OVERLAY = 0x314f4c52;
const FRAME_A = 6, OVERLAY_SLOT = 8;

// FNV-1a over words of four bytes in four chains, and over these, as the server has it.
function checksum(words) {
  let a = 2166136261, b = a, c = a, d = a, i = 0;
  for (; i + 3 < words.length; i += 4) {
    a = Math.imul(a ^ words[i], 16777619);
    b = Math.imul(b ^ words[i + 1], 16777619);
    c = Math.imul(c ^ words[i + 2], 16777619);
    d = Math.imul(d ^ words[i + 3], 16777619);
  }
  const all = [a, b, c, d];
  for (let k = 0; i < words.length; i++, k++) all[k] = Math.imul(all[k] ^ words[i], 16777619);
  return all.reduce((sum, chain) => Math.imul(sum ^ chain, 16777619), 2166136261) >>> 0;
}

const text = (buffer, at, size) => new TextDecoder().decode(new Uint8Array(buffer, at, size));
const padded = (size) => (size + 3) & ~3;

// Numbers of 16 bits within the frame's box become positions.
function unpack(words, box, at, out) {
  const low = [box[at], box[at + 1], box[at + 2]];
  const scale = [box[at + 3] / 65535, box[at + 4] / 65535, box[at + 5] / 65535];
  for (let i = 0; i < words.length; i += 3) {
    out[i] = low[0] + scale[0] * words[i];
    out[i + 1] = low[1] + scale[1] * words[i + 1];
    out[i + 2] = low[2] + scale[2] * words[i + 2];
  }
  return out;
}

export function readFrame(buffer) {
  const head = new Uint32Array(buffer, 0, 8), view = new DataView(buffer);
  const [, side, step, points, vertices, strands, jsonSize, sum] = head;
  const box = new Float32Array(buffer, 48, 12);
  let at = 96;
  const packed = new Uint16Array(buffer, at, 3 * points);
  at += padded(6 * points);
  const body = new Uint16Array(buffer, at, 3 * vertices);
  at += padded(6 * vertices);
  const turns = new Int16Array(buffer, at, 4 * strands);
  at += 8 * strands;
  return {
    side, step, strands,
    checksum: view.getBigUint64(32, true).toString(16).padStart(16, "0"),
    time: view.getFloat64(40, true),
    good: checksum(new Uint32Array(buffer, 48)) === sum,
    points: unpack(packed, box, 0, new Float32Array(3 * points)),
    vertices: unpack(body, box, 6, new Float32Array(3 * vertices)),
    turns,
    facts: jsonSize ? JSON.parse(text(buffer, at, jsonSize)) : {},
  };
}

export function readGroom(buffer) {
  const [, side, strands, points, vertices, triangles, hairs, jsonSize] = new Uint32Array(buffer, 0, 8);
  let at = 32;
  const take = (Kind, count) => {
    const part = new Kind(buffer, at, count);
    at += 4 * count;
    return part;
  };
  const groom = {
    side, strands, points, vertices, hairs,
    first: take(Int32Array, strands + 1),
    rest: take(Float32Array, 3 * points),
    widths: take(Float32Array, strands),
    section: take(Int32Array, strands),
    triangles: take(Uint32Array, 3 * triangles),
    offsets: take(Float32Array, 3 * hairs),
    guides: take(Uint32Array, hairs),
  };
  Object.assign(groom, JSON.parse(text(buffer, buffer.byteLength - jsonSize, jsonSize)));
  // colours are square roots of light; places are in the face's picture, with how much of it is there
  const bytes = (count) => new Uint8Array(buffer, at, 4 * count);
  groom.paint = bytes(vertices);
  at += 4 * vertices;
  groom.places = take(Float32Array, 3 * vertices);
  groom.facePicture = bytes(groom.face ** 2);
  return groom;
}

export function readOverlay(buffer) {
  const [, size] = new Uint32Array(buffer, 0, 2);
  const counts = JSON.parse(text(buffer, 8, size));
  const overlay = { side: counts.side, step: counts.step };
  let at = 8 + size;
  for (const [name, count] of Object.entries(counts)) {
    if (name === "side" || name === "step") continue;
    if (count > 0) overlay[name] = new Float32Array(buffer, at, count);
    at += 4 * count;
  }
  return overlay;
}

export class Link {
  // `on` has a function for each kind of document: frame, groom, overlay, and those of texts by their "kind".
  constructor(on) {
    this.on = on;
    this.bytes = 0;
    this.open();
  }

  open() {
    this.taken = [];
    const url = new URL("socket", location.href);
    url.protocol = "ws:";
    this.socket = new WebSocket(url, "ringlet-live");
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.on.connected(true);
    this.socket.onclose = () => {
      this.on.connected(false);
      setTimeout(() => this.open(), 500);
    };
    this.socket.onmessage = (event) => this.receive(event.data);
  }

  receive(data) {
    if (typeof data === "string") {
      const document = JSON.parse(data);
      this.on[document.kind]?.(document);
      return;
    }
    this.bytes += data.byteLength;
    const kind = new Uint32Array(data, 0, 1)[0];
    if (kind === FRAME) {
      const frame = readFrame(data);
      this.on.frame(frame);
      this.acknowledge(FRAME_A + frame.side);
    } else if (kind === OVERLAY) {
      this.on.overlay(readOverlay(data));
      this.acknowledge(OVERLAY_SLOT);
    } else if (kind === GROOM) {
      this.on.groom(readGroom(data));
    }
  }

  // Two documents of a kind at once: each line that is sent wakes the server.
  acknowledge(slot) {
    this.taken[slot] = ((this.taken[slot] ?? 0) + 1) % 2;
    if (this.taken[slot] === 0) this.send(`ack ${slot}`);
  }

  // One line; 0 where nobody is there.
  send(line) {
    if (this.socket.readyState !== WebSocket.OPEN) return 0;
    this.socket.send(line);
    return 1;
  }
}
