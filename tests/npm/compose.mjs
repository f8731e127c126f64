// What Ringlet composes against what OpenUSD composes: each stage of stages.mjs is converted as it is, and as OpenUSD
// flattened it; both must be the same prims with the same values and links. So must be what OpenUSD reads from a crate
// that Ringlet made of it. usage: node compose.mjs PROGRAM PACKAGES FOLDER [COUNT]
// A few stages made at random are compared besides: those that showed a difference once. With COUNT the first so many are
// compared instead, and counted (docs/design/formats.md).
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { openUsd } from './openusd.mjs';
import { randomStage, stageFiles } from './random.mjs';
import { files, tops } from './stages.mjs';

const [program, packages, base, count] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(base, 'npm-compose-'));
const usd = await openUsd(packages);
let failures = 0;

const indent = (line) => line.length - line.trimStart().length;
const isPrim = (line) => /^\s*(def|over|class)\b/.test(line);

// Statements of each prim in the order of the alphabet (flattened files have them so), prims as they stand.
function sorted(lines) {
    const statements = [], prims = [];
    for (let i = 0; i < lines.length; i++) {
        const depth = indent(lines[i]);
        if (!lines[i].trim()) continue;
        let end = i + 1;
        if (isPrim(lines[i])) {
            while (lines[end].trim() !== '{' || indent(lines[end]) !== depth) end++;
            let last = end + 1;
            while (lines[last].trim() !== '}' || indent(lines[last]) !== depth) last++;
            prims.push(...lines.slice(i, end + 1), ...sorted(lines.slice(end + 1, last)), lines[last]);
            i = last;
        } else {
            if (/[{[(]\s*$/.test(lines[i])) {
                while (indent(lines[end]) !== depth) end++;
                end++;
            }
            statements.push(lines.slice(i, end).join('\n'));
            i = end - 1;
        }
    }
    return [...statements.sort(), ...prims];
}

function converted(name) {
    const out = path.join(folder, `${name}.out.usda`);
    execFileSync(program, ['convert', path.join(folder, name), out, '-q', '--force'], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 20000 });
    const lines = fs.readFileSync(out, 'utf8').split('\n');
    return sorted(lines.slice(lines.indexOf(')') + 1)).join('\n');
}

for (const [name, content] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), content);
for (const name of tops) {
    const flat = usd.flatten(files, name);
    if (flat === null) {
        console.log(`FAILED: ${name}: OpenUSD does not open it`);
        failures++;
        continue;
    }
    fs.writeFileSync(path.join(folder, `${name}.flat.usda`), flat);
    const ours = converted(name), theirs = converted(`${name}.flat.usda`);
    if (ours !== theirs) {
        console.log(`FAILED: ${name}: Ringlet\n${ours}\nOpenUSD\n${theirs}`);
        failures++;
    }
    const crate = path.join(folder, `${name}.crate.usdc`);
    execFileSync(program, ['convert', path.join(folder, name), crate, '-q', '--force'], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 20000 });
    fs.writeFileSync(path.join(folder, `${name}.crate.usda`), usd.flatten({ 'x.usdc': fs.readFileSync(crate) }, 'x.usdc'));
    const read = converted(`${name}.crate.usda`);
    if (ours.replaceAll('custom ', '') !== read.replaceAll('custom ', '')) {
        console.log(`FAILED: ${name}: as text\n${ours}\nas OpenUSD reads the crate\n${read}`);
        failures++;
    }
}
const refused = (error) => (/has no prims to write/.test(error.stderr) ? 'nothing to write' : `${error.stderr}`);
const kept = [18, 28, 45, 70, 88, 175, 214, 236];
const seeds = count ? Array.from({ length: Number(count) }, (_, i) => i + 1) : kept;
const differ = [];
for (const seed of seeds) {
    const made = stageFiles(randomStage(seed));
    for (const [name, content] of Object.entries(made)) fs.writeFileSync(path.join(folder, name), content);
    const flat = usd.flatten(made, 'a.usda');
    if (flat === null) { // its memory is full after some hundred
        console.log(`OpenUSD ends at stage ${seed}`);
        break;
    }
    fs.writeFileSync(path.join(folder, 'flat.usda'), flat);
    const [ours, theirs] = ['a.usda', 'flat.usda'].map((name) => { try { return converted(name); } catch (error) { return refused(error); } });
    if (ours !== theirs) differ.push(seed);
}
if (differ.length > 0) console.log(`${differ.length} of ${seeds.length} random stages differ: ${differ.join(' ')}`);
failures += count ? 0 : differ.length;
fs.rmSync(folder, { recursive: true });
console.log(failures === 0 ? `${tops.length} stages, and ${seeds.length - differ.length} random ones, are composed as OpenUSD does` : `${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
