import { type ErrorObject, Ajv2020 as JsonSchemaChecker } from 'ajv/dist/2020.js';
import type { AnyValidateFunction } from 'ajv/dist/core.js';
import formats from 'ajv-formats';
import { z } from 'zod';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { takenOf } from '../../tools/fuzz/taken.ts';

/** The parts of the published document that the tests need. */
const reference = z.object({ $ref: z.string() });
const header = z.object({ required: z.boolean().default(false), schema: z.record(z.string(), z.unknown()) });
const content = z.object({ 'application/json': z.object({ example: z.unknown().optional() }) });
const response = z.object({ headers: z.record(z.string(), z.union([reference, header])), content });
const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query']),
  required: z.boolean(),
  schema: z.record(z.string(), z.unknown()),
  example: z.unknown().optional(),
});
const operation = z.object({
  operationId: z.string(),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string(), z.union([reference, response])),
});
const published = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({
    headers: z.record(z.string(), header),
    responses: z.record(z.string(), response),
    schemas: z.record(z.string(), z.unknown()),
  }),
});

type Header = z.output<typeof header>;
type Operation = z.output<typeof operation>;
type Parameter = z.output<typeof parameter>;

export interface Sent {
  readonly method: string;
  /** Below `{base_url}`, with its query. */
  readonly path: string;
  /** The sent body: text unchanged, anything else as JSON; undefined for none. */
  readonly body?: unknown;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** One operation of the document, found for a request. */
export interface PublishedOperation {
  readonly template: string;
  readonly method: string;
  readonly operation: Operation;
}

const ID = 'published';

/**
 * The published document as the judge of requests and answers. It uses only the document itself, and no schema of the
 * service.
 */
class Published {
  readonly document: z.output<typeof published>;
  readonly operations: readonly PublishedOperation[];
  readonly #checker: JsonSchemaChecker;
  readonly #coercing: JsonSchemaChecker;
  readonly #ofText = new Map<object, AnyValidateFunction>();

  constructor(publicUrl: string) {
    const raw = openApiDocument({ publicUrl });
    this.document = published.parse(raw);
    this.#checker = checkerOf(raw, false);
    this.#coercing = checkerOf(raw, true);
    this.operations = Object.entries(this.document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, found]) => ({ template, method: method.toUpperCase(), operation: found })),
    );
  }

  /** The operation of a request; null if the document has none. A path without parameters wins. */
  find(method: string, path: string): PublishedOperation | null {
    const bare = path.split('?')[0] ?? '';
    const found = this.operations.filter((one) => one.method === method && matches(one.template, bare));
    return found.find(({ template }) => template === bare) ?? found[0] ?? null;
  }

  /** The faults of an answer: its status, its headers, the exact form of its body. */
  faultsOfAnswer(found: PublishedOperation, { status, headers, body }: Answered): string[] {
    const at = `${found.method} ${found.template} ${status}`;
    const documented = found.operation.responses[status];
    if (documented === undefined) return [`${at} is not documented`];
    const resolved = '$ref' in documented ? this.#sharedResponse(documented.$ref) : documented;
    return [
      ...this.faultsOfBody(found, status, body),
      ...this.#faultsOfHeaders(resolved.headers, headers).map((fault) => `${at}: ${fault}`),
    ];
  }

  /** The faults of an answer's body. */
  faultsOfBody(found: PublishedOperation, status: number, body: unknown): string[] {
    const documented = found.operation.responses[status];
    const pointer = documented !== undefined && '$ref' in documented ? documented.$ref : responsePointer(found, status);
    const at = `${found.method} ${found.template} ${status}`;
    return this.faultsAt(`${pointer}/content/application~1json/schema`, body).map((fault) => `${at}: body${fault}`);
  }

  /** The faults of a request by the document: the service must refuse it, or the document is too narrow. */
  faultsOfRequest(found: PublishedOperation, { path, body }: Sent): string[] {
    const { template, method, operation: one } = found;
    const at = `the request of ${method} ${template}`;
    const query = new URLSearchParams(path.split('?')[1] ?? '');
    const inQuery = one.parameters.flatMap((parameter) => this.#faultsOfParameter(parameter, query));
    return [...inQuery, ...this.#faultsOfSent(found, body)].map((fault) => `${at}: ${fault}`);
  }

  /** The faults of a value by the schema at a pointer (`#/components/schemas/Offer`). */
  faultsAt(pointer: string, value: unknown): string[] {
    const check = this.#checker.getSchema(`${ID}${pointer}`);
    if (check === undefined) throw new Error(`The document has no schema at ${pointer}`);
    return faultsBy(check, value);
  }

  #faultsOfSent({ template, method, operation: one }: PublishedOperation, sent: unknown): string[] {
    if (one.requestBody === undefined || method === 'GET') return [];
    if (sent === undefined) return one.requestBody.required ? ['it needs a body'] : [];
    const body = typeof sent === 'string' ? parsed(sent) : parsed(JSON.stringify(sent));
    const pointer = `#/paths/${escaped(template)}/${method.toLowerCase()}/requestBody/content/application~1json/schema`;
    return this.faultsAt(pointer, body).map((fault) => `body${fault}`);
  }

  #faultsOfParameter({ name, in: place, required, schema }: Parameter, query: URLSearchParams): string[] {
    if (place !== 'query') return [];
    const value = query.get(name);
    if (value === null) return required ? [`it needs ${name}`] : [];
    return this.#faultsOfText(schema, value).map((fault) => `${name}${fault}`);
  }

  #faultsOfHeaders(documented: { readonly [name: string]: Header | { $ref: string } }, headers: Headers): string[] {
    const names = Object.keys(documented);
    const unknown = [...headers.keys()].filter(isOurs).filter((name) => !names.some((one) => isSame(one, name)));
    const wrong = Object.entries(documented).flatMap(([name, one]) => {
      const { required, schema } = '$ref' in one ? this.#sharedHeader(one.$ref) : one;
      const value = headers.get(name);
      if (value === null) return required ? [`the header ${name} is missing`] : [];
      return this.#faultsOfText(schema, value).map((fault) => `header ${name}${fault}`);
    });
    return [...unknown.map((name) => `the header ${name} is not documented`), ...wrong];
  }

  /** Text that represents a number or a boolean counts as one. */
  #faultsOfText(schema: object, value: string): string[] {
    const known = this.#ofText.get(schema);
    const check = known ?? this.#coercing.compile({ type: 'object', properties: { value: absolute(schema) } });
    this.#ofText.set(schema, check);
    return faultsBy(check, { value });
  }

  #sharedResponse(pointer: string): z.output<typeof response> {
    return found(this.document.components.responses, pointer);
  }

  #sharedHeader(pointer: string): Header {
    return found(this.document.components.headers, pointer);
  }
}

