import type { paths } from './schema.ts';

/** All types of the API are derived from the types generated from its document; no shape is written twice. */
type Path = keyof paths & string;

type VerbOf<P extends Path> = Exclude<keyof paths[P] & string, 'parameters'>;

/** Every operation of the document, as `POST /offers`. */
export type OperationName = {
  [P in Path]: {
    [V in VerbOf<P>]: `${Uppercase<V>} ${P}`;
  }[VerbOf<P>];
}[Path];

type Operation<Name extends OperationName> = Name extends `${infer Method} ${infer P extends Path}`
  ? paths[P][Lowercase<Method> & VerbOf<P>]
  : never;

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;

type BodyArgs<Op> = Op extends { requestBody: infer Content }
  ? [body: Given<Json<Content>>]
  : 'requestBody' extends keyof Op
    ? [body?: Given<Json<NonNullable<Op['requestBody']>>>]
    : [];

type QueryArgs<Op> = Op extends { parameters: { query: infer Query } }
  ? [query: Given<Query>]
  : Op extends { parameters: infer Parameters extends { query?: unknown } }
    ? 'query' extends keyof Parameters
      ? [query?: Given<NonNullable<Parameters['query']>>]
      : []
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
