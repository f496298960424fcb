import { z } from 'zod';
import type { MerchantDoc } from '../store/collections.ts';
import type { Tenant } from '../store/tenant.ts';
import type { HttpDeps } from './deps.ts';
import { ignoredNames } from './input/ignored.ts';
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

/** A request that has been found well-formed. */
export interface Prepared<C> {
  /** Names of body fields and query parameters that the endpoint does not know. */
  readonly ignored: readonly string[];
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
  /** Throws 400 with the first problem found. */
  prepare(raw: RawRequest): Prepared<C>;
}

/** For an endpoint without path parameters, without query parameters, or without a body. */
export const none = z.object({});

/** An endpoint of the merchant API. */
export function endpoint<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends Responses>(
  spec: EndpointSpec<P, Q, B, R, Caller>,
): Endpoint<Caller> {
  return erased(spec);
}

/** Who uses the staff API. */
export interface StaffCaller {
  readonly by: string;
}

/** An endpoint of the staff API. */
export function staffEndpoint<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodObject, R extends Responses>(
  spec: EndpointSpec<P, Q, B, R, StaffCaller>,
): Endpoint<StaffCaller> {
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
      const checked = {
        params: validate(params, raw.params),
        query: validate(query, raw.query),
        body: validate(body, raw.body),
      };
      const ignored = [...ignoredNames(raw.query, checked.query), ...ignoredNames(raw.body, checked.body)];
      return { ignored, run: (admission, deps) => handle({ ...checked, ...admission }, deps) };
    },
  };
}
