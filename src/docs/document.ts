import { z } from 'zod';
import type { JsonObject } from '../../machines/json.ts';

/**
 * The parts of the OpenAPI document as the reference shows them. Strict: a keyword that the page would leave out is an
 * error, and a test finds it.
 */
const schemaShape = z.strictObject({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  format: z.string().optional(),
  pattern: z.string().optional(),
  const: z.json().optional(),
  enum: z.array(z.json()).optional(),
  default: z.json().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  maxItems: z.number().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  required: z.array(z.string()).default([]),
  /** Only `{}`: no value fits. */
  not: z.strictObject({}).optional(),
  /** For generators of code; the variants name themselves, and descriptions name the field to use instead. */
  discriminator: z.unknown().optional(),
  deprecated: z.literal(true).optional(),
  get properties() {
    // `false`: a field that must not be there.
    return z.record(z.string(), z.union([schemaShape, z.literal(false)])).optional();
  },
  get items() {
    return schemaShape.optional();
  },
  get anyOf() {
    return z.array(schemaShape).optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), schemaShape]).optional();
  },
});

const reference = z.strictObject({ $ref: z.string() });

/** A header, and what it shares with a parameter. */
const headerShape = z.strictObject({
  description: z.string(),
  required: z.boolean().optional(),
  schema: schemaShape,
  example: z.json().optional(),
});

const parameterShape = headerShape.extend({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  style: z.string().optional(),
  explode: z.boolean().optional(),
});

const contentShape = z.record(z.string(), z.strictObject({ schema: schemaShape, example: z.json().optional() }));

const responseShape = z.strictObject({
  description: z.string(),
  headers: z.record(z.string(), reference).default({}),
  content: contentShape.default({}),
});

const operationShape = z.strictObject({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().default(''),
  tags: z.array(z.string()),
  security: z.unknown().optional(),
  parameters: z.array(parameterShape).default([]),
  requestBody: z.strictObject({ required: z.boolean(), content: contentShape }).optional(),
  responses: z.record(z.string(), z.union([responseShape, reference])),
  /** The description names them. */
  'x-rate-limits': z.unknown().optional(),
});

const documentShape = z.object({
  info: z.object({ title: z.string(), version: z.string(), summary: z.string(), description: z.string() }),
  servers: z.tuple([z.object({ url: z.string() })]),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(z.string(), z.record(z.string(), operationShape)),
  webhooks: z.record(z.string(), z.object({ post: operationShape })),
  components: z.object({
    headers: z.record(z.string(), headerShape),
    responses: z.record(z.string(), responseShape),
    schemas: z.record(z.string(), schemaShape),
  }),
});

export type Schema = z.output<typeof schemaShape>;
export type Parameter = z.output<typeof parameterShape>;
export type Content = z.output<typeof contentShape>;
export type Response = z.output<typeof responseShape>;
export type ApiDocument = z.output<typeof documentShape>;

export type Operation = z.output<typeof operationShape> & {
  /** `POST`. */
  readonly method: string;
  /** `/offers/{offerId}`; of a delivery its event. */
  readonly path: string;
};

/** Throws if the document has something that the page cannot show. */
export function readDocument(document: JsonObject): ApiDocument {
  return documentShape.parse(document);
}

export function operationsOf({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ ...operation, method: verb.toUpperCase(), path })),
  );
}

/** The deliveries of the service, with the event as their path. */
export function eventsOf({ webhooks }: ApiDocument): Operation[] {
  return Object.entries(webhooks).map(([event, { post }]) => ({ ...post, method: 'POST', path: event }));
}

/** The answer itself, if the document refers to a shared one. */
export function responseOf({ components }: ApiDocument, given: Response | { readonly $ref: string }): Response {
  if (!('$ref' in given)) return given;
  const shared = components.responses[nameOf(given.$ref)];
  if (shared === undefined) throw new Error(`the document has no ${given.$ref}`);
  return shared;
}

/** `#/components/schemas/Offer` → `Offer`. */
export function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}
