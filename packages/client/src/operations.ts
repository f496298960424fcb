import type { paths } from './schema.ts';

/** All types of the API are derived from the types generated from its document; no shape is written twice. */
type Verb = 'get' | 'post' | 'patch' | 'put' | 'delete';

type Path = keyof paths & string;

/** Every operation of the document, as `POST /offers`. */
export type OperationName = {
  [P in Path]: {
    [V in Verb]: paths[P][V] extends { responses: unknown } ? `${Uppercase<V>} ${P}` : never;
  }[Verb];
}[Path];

type Operation<Name extends OperationName> = Name extends `${infer Method} ${infer P extends Path}`
  ? paths[P][Lowercase<Method> & Verb]
  : never;

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;

type BodyArgs<Op> = Op extends { requestBody: infer Content }
  ? [body: Given<Json<Content>>]
  : Op extends { requestBody?: infer Content }
    ? [NonNullable<Content>] extends [never]
      ? []
      : [body?: Given<Json<NonNullable<Content>>>]
    : [];

type QueryArgs<Op> = Op extends { parameters: { query: infer Query } }
  ? [query: Given<Query>]
  : Op extends { parameters: { query?: infer Query } }
    ? [NonNullable<Query>] extends [never]
      ? []
      : [query?: Given<NonNullable<Query>>]
    : [];

/** One id for each placeholder of the path, in its order. */
type Ids<Name extends string> = Name extends `${string}{${string}}${infer Rest}` ? [id: string, ...Ids<Rest>] : [];

/** The body, if the request has one; else the query parameters. */
type Input<Op> = BodyArgs<Op> extends [] ? QueryArgs<Op> : BodyArgs<Op>;

/** A `T` as callers pass it: also readonly, and with `undefined` for an optional field, which omits it. */
type Given<T> = T extends object
  ? { readonly [Key in keyof T]: Given<T[Key]> | (Record<never, never> extends Pick<T, Key> ? undefined : never) }
  : T;

/** The arguments before the options: ids, then body or query. */
export type Args<Name extends OperationName> = [...Ids<Name>, ...Input<Operation<Name>>];

/** The body of an operation's success. */
export type Result<Name extends OperationName> =
  Operation<Name> extends { responses: infer Responses }
    ? { [Status in keyof Responses & (200 | 201 | 202)]: Json<Responses[Status]> }[keyof Responses & (200 | 201 | 202)]
    : never;

/** Operations with a body. */
export type Sending = { [N in OperationName]: BodyArgs<Operation<N>> extends [] ? never : N }[OperationName];

/** Creates with an `idempotencyKey` (reference, section 8). */
export type Creating = {
  [N in Sending]: 'idempotencyKey' extends keyof NonNullable<BodyArgs<Operation<N>>[0]> ? N : never;
}[Sending];

/** Operations with query parameters and no body. */
export type Asking = {
  [N in Exclude<OperationName, Sending>]: QueryArgs<Operation<N>> extends [] ? never : N;
}[Exclude<OperationName, Sending>];

/** Operations with nothing but ids. */
export type Plain = Exclude<OperationName, Sending | Asking>;
