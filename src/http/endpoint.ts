import { z } from 'zod';
import type { MerchantDoc, StaffRole } from '../store/collections.ts';
import type { Tenant } from '../store/tenant.ts';
import type { HttpDeps } from './deps.ts';
import { ignoredBy, ignoredNames } from './input/ignored.ts';
import { validate } from './input/validate.ts';

/** Who calls the merchant API: the key's merchant in the key's environment. */
export interface Caller extends Tenant {
  readonly merchant: MerchantDoc;
}

/** A request before it is checked: path parameters decoded, query parameters as sent, body parsed. */
export interface RawRequest {
  readonly params: { readonly [name: string]: unknown };
  readonly query: { readonly [name: string]: string | readonly string[] };
  readonly body: unknown;
}

/** A checked request. `now` is the moment at which it was let in. */
export interface Call<P, Q, B, C> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly caller: C;
  readonly now: Date;
  readonly requestId: string;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Headers;
}

type Headers = { readonly [name: string]: string };

/** Status → schema of the body. */
export type Responses = { readonly [status: number]: z.ZodType };

/** The answers that `responses` documents: for each status exactly the shape of its schema. */
export type AnswerOf<R extends Responses> = {
  [S in keyof R & number]: { readonly status: S; readonly body: z.output<R[S]>; readonly headers?: Headers };
}[keyof R & number];

/** An answer of exactly this status. */
export function answer<const S extends number, B>(status: S, body: B): { readonly status: S; readonly body: B } {
  return { status, body };
}

/**
 * One call as the published document shows it. The compiler holds it against the schemas, and a test against the document:
 * parameters as they stand in a URL, the body as it is sent, the answer as it comes back.
 */
export interface Example<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends Responses> {
  readonly params?: z.input<P>;
  readonly query?: z.input<Q>;
  readonly body?: z.input<B>;
  /** Stands for every success that has the same schema. */
  readonly answer: AnswerOf<R>;
}

/** What the published document says of an endpoint beside its schemas. */
export interface Described<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends Responses> {
  /** The `operationId`: the name under which the endpoint is exported. */
  readonly id: string;
  /** Markdown: what the summary leaves out. */
  readonly description?: string;
  /** What a status means here, where there is more to say than what it means everywhere; Markdown. */
  readonly notes?: { readonly [status: number]: string };
  /** How an error may read here, where the usual example would mislead. */
  readonly messages?: { readonly [status: number]: string };
  readonly example: Example<P, Q, B, R>;
}

/** One endpoint as its file declares it. */
export interface EndpointSpec<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  R extends Responses,
  C,
> {
  readonly summary: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly responses: R;
  /** Error statuses beside those that every endpoint of its kind may answer. */
  readonly errors: readonly number[];
  readonly handle: (call: Call<z.output<P>, z.output<Q>, z.output<B>, C>, deps: HttpDeps) => Promise<AnswerOf<R>>;
}

/** Who was let in, when, and under which request id. */
export interface Admission<C> {
  readonly caller: C;
  readonly now: Date;
  readonly requestId: string;
}

/** A request that has been checked. */
export interface Prepared<C> {
  /** Names of body fields and query parameters that the endpoint does not know, whether it is well-formed or not. */
  readonly ignored: readonly string[];
  /** Of one that is not well-formed: rejects with 400 and the first problem found. */
  run(admission: Admission<C>, deps: HttpDeps): Promise<Answer>;
}

/** One endpoint, its types erased to what routing, checking and describing need. */
export interface Endpoint<C> {
  readonly summary: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body: z.ZodObject;
  readonly responses: Responses;
  readonly errors: readonly number[];
  prepare(raw: RawRequest): Prepared<C>;
}

/** The parts of an example, their types erased. */
export interface AnyExample {
  readonly params?: { readonly [name: string]: unknown };
  readonly query?: { readonly [name: string]: unknown };
  readonly body?: { readonly [name: string]: unknown };
  readonly answer: Answer;
}

/** An endpoint of the merchant API: one that the published document describes. */
export interface PublicEndpoint extends Endpoint<Caller> {
  readonly id: string;
  readonly description?: string;
  readonly notes?: { readonly [status: number]: string };
  readonly messages?: { readonly [status: number]: string };
  readonly example: AnyExample;
}

/** For an endpoint without path parameters, without query parameters, or without a body. */
export const none = z.object({});

/** An endpoint of the merchant API. */
export function endpoint<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends Responses>(
  spec: EndpointSpec<P, Q, B, R, Caller> & Described<P, Q, B, R>,
): PublicEndpoint {
  const { id, description, notes, messages, example } = spec;
  return {
    ...erased(spec),
    id,
    example,
    ...(description === undefined ? {} : { description }),
    ...(notes === undefined ? {} : { notes }),
    ...(messages === undefined ? {} : { messages }),
  };
}

/** Who uses the checkout: anybody. */
export interface Visitor {
  /** By which the limits know a client. */
  readonly clientAddress: string;
}

/** An endpoint of the checkout API, which the pages use and nothing else. */
export function checkoutEndpoint<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  R extends Responses,
>(spec: EndpointSpec<P, Q, B, R, Visitor>): Endpoint<Visitor> {
  return erased(spec);
}

/** Who uses the staff API. */
export interface StaffCaller {
  /** As the journal keeps it: `staff`, or `staff:NAME`. */
  readonly by: string;
  readonly role: StaffRole;
}

/** An endpoint of the staff API. */
export function staffEndpoint<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends Responses>(
  spec: EndpointSpec<P, Q, B, R, StaffCaller>,
): Endpoint<StaffCaller> {
  return erased(spec);
}

/** Who is about to show a staff token, or to leave. */
export interface StaffVisitor {
  /** What the session cookie holds; null: there is none. */
  readonly session: string | null;
  /** Who it is already; null: nobody, or nobody has checked. */
  readonly who: StaffCaller | null;
}

/** An endpoint of the staff API that opens or ends a session. */
export function staffSessionEndpoint<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  R extends Responses,
>(spec: EndpointSpec<P, Q, B, R, StaffVisitor>): Endpoint<StaffVisitor> {
  return erased(spec);
}

function erased<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends Responses, C>(
  spec: EndpointSpec<P, Q, B, R, C>,
): Endpoint<C> {
  const { summary, params, query, body, responses, errors, handle } = spec;
  return {
    summary,
    params,
    query,
    body,
    responses,
    errors,
    prepare: (raw) => {
      try {
        const checked = checkedBy(spec, raw);
        const ignored = [...ignoredNames(raw.query, checked.query), ...ignoredNames(raw.body, checked.body)];
        return { ignored, run: (admission, deps) => handle({ ...checked, ...admission }, deps) };
      } catch (error) {
        const ignored = [...ignoredBy(query, raw.query), ...ignoredBy(body, raw.body)];
        return { ignored, run: () => Promise.reject(error) };
      }
    },
  };
}

/** Throws 400 with the first problem found. */
function checkedBy<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject>(
  { params, query, body }: { readonly params: P; readonly query: Q; readonly body: B },
  raw: RawRequest,
) {
  return {
    params: validate(params, raw.params),
    query: validate(query, raw.query),
    body: validate(body, raw.body),
  };
}
