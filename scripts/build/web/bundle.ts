import { existsSync, readdirSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type InlineConfig } from 'vite';

/** Every folder of `web/` with a `main.tsx` is a page. */
function pagesIn(web: string): { [name: string]: string } {
  const names = readdirSync(web).filter((name) => existsSync(join(web, name, 'main.tsx')));
  return Object.fromEntries(names.map((name) => [name, join(web, name, 'main.tsx')]));
}

export function commonConfig(web: string): InlineConfig {
  return {
    root: web,
    configFile: false,
    envDir: false,
    publicDir: false,
    logLevel: 'warn',
    // All URLs are relative, because the service may run below a path of a proxy.
    base: './',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    define: { 'process.env.NODE_DEBUG': 'undefined', global: 'globalThis' },
  };
}

/** Keeps the other files of the folder, and measures nothing. */
export function intoFolder(outDir: string) {
  return { outDir, emptyOutDir: false, reportCompressedSize: false };
}

/** What several pages load, together by the pages that load it. A few kB are not worth a request of their own. */
const SHARED = { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 40_000 };

/** On a phone each file costs a payer a round trip, so these pages share nothing with those of merchants and staff. */
const OF_PAYERS: ReadonlySet<string> = new Set(['authorize', 'checkout', 'plain', 'portal']);

/** Bundles the pages and the embed script. Throws the bundler's errors. */
export async function bundle(web: string, outDir: string): Promise<void> {
  // With another one, as of tests, Vite builds for development: larger files under the same hash.
  process.env['NODE_ENV'] = 'production';
  const pages = Object.entries(pagesIn(web));
  const rest = await bundlePages(web, outDir, Object.fromEntries(pages.filter(([name]) => !OF_PAYERS.has(name))));
  const payers = await bundlePages(web, outDir, Object.fromEntries(pages.filter(([name]) => OF_PAYERS.has(name))));
  await writeFile(join(outDir, 'manifest.json'), JSON.stringify({ ...rest, ...payers }));
  await build({
    ...commonConfig(web),
    build: {
      ...intoFolder(outDir),
      target: 'es2020',
      rolldownOptions: {
        input: join(web, 'embed/main.ts'),
        output: { format: 'iife', entryFileNames: 'embed.js' },
      },
    },
  });
}

/** Returns the manifest. The parts of a page that both bundles have are in both under their own names. */
async function bundlePages(web: string, outDir: string, input: { [name: string]: string }): Promise<object> {
  const manifest = 'part.json';
  await build({
    ...commonConfig(web),
    build: {
      ...intoFolder(outDir),
      target: 'es2022',
      manifest,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: { input, output: { codeSplitting: { groups: [SHARED] } } },
    },
  });
  const text = await readFile(join(outDir, manifest), 'utf8');
  await rm(join(outDir, manifest));
  return JSON.parse(text);
}
