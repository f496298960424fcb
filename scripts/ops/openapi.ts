import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { readArguments } from '../lib/arguments.ts';
import { type Script, UsageError } from '../lib/script.ts';

const usage = `
npm run ops -- openapi [FILE] [--public-url URL]
  Print the OpenAPI document of the merchant API, or write it to FILE, without a running service. It equals the service's
  /openapi.json; equal code gives equal bytes.
    --public-url URL    the URL of the service (default http://127.0.0.1:3000)

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:3000';

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(argv, { 'public-url': { type: 'string' } });
  const [file, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`expected one FILE, got ${positionals.length}`);
  const publicUrl = (values['public-url'] ?? DEFAULT_PUBLIC_URL).replace(/\/+$/, '');
  const text = `${JSON.stringify(openApiDocument({ publicUrl }), null, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else await writeFile(file, text);
  return 0;
}

export const openapi: Script = { usage, main };
