// Charts of the last ten seconds: energies, speed, contacts, time a step by phase.
const LENGTH = 240;
const LINE = 12, LEGEND = 24; // [pixel] a line of the legend, and where it begins
const COLOURS = ["#e58a4e", "#6fb1e8", "#8fd07a", "#d982c8", "#d9c452", "#9d9af0", "#74cfc4", "#c0c4c9"];

const show = (x) => (Math.abs(x) >= 1e4 || Math.abs(x) < 0.01 ? x.toExponential(1) : String(+x.toPrecision(3)));

class Chart {
  // `within`: how much of what is drawn is within the scale.
  constructor(title, unit, within = 1) {
    Object.assign(this, { title, unit, within });
    this.canvas = document.createElement("canvas");
    this.lines = new Map();
  }

  // Of one side; side B has the colours of A, and is dashed.
  add(values, side) {
    for (const [name, value] of Object.entries(values)) {
      if (!this.lines.has(name)) this.lines.set(name, [[], []]);
      const line = this.lines.get(name)[side];
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
    // single steps that took long would make a line of all others
    const values = [...this.lines.values()].flat(2).sort((a, b) => a - b), both = [...this.lines.values()].some(([, b]) => b.length > 0);
    if (values.length) (low = Math.min(0, values[0])), (high = Math.max(high, values[Math.floor((values.length - 1) * this.within)]));
    g.font = "11px system-ui, sans-serif";
    g.fillStyle = "#a4abb4";
    g.fillText(`${this.title}  ${show(high)} ${this.unit}${both ? "   A ——  B - -" : ""}`, 5, LINE);
    const names = [...this.lines.keys()], places = [];
    let x = 5, top = LEGEND;
    for (const name of names) {
      const wide = g.measureText(name).width + 8;
      if (x + wide > w) (x = 5), (top += LINE);
      places.push([x, top]);
      x += wide;
    }
    const y = (value) => h - 4 - ((h - top - 10) * (Math.min(high, value) - low)) / (high - low);
    names.forEach((name, i) => {
      g.strokeStyle = g.fillStyle = COLOURS[i % COLOURS.length];
      g.fillText(name, ...places[i]);
      this.lines.get(name).forEach((line, side) => {
        g.setLineDash(side ? [3, 3] : []);
        g.beginPath();
        line.forEach((value, k) => g.lineTo((w * (k + LENGTH - line.length)) / LENGTH, y(value)));
        g.stroke();
      });
    });
  }
}

export class Charts {
  constructor(element) {
    this.energy = new Chart("energy", "");
    this.speed = new Chart("fastest point", "unit/s");
    this.contacts = new Chart("contacts", "");
    this.time = new Chart("time a step", "ms", 0.99);
    this.all = [this.energy, this.speed, this.contacts, this.time];
    element.replaceChildren(...this.all.map((chart) => chart.canvas));
    this.before = [null, null];
  }

  take({ side, facts }) {
    if (!facts.energies) return;
    this.energy.add(facts.energies, side);
    this.speed.add({ speed: facts.fastest }, side);
    this.contacts.add({ body: facts.contacts, hair: facts.hair_contacts }, side);
    const before = this.before[side], phases = {};
    for (const [phase, seconds] of Object.entries(facts.phases))
      if (before && phase !== "load") phases[phase] = Math.max(0, 1e3 * (seconds - (before[phase] ?? 0)));
    this.before[side] = facts.phases;
    this.time.add({ all: 1e3 * facts.seconds, ...Object.fromEntries(Object.entries(phases).filter(([name, v]) => v > 0.05 || this.time.lines.has(name))) }, side);
  }

  clear() {
    for (const chart of this.all) chart.lines.clear();
    this.before = [null, null];
  }

  draw() {
    for (const chart of this.all) chart.draw();
  }
}
