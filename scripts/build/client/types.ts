import openapiTS, { astToString } from 'openapi-typescript';
import type { Json, JsonObject } from '../../../machines/json.ts';

const HEADER = `/**
 * The types of the merchant API, made from its OpenAPI document by \`npm run build -- client\`. Not to be edited.
 */

`;

/** The TypeScript text of a document's types. Equal documents give equal texts. */
export async function clientTypes(document: JsonObject): Promise<string> {
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
