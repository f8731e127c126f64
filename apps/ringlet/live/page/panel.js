// Sliders made from the schema: groups, units, ranges, defaults, help on hover, search; undo and redo.

// What an artist reaches for comes first, open: the stiffness of the scene's model, then wind, colour and shape.
const MODELS = { taz: ["hair.bend", "hair.core", "hair.stretch"], rod: ["hair.rod"], coil: ["hair.coil", "hair.rod"] };
const OPEN = ["wind", "hair.look", "hair"];
const FIRST = [...OPEN, "hair.fill", ...new Set(Object.values(MODELS).flat()), "hair.contact", "hair.collide", "constraints", "motion", "Scene",
  "character"];

const plain = (group) => group.replace(/\[\d+\]/, "");

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  Object.assign(element, attributes);
  element.append(...children);
  return element;
};

const short = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(3).replace(/\.?0+e/, "e") : String(+x.toPrecision(5)));

// Numbers of a value in the order in which they stand; of pairs [position, value] only the values.
const pairs = /\[\s*([-+.\deE]+)\s*,\s*([-+.\deE]+)\s*\]/g;

class Row {
  constructor(panel, entry, key) {
    this.panel = panel;
    this.entry = entry;
    this.key = key;
    const name = key.slice(key.lastIndexOf(".") + 1).replaceAll("_", " ");
    const unit = entry.unit ? ` [${entry.unit}]` : "";
    const title = `${key}${unit}\n${entry.help}\nrange: ${entry.range || "any"}   default: ${entry.default}` +
      (entry.live ? "" : "\nBuilds the hair anew.");
    this.label = make("span", { textContent: name });
    this.back = make("button", { textContent: "×", title: "As the scene has it", onclick: () => panel.unset(key) });
    this.element = make("div", { className: entry.live ? "row" : "row rebuild", title }, this.label);
    this.element.dataset.key = key;
    this.control();
    this.element.append(this.back);
  }

  acts() {
    return this.slider !== undefined || this.input.tagName === "SELECT";
  }

  control() {
    const { type, range } = this.entry;
    if (type === "choice" || type === "switch" || type === "preset") {
      const words = type === "switch" ? ["off", "on"] : type === "preset" ? this.panel.presets : range.split("|").map((w) => w.trim());
      this.input = make("select", {}, ...words.map((w) => make("option", { textContent: w, value: w })));
      this.input.onchange = () => this.panel.set(this.key, this.input.value);
      this.element.classList.add("wide");
      this.element.append(this.input);
      return;
    }
    this.input = make("input", { type: "text", spellcheck: false, disabled: type === "strands" });
    this.input.onchange = () => this.panel.set(this.key, this.input.value.trim());
    if (type === "number" || type === "integer" || type === "ramp") {
      this.slider = make("input", { type: "range", min: 0, max: 1000, step: 1 });
      this.slider.oninput = () => this.slide();
      this.slider.onchange = () => (this.panel.joined = null);
      this.element.append(this.slider);
    } else {
      this.element.classList.add("wide");
    }
    this.element.append(this.input);
  }

  // A slider runs over the range where that is short; else over a hundred times the scene's value, by its logarithm.
  limits(value) {
    const e = this.entry, low = e.minimum ?? -Infinity, high = e.maximum ?? Infinity;
    const start = Math.abs(this.reference ?? value) || 1;
    if (this.entry.type !== "ramp" && high < 1e3 && low > -1e3 && high > low && !(low >= 0 && high > 50 * start))
      return { low, high, log: false };
    if (value < 0 || low < 0) return { low: -3 * start, high: 3 * start, log: false };
    return { low: start / 100, high: start * 100, log: true };
  }

  number(text) {
    if (this.entry.type !== "ramp" || !text.includes("[")) return Number(text);
    const all = [...text.matchAll(pairs)].map((m) => Number(m[2]));
    return all.length ? Math.max(...all.map(Math.abs)) : NaN;
  }

  show(text, changed) {
    this.text = text;
    this.element.classList.toggle("changed", changed);
    if (document.activeElement !== this.input) this.input.value = this.input.tagName === "SELECT" ? text.replaceAll('"', "") : text;
    if (!this.slider) return;
    const value = this.number(text);
    this.slider.disabled = !Number.isFinite(value);
    if (!changed && Number.isFinite(value)) this.reference = value;
    if (this.slider.disabled || document.activeElement === this.slider) return;
    const { low, high, log } = this.limits(value);
    const share = log ? Math.log(Math.max(value, low) / low) / Math.log(high / low) : (value - low) / (high - low);
    this.slider.value = Math.round(1000 * Math.min(1, Math.max(0, share)));
  }

