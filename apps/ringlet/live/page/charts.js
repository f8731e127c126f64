// Charts of the last ten seconds: energies, speed, contacts, time a step by phase.
const LENGTH = 240;
const COLOURS = ["#e58a4e", "#6fb1e8", "#8fd07a", "#d982c8", "#d9c452", "#9d9af0", "#74cfc4", "#c0c4c9"];

class Chart {
  constructor(title, unit) {
    this.title = title;
    this.unit = unit;
    this.canvas = document.createElement("canvas");
    this.lines = new Map();
  }

  add(values) {
    for (const [name, value] of Object.entries(values)) {
      if (!this.lines.has(name)) this.lines.set(name, []);
      const line = this.lines.get(name);
      line.push(value);
      if (line.length > LENGTH) line.shift();
    }
  }

  draw() {
    const ratio = devicePixelRatio, w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (!w) return;
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    const g = this.canvas.getContext("2d");
    g.scale(ratio, ratio);
    let low = 0, high = 1e-12;
    for (const line of this.lines.values()) for (const x of line) (low = Math.min(low, x)), (high = Math.max(high, x));
    const y = (x) => h - 4 - ((h - 24) * (x - low)) / (high - low);
    g.font = "11px system-ui, sans-serif";
    g.fillStyle = "#8c949e";
    g.fillText(`${this.title}  ${high.toPrecision(3)} ${this.unit}`, 5, 12);
    let i = 0, x = 5;
    for (const [name, line] of this.lines) {
      g.strokeStyle = g.fillStyle = COLOURS[i++ % COLOURS.length];
      g.fillText(name, x, 24);
      x += g.measureText(name).width + 8;
      g.beginPath();
      line.forEach((value, k) => g.lineTo((w * (k + LENGTH - line.length)) / LENGTH, y(value)));
      g.stroke();
    }
  }
}

export class Charts {
  constructor(element) {
    this.energy = new Chart("energy", "");
    this.speed = new Chart("fastest point", "unit/s");
    this.contacts = new Chart("contacts", "");
    this.time = new Chart("time a step", "ms");
    this.all = [this.energy, this.speed, this.contacts, this.time];
    element.replaceChildren(...this.all.map((chart) => chart.canvas));
    this.before = [null, null];
  }

  take({ side, facts }, both) {
    if (!facts.energies) return;
    const name = (text) => (both ? `${"AB"[side]} ${text}` : text);
    const rename = (values) => Object.fromEntries(Object.entries(values).map(([k, v]) => [name(k), v]));
    this.energy.add(rename(facts.energies));
    this.speed.add({ [name("speed")]: facts.fastest });
    this.contacts.add({ [name("body")]: facts.contacts, [name("hair")]: facts.hair_contacts });
    const before = this.before[side], phases = {};
    for (const [phase, seconds] of Object.entries(facts.phases))
      if (before && phase !== "load") phases[phase] = Math.max(0, 1e3 * (seconds - (before[phase] ?? 0)));
    this.before[side] = facts.phases;
    this.time.add(rename({ all: 1e3 * facts.seconds, ...Object.fromEntries(Object.entries(phases).filter(([, v]) => v > 0.05)) }));
  }

  clear() {
    for (const chart of this.all) chart.lines.clear();
    this.before = [null, null];
  }

  draw() {
    for (const chart of this.all) chart.draw();
  }
}
