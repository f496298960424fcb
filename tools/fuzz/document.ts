import { Ajv2020 as JsonSchemaChecker } from 'ajv/dist/2020.js';
import type { AnyValidateFunction } from 'ajv/dist/core.js';
import formats from 'ajv-formats';
import { z } from 'zod';

/** A JSON Schema as it is in the document, and the keywords that values are drawn by. */
const keywords = z.looseObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  enum: z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
  get anyOf() {
    return z.array(schema).optional();
  },
  get properties() {
    return z.record(z.string(), schema).optional();
  },
  required: z.array(z.string()).optional(),
  get additionalProperties() {
    return schema.optional();
  },
  get items() {
    return schema.optional();
  },
  minItems: z.number().optional(),
  pattern: z.string().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});
const schema: z.ZodUnion<[z.ZodBoolean, typeof keywords]> = z.union([z.boolean(), keywords]);
export type Keywords = z.output<typeof keywords>;
export type Schema = Keywords | boolean;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  /** The path below `{base_url}`, with parameters in braces. */
  readonly template: string;
  readonly parameters: readonly Parameter[];
  /** null: it takes no body. */
  readonly body: { readonly schema: Schema; readonly example?: unknown } | null;
  readonly isBodyRequired: boolean;
  readonly statuses: readonly number[];
}

const reference = z.object({ $ref: z.string() });
const content = z.object({ 'application/json': z.object({ schema, example: z.unknown().optional() }) });
const header = z.object({ required: z.boolean().default(false), schema });
const response = z.object({ headers: z.record(z.string(), z.union([reference, header])).default({}), content });
const operation = z.object({
  operationId: z.string(),
  parameters: z
    .array(z.object({ name: z.string(), in: z.enum(['path', 'query']), schema, example: z.unknown().optional() }))
    .default([]),
  requestBody: z.object({ required: z.boolean(), content }).optional(),
  responses: z.record(z.string(), z.union([reference, response])),
});
const shape = z.object({
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.object({
    headers: z.record(z.string(), header),
    responses: z.record(z.string(), response),
    schemas: z.record(z.string(), schema),
  }),
});

const ID = 'published';

/** The facts of an answer that the document describes. */
export interface Answer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The published document. It names the operations and judges them, without any schema of the service. */
export class ApiDocument {
  readonly operations: readonly Operation[];
  readonly #document: z.output<typeof shape>;
  readonly #checker: JsonSchemaChecker;
  readonly #ofText: JsonSchemaChecker;
  readonly #checksOfText = new Map<string, AnyValidateFunction>();