  slide() {
    const value = this.number(this.text), { low, high, log } = this.limits(value), share = this.slider.value / 1000;
    let next = log ? low * (high / low) ** share : low + share * (high - low);
    if (this.entry.type === "integer") next = Math.round(next);
    let text = short(next);
    if (this.entry.type === "ramp" && this.text.includes("[")) {
      const factor = next / (value || 1);
      text = this.text.replace(pairs, (_, at, x) => `[${at}, ${short(Number(x) * factor)}]`);
    }
    this.input.value = text;
    this.panel.set(this.key, text, true);
  }
}

export class Panel {
  constructor(element, search, send) {
    this.element = element;
    this.send = send;
    this.side = 0;
    this.rows = new Map();
    this.done = [];
    this.undone = [];
    search.oninput = () => this.filter(search.value);
  }

  hello({ schema, presets }) {
    this.presets = presets;
    this.entries = new Map(schema.map((entry) => [entry.key, entry]));
    this.groups = new Map();
  }

  // Values of the scene as it is now; rows are made for keys that are new.
  state(state) {
    if (state.scene !== this.scene) this.done.length = this.undone.length = 0; // of another scene
    this.scene = state.scene;
    const side = state.sides[Math.min(this.side === 2 ? 0 : this.side, state.sides.length - 1)];
    if (!side || !this.entries) return;
    this.sides = state.sides;
    const keys = Object.keys(side.values).join();
    if (keys !== this.keys) this.build(side.values);
    this.keys = keys;
    const changed = new Map(side.changed.map((text) => [text.slice(0, text.indexOf("=")), text]));
    for (const [key, row] of this.rows) row.show(side.values[key] ?? "", changed.has(key));
  }

  build(values) {
    this.rows.clear();
    this.groups.clear();
    const model = MODELS[Object.entries(values).find(([key]) => plain(key) === "hair.model")?.[1].replaceAll('"', "")] ?? [];
    const first = [...model, ...FIRST.filter((name) => !model.includes(name))];
    const order = (name) => (first.includes(plain(name)) ? first.indexOf(plain(name)) : first.length);
    this.opens = (name) => OPEN.includes(plain(name)) || model[0] === plain(name);
    for (const key of Object.keys(values)) {
      const entry = this.entries.get(key.replace(/\[\d+\]/, ""));
      if (!entry) continue;
      const group = key.includes(".") ? key.slice(0, key.lastIndexOf(".")) : "Scene";
      if (!this.groups.has(group)) this.groups.set(group, []);
      const row = new Row(this, entry, key);
      this.rows.set(key, row);
      this.groups.get(group).push(row);
    }
    const section = (name) => values[`${/^\w+\[\d+\]/.exec(name)?.[0]}.name`]?.replaceAll('"', ""); // of several
    // names of files and the like come after what has a slider or a choice
    for (const rows of this.groups.values()) rows.sort((a, b) => !a.acts() - !b.acts());
    this.element.replaceChildren(...[...this.groups].sort((a, b) => order(a[0]) - order(b[0])).map(([name, rows]) => {
      const details = make("details", { open: this.opens(name) }, make("summary", {}, name + " ", make("small", { textContent: [section(name), rows.length].filter(Boolean).join(" · ") })),
        ...rows.map((row) => row.element));
      details.dataset.group = name;
      return details;
    }));
  }

  filter(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    for (const details of this.element.children) {
      let found = 0;
      for (const row of this.groups.get(details.dataset.group)) {
        const all = `${row.key} ${row.entry.help} ${row.entry.unit}`.toLowerCase();
        row.element.hidden = !words.every((word) => all.includes(word));
        row.element.style.display = row.element.hidden ? "none" : "";
        found += !row.element.hidden;
      }
      details.style.display = found ? "" : "none";
      details.open = words.length ? found > 0 : this.opens(details.dataset.group);
    }
  }

  // What a key is set to on the sides that are being changed: "key=value", or undefined.
  current(key, side) {
    return this.sides?.[side === 2 ? 0 : side]?.changed.find((text) => text.startsWith(`${key}=`));
  }

  set(key, value, joins = false, side = this.side) {
    const before = this.current(key, side), text = `${key}=${value}`;
    if (before === text || value === "" || !this.send(`set ${side} ${text}`)) return;
    // one pull on a slider is one step back
    if (joins && this.joined?.key === key && this.joined.side === side) this.joined.after = text;
    else this.done.push((this.joined = { key, side, before, after: text }));
    if (!joins) this.joined = null;
    this.undone.length = 0;
  }

  unset(key) {
    const before = this.current(key, this.side);
    if (!before || !this.send(`unset ${this.side} ${key}`)) return;
    this.done.push({ key, side: this.side, before, after: undefined });
    this.undone.length = 0;
  }

  apply({ key, side }, text) {
    this.joined = null;
    this.send(text ? `set ${side} ${text}` : `unset ${side} ${key}`);
  }

  undo() {
    const change = this.done.pop();
    if (!change) return;
    this.undone.push(change);
    this.apply(change, change.before);
  }

  redo() {
    const change = this.undone.pop();
    if (!change) return;
    this.done.push(change);
    this.apply(change, change.after);
  }
}
