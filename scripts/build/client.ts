import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import type { Json, JsonObject } from '../../machines/json.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { packageRoot } from '../../src/package/root.ts';
import { scriptWith } from '../lib/script.ts';

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

const HEADER = `/**
 * The types of the merchant API, made from its OpenAPI document by \`npm run build -- client\`. Not to be edited.
 */

`;

/** The TypeScript text of a document's types. Equal documents give equal texts. */
async function clientTypes(document: JsonObject): Promise<string> {
  const text = JSON.stringify(withoutExamples(document, false));
  // A field with a default stays optional, because the service fills it in.
  const nodes = await openapiTS(text, { defaultNonNullable: false, silent: true });
  return `${HEADER}${withoutNever(astToString(nodes))}`;
}

/** Leaves out members that exclude a property, such as `put?: never`. */
function withoutNever(types: string): string {
  return types.replaceAll(/^ +\w+\?: never;\n/gm, '').replaceAll(/\{\n +\};/g, '{};');
}

/** Examples are for readers of the document; as comments of types they would be thousands of lines. */
function withoutExamples(value: Json, isNames: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => withoutExamples(item, false));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isNames || (key !== 'example' && key !== 'examples'));
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutExamples(each, key === 'properties')]));
}
