// Stages made at random of arcs of every kind, as trees: {file: [prim]}. The same seed gives the same stage.
// A prim is {specifier, name, metadata: [text], properties: [text], kids: [prim], variants: {name: prim}}.
export function randomStage(seed) {
    let state = (seed * 2654435761 + 12345) >>> 0;
    const next = (n) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 4294967296) * n);
    };
    const one = (list) => list[next(list.length)];
    const chance = (percent) => next(100) < percent;
    const names = ['a.usda', 'b.usda', 'c.usda'];
    // Classes have the same names everywhere, as hooks for files further up; other prims do not.
    const rootsOf = { 'a.usda': ['P', 'Q', 'R', '_k', '_m'], 'b.usda': ['S', 'T', '_k', '_m'], 'c.usda': ['U', 'V', '_k', '_m'] };
    let value = 0;

    const below = (root) => `/${root}${chance(30) ? `/${one(['x', 'y'])}` : ''}`;
    const somePath = (layer) => below(one(rootsOf[layer]));
    const edit = () => (chance(80) ? 'prepend ' : one(['', 'append ', 'add ']));
    const list = (item, most) => `[${[...new Set(Array.from({ length: 1 + next(most) }, item))].join(', ')}]`;
    const offset = () => (chance(20) ? ` (offset = ${next(9)}; scale = ${one([1, 2, 0.5])})` : '');

    // Arcs lead to later roots and later files only, so that none leads back.
    function metadata(layer, root, percent) {
        const lines = [];
        const others = names.slice(names.indexOf(layer) + 1), later = rootsOf[layer].slice(rootsOf[layer].indexOf(root) + 1);
        const classes = later.filter((name) => name[0] === '_');
        const away = (file) => `@${file}@<${somePath(file)}>${offset()}`;
        const arc = () => (later.length === 0 || (others.length > 0 && chance(75)) ? away(one(others)) : `<${below(one(later))}>`);
        const kin = () => `<${chance(80) ? `/${one(classes)}` : below(one(later))}>`;
        const hasArcs = others.length > 0 || later.length > 0;
        if (hasArcs && chance(percent)) lines.push(`${edit()}references = ${list(arc, 2)}`);
        if (hasArcs && chance(percent / 3)) lines.push(`${edit()}payload = ${list(arc, 2)}`);
        if (classes.length > 0 && chance(percent / 2)) lines.push(`${edit()}inherits = ${list(kin, 2)}`);
        if (classes.length > 0 && chance(percent / 3)) lines.push(`${edit()}specializes = ${list(kin, 2)}`);
        if (chance(percent / 2)) lines.push(`variants = {\nstring v = "${one(['one', 'two'])}"\n}`);
        return lines;
    }

    function properties(layer) {
        const lines = [];
        for (const name of ['d', 'e', 'f', 'g'])
            if (chance(30))
                lines.push(chance(15) ? `double ${name}.timeSamples = {\n${next(5)}: ${++value},\n${5 + next(5)}: ${++value}\n}`
                    : `double ${name} = ${chance(5) ? 'None' : ++value}`);
        if (chance(20)) lines.push(`${edit()}rel r = ${list(() => `<${somePath(layer)}>`, 3)}`);
        if (chance(10)) lines.push(`double e.connect = <${somePath(layer)}.d>`);
        return lines;
    }

    function prim(layer, name, depth, root) {
        const specifier = name[0] === '_' ? 'class' : one(['def Scope', 'def Scope', 'def', 'over']);
        const kids = () => ['x', 'y'].filter(() => depth < 2 && chance(depth === 0 ? 50 : 15))
            .map((kid) => prim(layer, kid, depth + 1, root));
        const made = { specifier, name, metadata: metadata(layer, root, depth === 0 ? 35 : 15), properties: properties(layer), kids: kids(), variants: {} };
        if (chance(3)) made.metadata.push(`active = ${one(['true', 'false'])}`);
        if (chance(20))
            for (const variant of ['one', 'two'].filter((v) => v === 'one' || chance(80)))
                made.variants[variant] = { metadata: chance(40) ? metadata(layer, root, 30) : [], properties: properties(layer), kids: kids(), variants: {} };
        return made;
    }

    const files = {};
    for (const layer of names) files[layer] = rootsOf[layer].filter(() => chance(90)).map((name) => prim(layer, name, 0, name));
    return files;
}

function printed(prim, head) {
    const sets = Object.entries(prim.variants);
    const brackets = [...prim.metadata, ...(sets.length > 0 ? ['prepend variantSets = "v"'] : [])];
    const lines = [`${head}${brackets.length > 0 ? ` (\n${brackets.join('\n')}\n)` : ''} {`, ...prim.properties];
    for (const kid of prim.kids) lines.push(printed(kid, `${kid.specifier} "${kid.name}"`));
    if (sets.length > 0) lines.push('variantSet "v" = {', ...sets.map(([name, made]) => printed(made, `"${name}"`)), '}');
    return [...lines, '}'].join('\n');
}

// The files of a stage: {name: content}.
export function stageFiles(stage) {
    return Object.fromEntries(Object.entries(stage).map(([name, prims]) =>
        [name, `#usda 1.0\n${prims.map((prim) => printed(prim, `${prim.specifier} "${prim.name}"`)).join('\n')}\n`]));
}
