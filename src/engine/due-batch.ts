import type { EventOf } from '../../machines/versions.ts';
import type { Log } from '../observability/log.ts';
import type { ActorDoc, ActorKind, StoredActor } from '../store/documents.ts';
import type { Dispatch, Dispatched } from './types.ts';
import { UnknownVersion } from './upcast.ts';

/** The event for a due actor, with every fact that the machine needs. */
export type DueEvent = { readonly [K in ActorKind]: { readonly kind: K; readonly event: EventOf<K> } }[ActorKind];

/** Why the domain has no event for a due actor. The engine then quarantines it. */
export interface Objection {
  readonly objection: string;
}

/** The domain's event, or objection, for each due document, in the same order. */
export type DueEvents = (docs: readonly ActorDoc[]) => Promise<readonly (DueEvent | Objection)[]>;

export interface DueBatchDeps {
  readonly clock: () => Date;
  readonly log: Log;
  readonly dispatch: (request: Dispatch) => Promise<Dispatched>;
  /** Why a document is unsound, or null. The domain sees only sound documents. */
  readonly unsoundness: (doc: StoredActor) => string | null;
  readonly dueEvents: DueEvents;
  readonly quarantine: (doc: ActorDoc, reason: string) => Promise<void>;
}

type Request = Dispatch & { readonly seen: StoredActor };

/**
 * Dispatches its event to each due actor independently. Throws if all fail, because then the cause is none of theirs.
 */
export async function dispatchBatch(deps: DueBatchDeps, docs: readonly StoredActor[]): Promise<void> {
  const asked = deps.clock();
  const requests = await requestsFor(deps, await soundOf(deps, docs));
  const results = await Promise.allSettled(
    requests.map(async (request) => quarantineIfStillDue(deps, await deps.dispatch(request), request.seen, asked)),
  );
  requireSome(deps.log, requests, results);
}

async function soundOf(deps: DueBatchDeps, docs: readonly StoredActor[]): Promise<StoredActor[]> {
  const judged = docs.map((doc) => ({ doc, why: deps.unsoundness(doc) }));
  await Promise.all(judged.map(({ doc, why }) => why !== null && deps.quarantine(doc, why)));
  return judged.filter(({ why }) => why === null).map(({ doc }) => doc);
}

/**
 * Asks the domain about all at once, and about each alone if that fails, so that one bad document does not fail all.
 */
async function requestsFor(deps: DueBatchDeps, docs: readonly StoredActor[]): Promise<Request[]> {
  try {
    const events = await deps.dueEvents(docs);
    if (events.length !== docs.length) throw new Error(`${events.length} events for ${docs.length} actors`);
    const requests = await Promise.all(docs.map((doc, index) => requestOf(deps, doc, events[index])));
    return requests.filter((each) => each !== null);
  } catch (error) {
    if (docs.length === 1) throw error;
    const alone = await Promise.allSettled(docs.map((doc) => requestsFor(deps, [doc])));
    const ids = docs.map(({ _id: id }) => ({ id }));
    requireSome(deps.log, ids, alone);
    return alone.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
  }
}

async function requestOf(
  deps: DueBatchDeps,
  doc: StoredActor,
  due: DueEvent | Objection | undefined,
): Promise<Request | null> {
  if (!due) return null;
  if (!('objection' in due)) return { ...due, id: doc._id, by: 'wake', seen: doc };
  await deps.quarantine(doc, due.objection);
  return null;
}

/** Throws if all have failed. An actor that newer code has upcast since the scan has not failed. */
function requireSome(
  log: Log,
  actors: readonly { readonly id: string }[],
  results: readonly PromiseSettledResult<unknown>[],
): void {
  const failed: unknown[] = [];
  for (const [index, result] of results.entries()) {
    if (result.status === 'fulfilled' || result.reason instanceof UnknownVersion) continue;
    failed.push(result.reason);
    const actor = actors[index]?.id;
    log.warn({ actor, err: result.reason }, 'a due actor got no event; the next tick tries again');
  }
  if (failed.length > 0 && failed.length === results.length) throw failed[0];
}

/**
 * Quarantines an actor that is still due, as before its event: every scan would find it again. An actor that changed
 * since the scan got the event of an older state, so it is left for the next scan.
 */
async function quarantineIfStillDue(
  deps: DueBatchDeps,
  result: Dispatched,
  seen: StoredActor,
  asked: Date,
): Promise<void> {
  if (result.kind !== 'refused' && result.kind !== 'taken') return;
  const { rev, wakeAt } = result.doc;
  if (wakeAt === null || wakeAt > asked) return;
  const isChanged = result.kind === 'taken' && result.changed;
  const hasMoved = isChanged ? wakeAt.getTime() !== seen.wakeAt?.getTime() : rev !== seen.rev;
  if (hasMoved) return;
  await deps.quarantine(result.doc, `due since ${wakeAt.toISOString()}, but its machine takes no event`);
}
