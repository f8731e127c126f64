// Independent parsers read what Ringlet wrote: three's (JavaScript, gives every value of a layer), tinyusdz and OpenUSD
// itself (both compiled for the web, for a whole stage). Values must be the same floats, bit by bit.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { openUsd } from './openusd.mjs';

const [program, packages, base] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(base, 'npm-check-'));
const file = (name) => path.join(folder, name);
const load = (name) => import(pathToFileURL(path.join(packages, 'node_modules', name)).href);
const ringlet = (...words) => execFileSync(program, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });

let failures = 0;
function expect(good, what) {
    if (!good) {
        failures++;
        console.log(`FAILED: ${what}`);
    }
}

// ---- what is written ----

// A fixed run of numbers: any will do, as long as they need all their bits.
let seed = 12345;
function random() {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.fround((seed / 4294967296 - 0.5) * 20);
}

const counts = [5, 3, 8, 2];
const total = counts.reduce((a, b) => a + b, 0);
const times = [1, 2, 3.5, 7];
const samples = times.map(() => Array.from({ length: 3 * total }, random));
const st = Array.from({ length: 2 * counts.length }, random);
const vectors = (numbers, n) => {
    const out = [];
    for (let i = 0; i < numbers.length; i += n) out.push(`(${numbers.slice(i, i + n).join(', ')})`);
    return `[${out.join(', ')}]`;
};
fs.writeFileSync(file('in.usda'), `#usda 1.0
(
    defaultPrim = "char"
    endTimeCode = 7
    metersPerUnit = 0.01
    startTimeCode = 1
    timeCodesPerSecond = 24
    upAxis = "Y"
)
def Xform "char"
{
    float xformOp:rotateY.timeSamples = {
        1: 0,
        7: 90,
    }
    uniform token[] xformOpOrder = ["xformOp:rotateY"]
    def BasisCurves "hair"
    {
        uniform token type = "cubic"
        uniform token basis = "catmullRom"
        uniform token wrap = "pinned"
        int[] curveVertexCounts = [${counts.join(', ')}]
        float[] widths = [0.25] (
            interpolation = "constant"
        )
        point3f[] points.timeSamples = {
${times.map((t, i) => `            ${t}: ${vectors(samples[i], 3)},`).join('\n')}
        }
        texCoord2f[] primvars:st = ${vectors(st, 2)} (
            interpolation = "uniform"
        )
        float[] primvars:tone = [0.5, 0.25] (
            interpolation = "uniform"
        )
        int[] primvars:tone:indices = [1, 0, 0, 1]
    }
}
`);
fs.writeFileSync(file('tiny.yaml'), `time: {first: 1, last: 4, outer_steps: 10}
character: {kind: none}
hair:
  - region: none
    style: straight
    strands: [[[0, 0, 0], [0, -1, 0], [0, -2, 0], [0, -3, 0]], [[2, 0, 0], [3, 0, 0], [4, 0, 0]]]
`);
ringlet('convert', 'in.usda', 'out.usda', '-q');
ringlet('convert', 'in.usda', 'out.usdc', '-q');
ringlet('convert', 'in.usda', 'step.abc', '-q');
ringlet('convert', 'step.abc', 'back.usdc', '-q');
ringlet('simulate', 'tiny.yaml', '-o', 'sim.usda', '-q', '--unreal');
ringlet('simulate', 'tiny.yaml', '-o', 'sim.usdc', '-q', '--unreal');

// ---- three: value by value ----

const { USDAParser } = await load('three/examples/jsm/loaders/usd/USDAParser.js');
const { USDCParser } = await load('three/examples/jsm/loaders/usd/USDCParser.js');

function parse(name) {
    const bytes = fs.readFileSync(file(name));
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return name.endsWith('.usda') ? new USDAParser().parseData(bytes.toString()).specsByPath
                                  : new USDCParser().parseData(buffer).specsByPath;
}

const same = (a, b) => a && b && a.length === b.length && b.every((x, i) => Math.fround(a[i]) === Math.fround(x));

