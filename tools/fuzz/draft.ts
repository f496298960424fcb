import fc from 'fast-check';
import type { ApiDocument, Operation, Parameter } from './document.ts';
import { hostileChange, hostileKey, hostileText } from './hostile.ts';
import type { Mutation } from './mutation.ts';
import { type Entry, type MapNode, mapNode, type Node } from './node.ts';
import {
  type BodyTrick,
  BY_LENGTH,
  type Framing,
  type Header,
  type KeyTrick,
  OWN_KEY,
  type PathTrick,
  PLAIN_PATH,
  tricks,
} from './tricks.ts';
import { valuesOf } from './values.ts';

/** A drawn request whose ids are not chosen yet. */
export interface Draft {
  readonly operation: Operation;
  readonly mode: 'test' | 'live';
  /** Decides which of the known resources the request is about. */
  readonly nth: number;
  readonly path: MapNode;
  readonly query: MapNode;
  /** null: no body. */
  readonly body: Node | null;
  readonly mutations: readonly Mutation[];
  readonly pathTrick: PathTrick;
  readonly keyTrick: KeyTrick;
  readonly headerTricks: readonly Header[];
  /** null: the body stays as it is. */
  readonly bodyTrick: BodyTrick | null;
  readonly framing: Framing;
}

const NTH_MAX = 40;

/** How often an operation is drawn: creating more often than deleting. */
function weightOf({ method, id }: Operation): number {
  if (id === 'createSubscription' || id.startsWith('sandbox')) return 5;
  if (method === 'POST' && id.startsWith('create')) return 4;
  return method === 'DELETE' ? 1 : 2;
}

/** Requests for these operations. Throws if there are none. */
export function draftsOf(document: ApiDocument, operations: readonly Operation[]): fc.Arbitrary<Draft> {
  if (operations.length === 0) throw new Error('no operation was chosen');
  return fc.oneof(
    ...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: draftOf(document, operation) })),
  );
}

function draftOf(document: ApiDocument, operation: Operation): fc.Arbitrary<Draft> {
  const parametersIn = (part: Parameter['in']) => operation.parameters.filter((one) => one.in === part);
  const base = fc.record({
    operation: fc.constant(operation),
    mode: fc.oneof(
      { weight: 4, arbitrary: fc.constant<Draft['mode']>('test') },
      { weight: 1, arbitrary: fc.constant<Draft['mode']>('live') },
    ),
    nth: fc.nat(NTH_MAX),
    path: valuesFor(document, operation, parametersIn('path'), true),
    query: valuesFor(document, operation, parametersIn('query'), false),
    body: bodiesOf(document, operation),
  });
  // Hostility is taken away first: while it is there, other parts may be needed for it alone.
  return fc.tuple(hostility, base).map(([hostile, drawn]) => ({ ...drawn, ...hostile }));
}

function valuesFor(
  document: ApiDocument,
  { id }: Operation,
  parameters: readonly Parameter[],
  isAllThere: boolean,
): fc.Arbitrary<MapNode> {
  const entries = parameters.map(({ name, schema }) => {
    const entry = valuesOf(document, schema, id, name).map((node): Entry => [name, node]);
    return isAllThere ? entry : fc.option(entry, { freq: 2 });
  });
  return fc.tuple(...entries).map((found) => mapNode(found.filter((entry) => entry !== null)));
}

function bodiesOf(document: ApiDocument, { id, body, isBodyRequired }: Operation): fc.Arbitrary<Node | null> {
  if (body === null) return fc.constant(null);
  const values = valuesOf(document, body, id);
  return isBodyRequired ? values : fc.option(values, { freq: 10 });
}

type Hostility = Pick<Draft, 'mutations' | 'pathTrick' | 'keyTrick' | 'headerTricks' | 'bodyTrick' | 'framing'>;

const FRIENDLY: Hostility = {
  mutations: [],
  pathTrick: PLAIN_PATH,
  keyTrick: OWN_KEY,
  headerTricks: [],
  bodyTrick: null,
  framing: BY_LENGTH,
};

const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    part: fc.constantFrom<Mutation['part']>('body', 'body', 'body', 'body', 'query', 'path', 'path'),
    at: fc.nat(60),
    change: hostileChange,
  }),
  { minLength: 1, maxLength: 3 },
);

/**
 * Mostly friendly, which is the form that failures shrink to; otherwise one kind of hostility, and sometimes all of
 * them.
 */
const hostility: fc.Arbitrary<Hostility> = fc.oneof(
  { withCrossShrink: true },
  { weight: 8, arbitrary: fc.constant(FRIENDLY) },
  { weight: 10, arbitrary: mutations.map((changes) => ({ ...FRIENDLY, mutations: changes })) },
  { weight: 1, arbitrary: tricks.path.map((pathTrick) => ({ ...FRIENDLY, pathTrick })) },
  { weight: 1, arbitrary: tricks.key.map((keyTrick) => ({ ...FRIENDLY, keyTrick })) },
  {
    weight: 2,
    arbitrary: tricks.headers(hostileKey, hostileText).map((headerTricks) => ({ ...FRIENDLY, headerTricks })),
  },
  { weight: 2, arbitrary: tricks.body.map((bodyTrick) => ({ ...FRIENDLY, bodyTrick })) },
  { weight: 2, arbitrary: tricks.framing.map((framing) => ({ ...FRIENDLY, framing })) },
  {
    weight: 1,
    arbitrary: fc.record({
      mutations,
      pathTrick: tricks.path,
      keyTrick: fc.constant(OWN_KEY),
      headerTricks: tricks.headers(hostileKey, hostileText),
      bodyTrick: tricks.body,
      framing: tricks.framing,
    }),
  },
);
