import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { MACHINES } from '../../../machines/versions.ts';
import { activePath } from '../../engine/candidates.ts';
import { actorTime } from '../../engine/projection.ts';
import { ReplayError, replayOf, wholeJournal } from '../../engine/replay.ts';
import { journalOf } from '../../engine/replay-stored.ts';
import { newestState } from '../../engine/upcast.ts';
import { notFound } from '../../errors/fault.ts';
import { messageOf } from '../../errors/message-of.ts';
import type { HttpDeps } from '../../http/deps.ts';
import { jsonMap } from '../../http/schemas.ts';
import type { ActorDoc, ActorKind, JournalDoc } from '../../store/documents.ts';
import { depositSchema } from '../views.ts';
import { actionSchema, actionsOn } from './actions.ts';
import { answerSchema } from './answers.ts';
import { chargeSchema } from './charges.ts';
import { deliverySchema } from './deliveries.ts';
import { eventVerdict, verdictsOn } from './events.ts';
import { journalEntry, journalEntryOf } from './journal.ts';
import { paymentRow } from './payments.ts';
import { waitsOf, waitsSchema } from './waits.ts';

const note = z.strictObject({ name: z.string(), text: z.string() });
export type Note = z.output<typeof note>;

const related = z.strictObject({ kind: z.string(), id: z.string(), label: z.string() });

const general = {
  kind: z.enum(['subscription', 'payment', 'delivery']),
  id: z.string(),
  /** Its ids in other spellings. */
  spellings: z.array(z.string()),
  merchant: z.strictObject({ id: z.string(), name: z.string(), status: z.enum(['active', 'suspended']) }),
  mode: z.enum(['test', 'live']),
  status: z.string(),
  createdAt: moment,
  updatedAt: moment,
  /** By its own clock. */
  now: z.string(),
  clockOffsetMs: z.int(),
  rev: z.int(),
  /** Its present states, the innermost first. */
  path: z.array(z.strictObject({ id: z.string(), description: z.string().nullable() })),
  waits: waitsSchema.nullable(),
  events: z.array(eventVerdict),
  actions: z.array(actionSchema),
  /** The document as stored. */
  stored: jsonMap,
  quarantine: z.strictObject({ at: moment, reason: z.string() }).nullable(),
  /** Why its machine cannot run it; null: it can. */
  unsound: z.string().nullable(),
  /** The newest rows of its journal, the oldest of them first. */
  journal: z.array(journalEntry),
  /** Whether replay gives the stored state; null: it has no journal. */
  replay: z.strictObject({ matches: z.boolean(), problem: z.string().nullable() }).nullable(),
};

/** Everything about one subscription, payment or delivery. */
export const inspectionSchema = z.strictObject({
  ...general,
  title: z.string(),
  answers: z.array(answerSchema),
  notes: z.array(note),
  related: z.array(related),
  payments: z.array(paymentRow),
  charges: z.array(chargeSchema),
  deliveries: z.array(deliverySchema),
  deposits: z.array(depositSchema),
});
export type Inspection = z.output<typeof inspectionSchema>;
export type GeneralPart = Pick<Inspection, keyof typeof general>;

/** The staff console reads further rows step by step. */
const JOURNAL_SHOWN = 200;

/** Throws 404. */
export async function requireActor({ store }: Pick<HttpDeps, 'store'>, kind: ActorKind, id: string): Promise<ActorDoc> {
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

/** The journal of an actor, in order, with the rows that still wait in its outbox. */
export async function wholeJournalOf({ store }: Pick<HttpDeps, 'store'>, doc: ActorDoc): Promise<JournalDoc[]> {
  if (!MACHINES[doc.kind].journaled) return [];
  const written = await journalOf(store, doc._id);
  return wholeJournal(
    doc,
    written.filter(({ rev }) => rev <= doc.rev),
  );
}

/** The part that all kinds share. */
export async function generalPart(deps: HttpDeps, stored: ActorDoc, rows: readonly JournalDoc[]): Promise<GeneralPart> {
  const { doc, unsound } = asNewest(stored);
  const version = MACHINES[doc.kind].current;
  const [merchant] = await deps.store.records.get('merchants', [doc.merchantId]);
  const real = deps.clock();
  const path = unsound === null ? activePath(version.machine, doc.value) : [];
  const events = unsound === null ? verdictsOn(version, doc, real) : [];
  const takesNoEvent = doc.quarantine !== null || unsound !== null;
  return {
    kind: doc.kind,
    id: doc._id,
    spellings: spellingsOf(doc),
    merchant: { id: doc.merchantId, name: merchant?.name ?? '', status: merchant?.status ?? 'active' },
    mode: doc.mode,
    status: doc.status,
    createdAt: doc.createdAt.toISOString(),
    updatedAt: doc.updatedAt.toISOString(),
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
    journal: rows.slice(-JOURNAL_SHOWN).map(journalEntryOf),
    replay: replayVerdict(stored, rows),
  };
}

function spellingsOf({ kind, _id, attributes }: ActorDoc): string[] {
  if (kind !== 'payment' || attributes['subscriptionId'] === null) return [];
  const suffix = _id.slice(_id.indexOf('_') + 1);
  return [`inv_${suffix}`, `sub-pay-${suffix}`];
}

function replayVerdict(stored: ActorDoc, rows: readonly JournalDoc[]): GeneralPart['replay'] {
  if (!MACHINES[stored.kind].journaled) return null;
  try {
    replayOf(MACHINES, stored, rows);
    return { matches: true, problem: null };
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error;
    return { matches: false, problem: error.message };
  }
}
