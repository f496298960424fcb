import { writeFile } from 'node:fs/promises';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { scriptWith } from '../lib/arguments.ts';

const usage = `
npm run ops -- openapi [FILE] [--public-url URL]
  Print the OpenAPI document of the merchant API, or write it to FILE, without a running service. It equals the service's
  /openapi.json; equal code gives equal bytes.
    --public-url URL    the URL of the service (default http://127.0.0.1:3000)

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:3000';

export const openapi = scriptWith({
  usage,
  options: { 'public-url': { type: 'string' } },
  takes: 1,
  run: async ({ 'public-url': url = DEFAULT_PUBLIC_URL }, [file]) => {
    const text = `${JSON.stringify(openApiDocument({ publicUrl: url.replace(/\/+$/, '') }), null, 2)}\n`;
    if (file === undefined) process.stdout.write(text);
    else await writeFile(file, text);
    return 0;
  },
});
