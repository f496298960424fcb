// Loads all that the programs in dist/ share, so that Node keeps its compiled code in the folder NODE_COMPILE_CACHE.

import { readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const chunks = pathToFileURL('dist/chunks/');
const names = readdirSync(chunks).filter((name) => name.endsWith('.js'));
for (const name of names) await import(new URL(name, chunks).href);
process.exit();