function checkValues(name) {
    const specs = parse(name);
    const field = (p, f) => specs[p]?.fields?.[f];
    const points = field('/char/hair.points', 'timeSamples');
    expect(points && same(points.times, times), `${name}: times of points`);
    samples.forEach((wanted, i) => expect(same(points?.values?.[i], wanted), `${name}: points at time ${times[i]}`));
    expect(same(field('/char/hair.curveVertexCounts', 'default'), counts), `${name}: curveVertexCounts`);
    expect(same(field('/char/hair.primvars:st', 'default'), st), `${name}: primvars:st`);
    expect(same(field('/char/hair.widths', 'default'), [0.25]), `${name}: widths`);
    expect(field('/char/hair.basis', 'default') === 'catmullRom', `${name}: basis`);
    expect(field('/char/hair', 'typeName') === 'BasisCurves', `${name}: typeName`);
    expect(field('/char/hair.primvars:tone:indices', 'typeName') === 'int[]', `${name}: type of indices`);
    expect(same(field('/char/hair.primvars:tone:indices', 'default'), [1, 0, 0, 1]), `${name}: indices`);
    expect(field('/', 'upAxis') === 'Y', `${name}: upAxis`);
    expect(field('/', 'metersPerUnit') === 0.01, `${name}: metersPerUnit`);
}

['out.usda', 'out.usdc', 'back.usdc'].forEach(checkValues);

// Operations as they were; from Alembic as many matrices as a quarter turn takes.
for (const name of ['out.usda', 'out.usdc']) {
    const turn = parse(name)['/char.xformOp:rotateY']?.fields?.timeSamples;
    expect(turn && same(turn.times, [1, 7]) && same(turn.values.flat(), [0, 90]), `${name}: rotateY`);
}
const matrices = parse('back.usdc')['/char.xformOp:transform']?.fields?.timeSamples;
expect(matrices?.times.length === 65 && Math.abs(matrices.values[32][0] - Math.SQRT1_2) < 1e-6, 'back.usdc: matrices');
const a = parse('sim.usda')['/Ringlet/Hair.points'].fields.timeSamples;
const b = parse('sim.usdc')['/Ringlet/Hair.points'].fields.timeSamples;
expect(same(a.times, [1, 2, 3, 4]) && same(b.times, a.times), 'sim: times');
a.values.forEach((wanted, i) => expect(same(b.values[i], wanted), `sim: points of frame ${i + 1}`));

// ---- tinyusdz: a whole stage ----

// It was built for browsers only: look like one.
process.type = 'renderer';
globalThis.window = globalThis;
const wasm = fs.readFileSync(path.join(packages, 'node_modules', 'tinyusdz', 'tinyusdz.wasm'));
const { default: create } = await load('tinyusdz/tinyusdz.js');
const tiny = await create({
    instantiateWasm: (imports, done) => {
        WebAssembly.instantiate(wasm, imports).then((made) => done(made.instance, made.module));
        return {};
    },
});
for (const name of ['out.usda', 'out.usdc', 'back.usdc', 'sim.usda', 'sim.usdc']) {
    const bytes = new Uint8Array(fs.readFileSync(file(name)));
    const stage = new tiny.TinyUSDZLoaderNative();
    expect(stage.loadFromBinary(bytes, name), `${name}: tinyusdz: ${stage.error()}`);
    const layer = new tiny.TinyUSDZLoaderNative();
    expect(layer.loadAsLayerFromBinary(bytes, name), `${name}: tinyusdz, as a layer: ${layer.error()}`);
    const text = layer.layerToString();
    expect(text.includes('def BasisCurves'), `${name}: tinyusdz sees the curves`);
    expect(text.includes('points.timeSamples'), `${name}: tinyusdz sees their samples`);
}

// ---- OpenUSD: a whole stage ----

const usd = await openUsd(packages);
for (const name of ['out.usda', 'out.usdc', 'back.usdc', 'sim.usda', 'sim.usdc']) {
    const text = usd.flatten({ [name]: fs.readFileSync(file(name)) }, name);
    expect(text !== null, `${name}: OpenUSD opens it`);
    expect(text?.includes('def BasisCurves'), `${name}: OpenUSD sees the curves`);
    if (text === null || name.startsWith('sim')) continue;
    fs.writeFileSync(file(`flat-${name}.usda`), text);
    checkValues(`flat-${name}.usda`);
}

fs.rmSync(folder, { recursive: true });
console.log(failures === 0 ? 'three, tinyusdz and OpenUSD read what Ringlet wrote' : `${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
