import type { Log } from '../observability/log.ts';
import { pendingOf } from '../store/actors/log-actors.ts';
import { UNDER_WAY_MS } from '../store/actors/timers.ts';
import type { ActorKind, OutboxDoc, OutboxEntry, OutboxSource, Quarantine, WithOutbox } from '../store/documents.ts';
import { areEffects } from './projection.ts';
import { isActor, type Relay, type Relayed } from './relay.ts';
import type { Scanner, ScannerDeps } from './scanner.ts';
import { isKnown } from './upcast.ts';

/** How long an outbox waits whose effects can neither run nor be dropped, in milliseconds. */
const POSTPONED_MS = 50_000;

const UNREADABLE = 'an outbox is unreadable; its effects do not run until somebody repairs it';

export interface LeftBehindDeps extends ScannerDeps {
  readonly log: Log;
  readonly scanner: Pick<Scanner, 'leftBehind'>;
  readonly relay: Pick<Relay, 'take' | 'ended' | 'left'>;
  readonly quarantine: (kind: ActorKind, id: string, reason: string) => Promise<void>;
}

/** A document with the effects of one outbox. */
type Owner = Relayed & WithOutbox & { readonly quarantine: Quarantine | null; readonly isReadable: boolean };

/**
 * One pass over outboxes that nobody drains: their process died, or their effects failed. Resolves with the number of
 * documents whose effects it ran.
 */
export async function relayLeftBehind(deps: LeftBehindDeps, source: OutboxSource): Promise<number> {
  const outboxes = await deps.scanner.leftBehind(source);
  const counts = await Promise.all(outboxes.map((outbox) => drain(deps, outbox)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function drain(deps: LeftBehindDeps, outbox: OutboxDoc): Promise<number> {
  const { entries } = outbox;
  await reportDamaged(deps, outbox);
  const owners = await ownersOf(deps, outbox);
  const verdicts = entries.map((entry) => verdictOf(outbox, entry, owners.get(entry.documentId)));
  const taken = entries.flatMap(({ documentId }, index) =>
    verdicts[index] === 'runs' ? (owners.get(documentId) ?? []) : [],
  );
  for (const owner of taken) deps.relay.take(outbox.source, owner, null);
  await Promise.all(taken.map(({ _id }) => deps.relay.ended(_id)));
  const left = entries.flatMap((entry, index) => {
    if (verdicts[index] === 'waits') return [entry];
    const effects = verdicts[index] === 'runs' ? deps.relay.left(entry.effects) : [];
    return effects.length > 0 ? [{ ...entry, effects }] : [];
  });
  await keep(deps, outbox, left, verdicts.includes('waits') && taken.length === 0);
  return taken.length;
}

/**
 * `over`: the commit was not made, a later one has taken over its effects, or it has none. `waits`: nothing is certain
 * yet.
 */
type Verdict = 'runs' | 'over' | 'waits';

function verdictOf({ _id, createdAt, at }: OutboxDoc, entry: OutboxEntry, owner: Owner | undefined): Verdict {
  if (owner === undefined || owner.rev < entry.rev) {
    // `at` moves with every pause, so even the outbox of a clock that is behind has waited before it is dropped.
    return at.getTime() - createdAt.getTime() > UNDER_WAY_MS ? 'over' : 'waits';
  }
  if (!areEffects(entry.effects)) return 'waits';
  if (owner.outboxId !== _id || entry.effects.length === 0) return 'over';
  return owner.quarantine === null && owner.isReadable ? 'runs' : 'waits';
}

/** Somebody may have damaged effects in the database. Those of other documents run. */
async function reportDamaged(deps: LeftBehindDeps, { _id, source, entries }: OutboxDoc): Promise<void> {
  for (const { documentId, effects } of entries) {
    if (areEffects(effects)) continue;
    deps.log.error({ source, id: documentId, outbox: _id }, UNREADABLE);
    if (isActor(source)) await deps.quarantine(source, documentId, `its effects in the outbox ${_id} are no list`);
  }
}

async function ownersOf({ store, machines }: LeftBehindDeps, outbox: OutboxDoc): Promise<ReadonlyMap<string, Owner>> {
  const { source } = outbox;
  const ids = outbox.entries.map(({ documentId }) => documentId);
  if (!isActor(source)) {
    const docs = await store.records.get(source, ids);
    const owners = docs.map((doc) => ({ ...doc, ...pendingOf(doc._id, outbox), quarantine: null, isReadable: true }));
    return new Map(owners.map((owner) => [owner._id, owner]));
  }
  const docs = await store.actors.load(source, ids);
  // The process that should have stored the heads may have died.
  await store.actors.writeHeads(source, docs);
  return new Map(docs.map((doc) => [doc._id, { ...doc, isReadable: isKnown(machines, doc) }]));
}

/** Stores the rest of an outbox. `waits`: it is tried again after a pause. */
async function keep(
  { store, clock }: LeftBehindDeps,
  { _id, entries }: OutboxDoc,
  left: readonly OutboxEntry[],
  waits: boolean,
): Promise<void> {
  if (left.length === 0) {
    await store.records.remove('outbox', [_id]);
    return;
  }
  const at = waits ? { at: new Date(clock().getTime() + POSTPONED_MS) } : {};
  if (waits || left.length < entries.length) {
    await store.records.change('outbox', _id, {}, { set: { entries: left, ...at } });
  }
}