  /** Throws if this is not a document of this API. */
  constructor(published: object) {
    this.#document = shape.parse(published);
    this.#checker = checkerOf(published, false);
    this.#ofText = checkerOf(published, true);
    this.operations = Object.entries(this.#document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, found]) => ({
        id: found.operationId,
        method: method.toUpperCase(),
        template,
        parameters: found.parameters,
        body: found.requestBody?.content['application/json'] ?? null,
        isBodyRequired: found.requestBody?.required ?? false,
        statuses: Object.keys(found.responses).map(Number),
      })),
    );
  }

  /** The schema that a reference names, or the schema itself. */
  resolved(given: Schema): Schema {
    if (typeof given === 'boolean' || given.$ref === undefined) return given;
    const found = this.#document.components.schemas[given.$ref.split('/').at(-1) ?? ''];
    if (found === undefined) throw new Error(`the document has no ${given.$ref}`);
    return found;
  }

  /** The operation of a path below `{base_url}` without query. Templates without parameters win. */
  find(method: string, path: string): Operation | null {
    const found = this.operations.filter((one) => one.method === method && matches(one.template, path));
    return found.find(({ template }) => template === path) ?? found[0] ?? null;
  }

  /** The differences between an answer and the document: status, headers, body. */
  faultsOfAnswer(operation: Operation, { status, headers }: Answer, body: unknown): string[] {
    const documented = this.#responseOf(operation, status);
    if (documented === undefined) return [`${operation.id} does not document the status ${status}`];
    const { headers: expected } = '$ref' in documented ? this.#responseAt(documented.$ref) : documented;
    return [...this.faultsOfBody(operation, status, body), ...this.#faultsOfHeaders(expected, headers)];
  }

  /** The differences between the body of an answer and the document, which has its status. */
  faultsOfBody(operation: Operation, status: number, body: unknown): string[] {
    const documented = this.#responseOf(operation, status);
    const own = `${pointerOf(operation)}/responses/${status}`;
    const pointer = documented !== undefined && '$ref' in documented ? documented.$ref : own;
    return this.faultsAt(`${pointer}/content/application~1json/schema`, body).map((fault) => `body${fault}`);
  }

  /** The differences between an accepted request, with its answer, and the document. `sent` undefined: no body. */
  faultsOfRequest(one: Operation, query: URLSearchParams, sent: unknown, answered?: unknown): string[] {
    const body = takenOf(sent, answered);
    const faults = one.parameters.flatMap(({ name, in: position, schema: expected }) => {
      const values = position === 'query' ? query.getAll(name) : [];
      return values.flatMap((value) => this.#faultsOfText(expected, value).map((fault) => `${name}${fault}`));
    });
    if (one.body === null) return faults;
    if (body === undefined) return one.isBodyRequired ? [...faults, 'it needs a body'] : faults;
    const pointer = `${pointerOf(one)}/requestBody/content/application~1json/schema`;
    return [...faults, ...this.faultsAt(pointer, body).map((fault) => `body${fault}`)];
  }

  /** The differences between a value and the schema at a pointer (`#/components/schemas/Offer`). */
  faultsAt(pointer: string, value: unknown): string[] {
    const check = this.#checker.getSchema(`${ID}${pointer}`);
    if (check === undefined) throw new Error(`the document has no schema at ${pointer}`);
    return check(value) === true ? [] : messagesOf(check.errors);
  }

  #responseOf({ template, method }: Operation, status: number) {
    return this.#document.paths[template]?.[method.toLowerCase()]?.responses[status];
  }

  #responseAt(pointer: string): z.output<typeof response> {
    const found = this.#document.components.responses[pointer.split('/').at(-1) ?? ''];
    if (found === undefined) throw new Error(`the document has no ${pointer}`);
    return found;
  }

  #faultsOfHeaders(expected: z.output<typeof response>['headers'], headers: Answer['headers']): string[] {
    const names = new Set(Object.keys(expected).map((name) => name.toLowerCase()));
    const unknown = headers.map(([name]) => name).filter((name) => isOurs(name) && !names.has(name.toLowerCase()));
    const faults = unknown.map((name) => `the header ${name} is not documented`);
    for (const [name, one] of Object.entries(expected)) {
      const documented = '$ref' in one ? this.#document.components.headers[one.$ref.split('/').at(-1) ?? ''] : one;
      const values = headers.filter(([sent]) => sent.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
      if (values.length > 1) faults.push(`the header ${name} is there ${values.length} times`);
      if (values.length === 0 && documented?.required) faults.push(`the header ${name} is missing`);
      for (const value of values) {
        faults.push(...this.#faultsOfText(documented?.schema ?? true, value).map((fault) => `header ${name}${fault}`));
      }
    }
    return faults;
  }

  /** Text that represents a number or a boolean counts as one. */
  #faultsOfText(expected: Schema, value: string): string[] {
    const text = absolute(JSON.stringify(expected));
    const check =
      this.#checksOfText.get(text) ?? this.#ofText.compile({ type: 'object', properties: { value: JSON.parse(text) } });
    this.#checksOfText.set(text, check);
    return check({ value }) === true ? [] : messagesOf(check.errors);
  }
}

function checkerOf(document: object, coerceTypes: boolean): JsonSchemaChecker {
  // The document itself is not a schema. Its parts are, and pointers find them.
  const checker = new JsonSchemaChecker({ strict: false, allErrors: true, coerceTypes, validateSchema: false });
  formats.default(checker);
  checker.addSchema(document, ID);
  return checker;
}

function messagesOf(errors: JsonSchemaChecker['errors']): string[] {
  return (errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Makes references to parts of the document absolute, so that they work outside of it. */
function absolute(text: string): string {
  return text.replaceAll('"$ref":"#/', `"$ref":"${ID}#/`);
}

function pointerOf({ template, method }: Operation): string {
  return `#/paths/${encodeURIComponent(template.replaceAll('~', '~0').replaceAll('/', '~1'))}/${method.toLowerCase()}`;
}

/** Headers of this API; others belong to HTTP and every server. */
function isOurs(name: string): boolean {
  return (/^x-/i.test(name) && !/^x-content-type-options$/i.test(name)) || /^(idempotency|retry-after)/i.test(name);
}

function matches(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);
}

const batchSent = z.looseObject({ offers: z.array(z.looseObject({})) });
const batchAnswer = z.object({ results: z.array(z.object({ status: z.int() })) });

/** The accepted part of a request's body: of a batch's refused items, only the ids remain. */
function takenOf(sent: unknown, answered: unknown): unknown {
  const asked = batchSent.safeParse(sent);
  const answer = batchAnswer.safeParse(answered);
  if (!asked.success || !answer.success) return sent;
  const offers = asked.data.offers.map((item, index) => {
    return answer.data.results[index]?.status === 200 ? item : { id: item['id'] };
  });
  return { ...asked.data, offers };
}
