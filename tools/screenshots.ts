import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from '../scripts/lib/arguments.ts';
import { findChromium, launchChromium } from '../scripts/lib/chromium.ts';
import { runScript, ScriptError } from '../scripts/lib/script.ts';
import { ServiceProcesses, untilReady } from '../stage/processes.ts';
import { brandingPictures } from './screenshots/branding.ts';
import { checkoutPictures } from './screenshots/checkout.ts';
import { dashboardPictures } from './screenshots/dashboard.ts';
import { Photographer } from './screenshots/photographer.ts';
import { staffPictures } from './screenshots/staff.ts';

const USAGE = `
npm run build -- pictures [--out FOLDER]
`;

async function main(argv: readonly string[]): Promise<number> {
  const { values } = readArguments(argv, { out: { type: 'string' } });
  const folder = values.out ?? fileURLToPath(new URL('../docs/pictures', import.meta.url));
  const path = findChromium();
  if (path === null) throw new ScriptError('Chromium is missing: install it, or set CHROMIUM_PATH');
  const dataDir = await mkdtemp(join(tmpdir(), 'tideline-screenshots-'));
  const processes = new ServiceProcesses();
  const browser = await launchChromium(path);
  try {
    await mkdir(folder, { recursive: true });
    const service = await processes.spawn({ dataDir });
    await untilReady(service);
    const photographer = new Photographer(browser, folder);
    await checkoutPictures(photographer, { service, dataDir });
    await staffPictures(photographer, { service, dataDir });
    await brandingPictures(photographer, { service, dataDir });
    await dashboardPictures(photographer, { service, dataDir });
    for (const name of photographer.taken) process.stdout.write(`${name}\n`);
    await service.stop();
    return 0;
  } finally {
    await browser.close();
    await processes.killAll();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await runScript({ usage: USAGE, main }, process.argv.slice(2));