const DEFAULT_PUBLIC_URL = 'http://127.0.0.1:3000';

/** One per test file, made on first use. The service's address does not affect its verdicts. */
const kept = new Map<string, Published>();

export function publishedAt(publicUrl: string = DEFAULT_PUBLIC_URL): Published {
  const made = kept.get(publicUrl) ?? new Published(publicUrl);
  kept.set(publicUrl, made);
  return made;
}

/**
 * Throws if the document does not have this answer for the request, or if the service accepted a request that the
 * document does not allow.
 */
export function checkExchange(document: Published, sent: Sent, answered: Answered): void {
  const found = document.find(sent.method, sent.path);
  if (found === null) {
    if (answered.status === 404) return;
    throw new Error(`${sent.method} ${sent.path} is not in the document, but answered ${answered.status}`);
  }
  const faults = document.faultsOfAnswer(found, answered);
  if (answered.status < 300) faults.push(...document.faultsOfRequest(found, taken(sent, answered.body)));
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** The same if only the body of a successful answer is known. */
export function checkSuccess(document: Published, sent: Sent, body: unknown): void {
  const found = document.find(sent.method, sent.path);
  if (found === null) throw new Error(`${sent.method} ${sent.path} is not in the document`);
  const successes = Object.keys(found.operation.responses).filter((status) => status.startsWith('2'));
  const faults = successes.map((status) => document.faultsOfBody(found, Number(status), body));
  const best = faults.some((list) => list.length === 0) ? [] : faults.flat();
  const all = [...best, ...document.faultsOfRequest(found, taken(sent, body))];
  if (all.length > 0) throw new Error(all.join('\n'));
}

function taken(sent: Sent, answered: unknown): Sent {
  return { ...sent, body: takenOf(sent.body, answered) };
}

function checkerOf(document: object, coerceTypes: boolean): JsonSchemaChecker {
  // The document itself is not a schema. Its parts are, and pointers find them.
  const checker = new JsonSchemaChecker({ strict: false, allErrors: true, coerceTypes, validateSchema: false });
  formats.default(checker);
  checker.addSchema(document, ID);
  return checker;
}

function faultsBy(check: AnyValidateFunction, value: unknown): string[] {
  return check(value) === true ? [] : (check.errors ?? []).map(said);
}

/** Makes references to parts of the document absolute, so that they work outside of it. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', `"$ref":"${ID}#/`));
}

function said({ instancePath, message, params }: ErrorObject): string {
  return `${instancePath} ${message} ${JSON.stringify(params)}`;
}

function found<T>(among: { readonly [name: string]: T }, pointer: string): T {
  const one = among[pointer.split('/').at(-1) ?? ''];
  if (one === undefined) throw new Error(`The document refers to ${pointer}, which it does not have`);
  return one;
}

function responsePointer({ template, method }: PublishedOperation, status: number): string {
  return `#/paths/${escaped(template)}/${method.toLowerCase()}/responses/${status}`;
}

/** A path as one step of a JSON pointer in a URI. */
function escaped(template: string): string {
  return encodeURIComponent(template.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

/** Headers of this API; others belong to HTTP and every server. */
function isOurs(name: string): boolean {
  return (name.startsWith('x-') && name !== 'x-content-type-options') || /^(idempotency|retry-after)/.test(name);
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

function parsed(text: string): unknown {
  return text === '' ? undefined : JSON.parse(text);
}
