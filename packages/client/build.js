import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `dist/esm` and `dist/cjs`: each has its own code and types, so that both `import` and `require` get types that fit. */
const here = fileURLToPath(new URL('.', import.meta.url));
const tsc = fileURLToPath(new URL('./bin/tsc', import.meta.resolve('typescript-native/package.json')));

// The types of the API: src/schema.ts, which is not committed.
execFileSync('npm', ['run', '--silent', 'build', '--', 'client'], { cwd: `${here}../..`, stdio: 'inherit' });
rmSync(`${here}dist`, { recursive: true, force: true });
copyFileSync(`${here}../../LICENSE`, `${here}LICENSE`);
for (const project of ['tsconfig.json', 'tsconfig.cjs.json']) {
  execFileSync(process.execPath, [tsc, '-p', project], { cwd: here, stdio: 'inherit' });
}
writeFileSync(`${here}dist/cjs/package.json`, '{ "type": "commonjs" }\n');

// The compiler leaves `.ts` in the imports of declarations. Deno and older compilers would look for those files.
for (const name of readdirSync(`${here}dist`, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = `${here}dist/${name}`;
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/((?:from |import\()['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2'));
}
