import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findChromium, launchChromium } from '../scripts/lib/chromium.ts';
import { readArguments, runScript, ScriptError } from '../scripts/lib/script.ts';
import { buildPages, pagesPaths } from '../src/pages/pages.ts';
import { Stage } from '../stage/stage.ts';
import { Photographer } from './screenshots/photographer.ts';
import { SCENES } from './screenshots/scenes.ts';

const USAGE = `
npm run build -- pictures [--out FOLDER]
`;

async function main(argv: readonly string[]): Promise<number> {
  const { values } = readArguments(argv, { out: { type: 'string' } });
  const folder = values.out ?? fileURLToPath(new URL('../docs/pictures', import.meta.url));
  const path = findChromium();
  if (path === null) throw new ScriptError('Chromium is missing: install it, or set CHROMIUM_PATH');
  await mkdir(folder, { recursive: true });
  // Before the service chooses the newest build, which it keeps.
  await buildPages(pagesPaths().root);
  const stage = await Stage.open();
  const browser = await launchChromium(path);
  try {
    const photographer = new Photographer(browser, folder);
    for (const scene of SCENES) await scene(photographer, stage);
    for (const name of photographer.taken) process.stdout.write(`${name}\n`);
    return 0;
  } finally {
    await browser.close();
    await stage.stop();
  }
}

await runScript({ usage: USAGE, main }, process.argv.slice(2));
