import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { packageRoot } from '../../src/package/root.ts';
import { scriptWith } from '../lib/arguments.ts';
import { clientTypes } from './client/types.ts';

const usage = `
npm run build -- client
  Generate the types of @tideline/client (packages/client/src/schema.ts) from the API's document, without a running service.

Exit codes: 0 done or up to date, 1 not done, 2 the arguments are wrong.
`;

/** The types do not contain the service's URL, so any URL will do. */
const PUBLIC_URL = 'https://pay.example.com';

export const client = scriptWith({
  usage,
  options: {},
  run: async () => {
    const file = join(packageRoot(), 'packages/client/src/schema.ts');
    const before = await readFile(file, 'utf8').catch(() => '');
    const after = await clientTypes(openApiDocument({ publicUrl: PUBLIC_URL }));
    if (before !== after) await writeFile(file, after);
    return 0;
  },
});
