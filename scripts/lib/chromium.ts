import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of this machine's Chromium; null: not found. `CHROMIUM_PATH` names another path. */
export function findChromium(): string | null {
  const candidates = [
    process.env['CHROMIUM_PATH'],
    // The same engine without a desktop's parts: a visit costs a third less.
    '/usr/bin/chromium-headless-shell',
    '/usr/bin/chromium',
    '/usr/bin/chromium-browser',
    '/usr/bin/google-chrome',
  ];
  return candidates.find((path) => path !== undefined && existsSync(path)) ?? null;
}

/** Starts it headless with a separate profile. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS });
}
