import { z } from 'zod';
import type { Created } from '../billing/resources/idempotency.ts';
import type { MerchantDoc } from '../store/collections.ts';
import type { Tenant } from '../store/documents.ts';
import type { HttpDeps } from './deps.ts';
import { ignoredBy, ignoredNames, isObjectSchema } from './input/ignored.ts';
import { grouped } from './input/query.ts';
import { validate } from './input/validate.ts';
import type { PdfFile } from './send.ts';

/** The caller of the merchant API: the key's merchant in the key's environment. */
export interface Caller extends Tenant {
  readonly merchant: MerchantDoc;
  /** A person in the dashboard is not bound to one environment, as a key is. */
  readonly via: 'key' | 'dashboard';
}

/** A request before it is checked: path parameters decoded, query parameters as sent, body parsed. */
interface RawRequest {
  readonly params: { readonly [name: string]: unknown };
  readonly query: { readonly [name: string]: string | readonly string[] };
  readonly body: unknown;
}

/** The caller, the time and the request id of an admission. */
interface Admission<C> {
  readonly caller: C;
  readonly now: Date;
  readonly requestId: string;
  /** The caller wants CSV rather than JSON. */
  readonly prefersCsv: boolean;
  /** The same for PDF. */
  readonly prefersPdf: boolean;
}

/** A checked request. */
interface Call<P, Q, B, C> extends Admission<C> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Headers;
  /** The body as CSV: the caller gets this text, perhaps in parts, and no JSON. */
  readonly csv?: string | AsyncIterable<string>;
  /** The body as a PDF with this name instead of JSON. */
  readonly pdf?: PdfFile;
}

type Headers = { readonly [name: string]: string };

/** Status → schema of the body. */
export type Responses = { readonly [status: number]: z.ZodType };

/** The answers that `responses` documents: for each status exactly the shape of its schema. */
type AnswerOf<R extends Responses> = {
  [S in keyof R & number]: { readonly status: S; readonly body: z.output<R[S]>; readonly headers?: Headers };
}[keyof R & number];

export function answer<const S extends number, B>(status: S, body: B): { readonly status: S; readonly body: B } {
  return { status, body };
}

/** A call as the document shows it: parameters, body, answer. Compiler and a test compare it with the schemas. */
interface Example<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends Responses> {
  readonly params?: z.input<P>;
  readonly query?: z.input<Q>;
  readonly body?: z.input<B>;
  /** The example for every success with the same schema. */
  readonly answer: AnswerOf<R>;
}

/** The text of the published document about an endpoint, beside its schemas. */
export interface Described<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends Responses> {
  /** The `operationId`, which is also the name of the endpoint's export. */
  readonly id: string;
  /** Markdown: details that the summary leaves out. */
  readonly description?: string;
  /** The meaning of a status here, if it is more than its general meaning; Markdown. */
  readonly notes?: { readonly [status: number]: string };
  /** An example of an error message, if the general example would mislead. */
  readonly messages?: { readonly [status: number]: string };
  readonly example: Example<P, Q, B, R>;
  /** The list of its body that is also served as CSV; absent: none. */
  readonly csv?: CsvList;
}

/** A list of a body, and the fields of its items in the order of the columns. */
export interface CsvList {
  readonly list: string;
  readonly columns: readonly string[];
  /** What the CSV has, if that is not the page with these columns; Markdown. */
  readonly prose?: string;
}

/** The schema of what an endpoint does not take: path parameters, query parameters, or a body. */
export const none = z.object({});
type None = typeof none;

/** One endpoint as its file declares it. */
export interface EndpointSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  R extends Responses,
  C,
> {
  readonly summary: string;
  /** Absent: it takes none. The same holds for `query` and `body`. */
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  readonly responses: R;
  /** Of the merchant and the staff API: error statuses, in addition to those of every endpoint; absent: none. */
  readonly errors?: readonly number[];
  /** Of the body; absent: as for every endpoint. */
  readonly bodyBytesMax?: number;
  /** A method, so that `erased` may forget the types of the schemas; it calls this only with what they have parsed. */
  handle(call: Call<z.output<P>, z.output<Q>, z.output<B>, C>, deps: HttpDeps): Promise<AnswerOf<R>>;
  /** For a caller who prefers CSV: all of it in parts, however long it is. Absent: the page of `handle` as CSV. */
  csvParts?(call: Call<z.output<P>, z.output<Q>, z.output<B>, C>, deps: HttpDeps): AsyncIterable<string>;
  /** For a caller who prefers PDF. Absent: there is none. */
  pdf?(call: Call<z.output<P>, z.output<Q>, z.output<B>, C>, deps: HttpDeps): Promise<PdfFile>;
}

