import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { readArguments, requireNothing } from '../lib/arguments.ts';
import { type Script, ScriptError } from '../lib/script.ts';
import { clientTypes } from './client/types.ts';

const usage = `
npm run build -- client [--check]
  Generate the types of tideline/client (packages/client/src/schema.ts) from the API's document, without a running service.
    --check          change nothing; exit 1 if the types belong to another document

Exit codes: 0 done or up to date, 1 out of date or not done, 2 the arguments are wrong.
`;

const SCHEMA = fileURLToPath(new URL('../../packages/client/src/schema.ts', import.meta.url));

/** The types do not contain the service's URL, so any URL will do. */
const PUBLIC_URL = 'https://pay.example.com';

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(argv, { check: { type: 'boolean' } });
  requireNothing(positionals);
  const before = await readFile(SCHEMA, 'utf8').catch(() => '');
  const after = await clientTypes(openApiDocument({ publicUrl: PUBLIC_URL }));
  if (before === after) return 0;
  if (values.check)
    throw new ScriptError(
      "packages/client/src/schema.ts does not match the API's document: run npm run build -- client",
    );
  await writeFile(SCHEMA, after);
  return 0;
}

export const client: Script = { usage, main };
