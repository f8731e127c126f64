// OpenUSD itself, compiled for the web (npm three-usdz-loader), made to run under node. It knows files only that are
// handed to it.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

// What the loader expects of a browser: a place, and a way to fetch its data, which it is given instead.
const before = `globalThis.location = globalThis.location || { pathname: '/', href: 'file:///' };
globalThis.XMLHttpRequest = globalThis.XMLHttpRequest || class { open() {} send() {} };
delete globalThis.fetch;
`;

export async function openUsd(packages) {
    const folder = path.join(packages, 'node_modules', 'three-usdz-loader', 'external');
    const script = path.join(folder, 'ringlet-openusd.cjs');
    const bytes = (name) => fs.readFileSync(path.join(folder, name));
    fs.writeFileSync(script, before + bytes('emHdBindings.js').toString());
    const data = bytes('emHdBindings.data');
    const module = await createRequire(import.meta.url)(script)({
        locateFile: (name) => path.join(folder, path.basename(name)),
        mainScriptUrlOrBlob: script,
        wasmBinary: bytes('emHdBindings.wasm'),
        print: () => {},
        printErr: () => {},
        getPreloadedPackage: () => data.buffer.slice(data.byteOffset, data.byteOffset + data.length),
    }, folder);
    let count = 0;
    // A folder of its own for every call: layers are kept by their names.
    function put(files) {
        const root = `/ringlet${count++}`;
        module.FS_createPath('/', root.slice(1), true, true);
        for (const [name, content] of Object.entries(files))
            module.FS_createDataFile(root, name, new Uint8Array(Buffer.from(content)), true, true, true);
        return root;
    }
    return {
        // The text of the whole stage in one layer, or null where it cannot be opened. files: {name: content}
        flatten(files, name) {
            const stage = module.UsdStage.Open(`${put(files)}/${name}`);
            return stage ? stage.ExportToString() : null;
        },
    };
}