interface Prepared<C> {
  /** Names of body fields and query parameters that the endpoint does not know, also of an invalid request. */
  readonly ignored: readonly string[];
  /** For an invalid request, rejects with 400 and the first problem. */
  run(admission: Admission<C>, deps: HttpDeps): Promise<Answer>;
}

/** One endpoint without its types: the parts for routing, checks and the published document. */
export interface Endpoint<C> {
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject;
  readonly responses: Responses;
  readonly errors: readonly number[];
  readonly bodyBytesMax?: number;
  /** It answers with a PDF, too: for `Accept`, or at its path with `.pdf`. */
  readonly hasPdf?: boolean;
  prepare(raw: RawRequest): Prepared<C>;
}

/** The parts of an example, without their types. */
interface AnyExample {
  readonly params?: { readonly [name: string]: unknown };
  readonly query?: { readonly [name: string]: unknown };
  readonly body?: { readonly [name: string]: unknown };
  readonly answer: Answer;
}

/** An endpoint of the merchant API, which the published document describes. */
export interface PublicEndpoint
  extends Endpoint<Caller>,
    Omit<Described<z.ZodObject, z.ZodObject, z.ZodObject, Responses>, 'example'> {
  readonly example: AnyExample;
}

/** An endpoint of the merchant API. */
export function endpoint<
  R extends Responses,
  P extends z.ZodObject = None,
  Q extends z.ZodObject = None,
  B extends z.ZodObject = None,
>(spec: EndpointSpec<P, Q, B, R, Caller> & Described<P, Q, B, R>): PublicEndpoint {
  return { ...spec, ...erased(spec) };
}

/** Makes the endpoints that have one kind of caller. */
export function endpointFor<C>() {
  return <
    R extends Responses,
    P extends z.ZodObject = None,
    Q extends z.ZodObject = None,
    B extends z.ZodObject = None,
  >(
    spec: EndpointSpec<P, Q, B, R, C>,
  ): Endpoint<C> => erased(spec);
}

function erased<R extends Responses, C>(spec: EndpointSpec<z.ZodObject, z.ZodObject, z.ZodObject, R, C>): Endpoint<C> {
  const { summary, params = none, query = none, body = none, responses, errors = [], bodyBytesMax } = spec;
  const objects = objectsIn(query);
  return {
    summary,
    params,
    query,
    body,
    responses,
    errors,
    ...(bodyBytesMax === undefined ? {} : { bodyBytesMax }),
    ...(spec.pdf === undefined ? {} : { hasPdf: true }),
    prepare: (sent) => {
      const raw = { ...sent, query: grouped(sent.query, objects) };
      try {
        const checked = {
          params: validate(params, raw.params),
          query: validate(query, raw.query),
          body: validate(body, raw.body),
        };
        const ignored = [...ignoredNames(raw.query, checked.query), ...ignoredNames(raw.body, checked.body)];
        return { ignored, run: (admission, deps) => answerTo(spec, { ...checked, ...admission }, deps) };
      } catch (error) {
        const ignored = [...ignoredBy(query, raw.query), ...ignoredBy(body, raw.body)];
        return { ignored, run: () => Promise.reject(error) };
      }
    },
  };
}

async function answerTo<R extends Responses, C>(
  spec: Pick<EndpointSpec<z.ZodObject, z.ZodObject, z.ZodObject, R, C>, 'handle' | 'csvParts' | 'pdf'>,
  call: Call<Parsed, Parsed, Parsed, C>,
  deps: HttpDeps,
): Promise<Answer> {
  if (call.prefersPdf && spec.pdf) return { status: 200, body: null, pdf: await spec.pdf(call, deps) };
  const csv = call.prefersCsv ? spec.csvParts?.(call, deps) : undefined;
  return csv === undefined ? spec.handle(call, deps) : { status: 200, body: null, csv };
}

type Parsed = z.output<z.ZodObject>;

/** The parameters that are objects, such as `created` of `created[gte]=…`. */
function objectsIn(query: z.ZodObject): ReadonlySet<string> {
  const named = Object.entries<unknown>(query.shape).filter(([, schema]) => isObjectSchema(schema));
  return new Set(named.map(([name]) => name));
}

/**
 * The answer of an idempotent create (reference, section 8): 201 for a new resource, 200 for the one that its key made
 * before, with `Idempotency-Replayed: true`, and `Idempotency-Mismatch: true` if the body was another.
 */
export function createdAnswer<T, V>({ resource, replayed, mismatch }: Created<T>, view: (resource: T) => V) {
  return {
    status: replayed ? 200 : 201,
    body: view(resource),
    headers: {
      ...(replayed ? { 'Idempotency-Replayed': 'true' } : {}),
      ...(mismatch ? { 'Idempotency-Mismatch': 'true' } : {}),
    },
  } as const;
}
