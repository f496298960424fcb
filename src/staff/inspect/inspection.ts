import { MACHINES } from '../../../machines/versions.ts';
import { activePath } from '../../engine/candidates.ts';
import { actorTime } from '../../engine/projection.ts';
import { ReplayError, replayOf } from '../../engine/replay.ts';
import { newestState } from '../../engine/upcast.ts';
import { notFound } from '../../errors/fault.ts';
import { messageOf } from '../../errors/message-of.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { jsonMap, momentsOf } from '../../http/schemas.ts';
import type { ActorDoc, ActorKind, JournalRow, StoredActor } from '../../store/documents.ts';
import type { GeneralPart } from '../wire.ts';
import { actionsOn } from './actions.ts';
import { verdictsOn } from './events.ts';
import { type Inspected, machineOf } from './inspected.ts';
import { journalEntryOf } from './journal.ts';
import { waitsOf } from './waits.ts';

/** The staff console reads further rows step by step. */
const JOURNAL_SHOWN = 200;

/** Throws 404. */
export async function requireActor(
  { store }: Pick<HttpDeps, 'store'>,
  kind: ActorKind,
  id: string,
): Promise<StoredActor> {
  const [doc] = await store.actors.load(kind, [id]);
  if (!doc) throw notFound();
  return doc;
}

/**
 * An actor in the shape of the newest version of its machine, with which the service works; as stored if an upcast is
 * impossible.
 */
export function asNewest(stored: ActorDoc): { readonly doc: ActorDoc; readonly unsound: string | null } {
  try {
    const { value, context } = newestState(MACHINES, stored);
    MACHINES[stored.kind].current.context.parse(context);
    return { doc: { ...stored, value, context }, unsound: null };
  } catch (error) {
    return { doc: stored, unsound: messageOf(error) };
  }
}

/** The part that all actors share. */
export async function generalPart(
  deps: HttpDeps,
  stored: StoredActor,
  rows: readonly JournalRow[],
): Promise<GeneralPart> {
  const { doc, unsound } = asNewest(stored);
  return {
    ...(await machinePart(deps, doc, unsound, { ...stored, journal: undefined })),
    spellings: spellingsOf(doc),
    journal: rows.slice(-JOURNAL_SHOWN).map(journalEntryOf),
    replay: replayVerdict(stored, rows),
  };
}

/** The part of whatever has a machine. */
export async function machinePart(
  deps: HttpDeps,
  doc: Inspected,
  unsound: string | null,
  stored: object,
): Promise<Omit<GeneralPart, 'spellings' | 'journal' | 'replay'>> {
  const version = machineOf(doc.kind);
  const [merchant] = await deps.store.records.get('merchants', [doc.merchantId]);
  const real = deps.clock();
  const path = unsound === null ? activePath(version.machine, doc.value) : [];
  const events = unsound === null ? verdictsOn(version, doc, real) : [];
  const takesNoEvent = doc.quarantine !== null || unsound !== null;
  return {
    kind: doc.kind,
    id: doc._id,
    merchant: { id: doc.merchantId, name: merchant?.name ?? '', status: merchant?.status ?? 'active' },
    mode: doc.mode,
    status: doc.status,
    ...momentsOf(doc),
    now: actorTime(real, doc.clockOffsetMs),
    clockOffsetMs: doc.clockOffsetMs,
    rev: doc.rev,
    path: path.map(({ id, description }) => ({ id, description })),
    waits: unsound === null ? waitsOf(doc, path[0]?.id ?? '') : null,
    events,
    actions: actionsOn(doc.kind, doc._id, events, takesNoEvent),
    stored: jsonMap.parse(JSON.parse(JSON.stringify(stored))),
    quarantine: doc.quarantine && { at: doc.quarantine.at.toISOString(), reason: doc.quarantine.reason },
    unsound,
  };
}

function spellingsOf({ kind, _id, attributes }: ActorDoc): string[] {
  if (kind !== 'payment' || attributes['subscriptionId'] === null) return [];
  const suffix = _id.slice(_id.indexOf('_') + 1);
  return [`inv_${suffix}`, `sub-pay-${suffix}`];
}

function replayVerdict(stored: ActorDoc, rows: readonly JournalRow[]): GeneralPart['replay'] {
  try {
    replayOf(MACHINES, stored, rows);
    return { matches: true, problem: null };
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    return { matches: false, problem: error.message };
  }
}
