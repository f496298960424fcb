import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** `dist/tideline.js` with everything that it needs, and the licences of what is not ours. */
const here = fileURLToPath(new URL('.', import.meta.url));
const dist = join(here, 'dist');

rmSync(dist, { recursive: true, force: true });
copyFileSync(join(here, '../../LICENSE'), join(here, 'LICENSE'));
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: { tideline: 'src/main.ts' },
  outdir: dist,
  bundle: true,
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // `ws` is only faster with these, and goes without them.
  external: ['bufferutil', 'utf-8-validate'],
  // Bundled CommonJS uses `require` for Node's own modules.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  metafile: true,
  logLevel: 'error',
});
const entry = join(dist, 'tideline.js');
writeFileSync(entry, `#!/usr/bin/env node\n${readFileSync(entry, 'utf8')}`, { mode: 0o755 });
writeFileSync(join(dist, 'LICENSES.txt'), packagesIn(Object.keys(metafile.inputs)).map(licenceOf).join('\n'));

/** The folders of the bundled packages. */
function packagesIn(inputs) {
  const folders = inputs.map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]);
  return [...new Set(folders)].filter((folder) => folder !== undefined).sort();
}

function licenceOf(folder) {
  const path = join(here, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const file = readdirSync(path).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? '' : readFileSync(join(path, file), 'utf8');
  return `${name} ${version}, ${license}\n\n${text}\n`;
}
