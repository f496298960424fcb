import { messageOf } from '../../../errors/message-of.ts';
import type { ChargeDoc, ChargeRefusal, ChargeState, SignedMandate } from '../../../store/collections.ts';
import type { RecordStore } from '../../../store/port.ts';
import { type Announced, announcementId, isUsable } from '../../announcements.ts';
import { type MandatesById, mandateFault, mandateOf } from '../../mandate-reader.ts';
import {
  type AgreementState,
  type MandateCall,
  type MandateReason,
  type MandateVerdict,
  pullReasonOf,
  underMandate,
  withAmounts,
} from '../../mandate-rules.ts';
import { inWords, MANDATE_WORDS } from '../../mandate-words.ts';
import type { RefusalFact } from '../../port.ts';
import { NodeUnreachable } from '../../rpc.ts';
import { isEd25519Signed } from '../../signatures.ts';
import { readAnnouncements } from '../announcements.ts';
import type { SolanaContext } from '../context.ts';
import { namesMandate, solanaMandateHash } from '../mandates.ts';
import {
  type AgreementQuery,
  type AgreementReading,
  agreementName,
  numberReference,
  readAgreements,
} from '../read-agreements.ts';
import type { NumberedCharge } from '../transaction.ts';

type Context = Pick<SolanaContext, 'clock' | 'delegates' | 'agreements' | 'troubles' | 'log' | 'chainId'> & {
  readonly records: Pick<RecordStore, 'get' | 'find'>;
  readonly link: Pick<SolanaContext['link'], 'upToDate'>;
};

interface RefusedCharge {
  readonly charge: ChargeDoc;
  readonly why: RefusalFact;
  readonly block: null;
  readonly note: { readonly refusal: ChargeRefusal };
}

export interface KeptCharge {
  readonly charge: ChargeDoc;
  /** Null: it names no mandate. */
  readonly numbered: (NumberedCharge & { readonly agreement: string }) | null;
}

/** The verdicts on charges that were taken for signing. */
export interface Kept {
  /** They keep to their mandates, or name none. */
  readonly kept: readonly KeptCharge[];
  readonly refused: readonly RefusedCharge[];
  /** Another charge of the agreement can still land, or the chain does not show enough. */
  readonly waiting: readonly ChargeDoc[];
  /** The agreements that stay reserved until the kept charges are signed. */
  readonly reserved: readonly string[];
}

/** The states of a charge that can still land. */
const IN_FLIGHT: ReadonlySet<ChargeState> = new Set(['started', 'sent']);
/** The states of a charge that has moved money, or still can. */
const MADE = ['started', 'sent', 'mined', 'final'] as const satisfies readonly ChargeState[];
/** How many of the newest charges of an agreement are read, and of its mandates. */
const NEWEST = 50;

/**
 * Enforces Solana's mandates (docs/rules.md, "Operators, consent, allowances"): nothing is signed under a mandate
 * before this function has compared it with the payer's signature, and with the charges before. The chain says which
 * charges there were (`readAgreements`), and when a recipient was announced. Documents can only make it wait: those of
 * charges that other processes have started.
 *
 * The charges must be stored as `started` before the call. Of two processes that take charges of one agreement at the
 * same time, at least one then sees the charge of the other. One charge of each agreement is decided at a time.
 */
export async function keepToMandates(ctx: Context, started: readonly ChargeDoc[]): Promise<Kept> {
  const open = started.filter(({ mandate }) => mandate === undefined);
  const bounded = started.filter(({ mandate }) => mandate !== undefined);
  const kept = open.map((charge): KeptCharge => ({ charge, numbered: null }));
  if (bounded.length === 0) return { kept, refused: [], waiting: [], reserved: [] };
  const { mandates, noted } = await readDocuments(ctx, bounded);
  const { signed, refused } = signedOnly(bounded, mandates);
  const next = signed.filter(({ name }) => ctx.agreements.reserve(name));
  const names = next.map(({ name }) => name);
  try {
    const decided = await decide(ctx, next, noted);
    const chosen = new Set(decided.kept.flatMap(({ numbered }) => numbered?.agreement ?? []));
    ctx.agreements.release(names.filter((name) => !chosen.has(name)));
    const later = signed.filter((each) => !next.includes(each)).map(({ charge }) => charge);
    return {
      kept: [...kept, ...decided.kept],
      refused: [...refused, ...decided.refused],
      waiting: [...later, ...decided.waiting],
      reserved: [...chosen],
    };
  } catch (error) {
    ctx.agreements.release(names);
    throw error;
  }
}

/** A charge under a mandate that its payer has signed. */
interface SignedCharge {
  readonly charge: ChargeDoc;
  readonly mandate: SignedMandate;
  readonly name: string;
}

interface Documents {
  readonly mandates: ReadonlyMap<string, SignedMandate>;
  /** What other documents say of agreements, by name. They can only make a charge wait. */
  readonly noted: ReadonlyMap<string, Noted>;
}

interface Noted {
  /** Another process has started a charge that can still land. */
  readonly isOpen: boolean;
  /** The newest block with a charge: what the chain shows must be as new. */
  readonly slot: number;
  readonly txHashes: ReadonlySet<string>;
}

const NOTHING_NOTED: Noted = { isOpen: false, slot: 0, txHashes: new Set() };

async function readDocuments({ records }: Context, bounded: readonly ChargeDoc[]): Promise<Documents> {
  const own = await records.get('mandates', [...new Set(bounded.flatMap(({ mandate }) => mandate?.id ?? []))]);
  const agreements = [...new Set(own.map(({ agreement }) => agreement))];
  const limit = Math.max(1, agreements.length) * NEWEST;
  const found = await records.find('mandates', { where: { agreement: { in: agreements } }, limit });
  const mandates = new Map([...found, ...own].map((mandate) => [mandate._id, mandate]));
  const made = await records.find('charges', {
    where: { 'mandate.id': { in: [...mandates.keys()] }, state: { in: MADE } },
    sort: [['createdAt', -1]],
    limit,
  });
  const ids = new Set(bounded.map(({ _id }) => _id));
  const noted = new Map<string, Noted>();
  for (const charge of made.filter(({ _id }) => !ids.has(_id))) {
    const mandate = mandateOf(charge, mandates);
    if (mandate === null) continue;
    const name = agreementName(mandate);
    noted.set(name, withCharge(noted.get(name) ?? NOTHING_NOTED, charge));
  }
  return { mandates, noted };
}

function withCharge({ isOpen, slot, txHashes }: Noted, { state, block, txHash }: ChargeDoc): Noted {
  return {
    isOpen: isOpen || IN_FLIGHT.has(state),
    slot: Math.max(slot, block?.number ?? 0),
    txHashes: txHash === null ? txHashes : new Set([...txHashes, txHash]),
  };
}

/** The charges whose mandates their payers have signed, and the refusals of the others. */
function signedOnly(bounded: readonly ChargeDoc[], mandates: MandatesById) {
  const signed: SignedCharge[] = [];
  const refused: RefusedCharge[] = [];
  for (const charge of bounded) {
    const mandate = mandateOf(charge, mandates);
    const fault = mandateFault(charge, mandates);
    if (mandate === null || fault !== null)
      refused.push(refusalOf(charge, { kind: 'other_mandate', text: `the charge ${fault}` }));
    else if (!isSigned(mandate)) refused.push(refusalOf(charge, { kind: 'bad_signature', payer: mandate.payer }));
    else signed.push({ charge, mandate, name: agreementName(mandate) });
  }
  return { signed, refused };
}

function isSigned(mandate: SignedMandate): boolean {
  const { _id, payer, message, signature } = mandate;
  const hash = solanaMandateHash(mandate);
  return hash === _id && namesMandate(message, hash) && isEd25519Signed(payer, message, signature);
}

type Refusal = MandateReason | { readonly kind: 'other_mandate'; readonly text: string };

function refusalOf(charge: ChargeDoc, refusal: Refusal): RefusedCharge {
  const { kind } = refusal;
  const isOther = kind === 'other_mandate';
  const reason = isOther ? 'pull_reverted' : pullReasonOf(refusal);
  const text = isOther ? refusal.text : inWords(MANDATE_WORDS, refusal);
  return { charge, why: { kind: 'refused', reason, landed: false }, block: null, note: { refusal: { kind, text } } };
}

/** Decides on charges of different agreements. */
async function decide(
  ctx: Context,
  charges: readonly SignedCharge[],
  noted: Documents['noted'],
): Promise<Pick<Kept, 'kept' | 'refused' | 'waiting'>> {
  const kept: KeptCharge[] = [];
  const refused: RefusedCharge[] = [];
  const waiting: ChargeDoc[] = [];
  const open = charges.filter(({ name }) => noted.get(name)?.isOpen !== true);
  const facts = await readFacts(ctx, open, noted);
  for (const each of charges) {
    const reading = facts?.readings.get(each.name);
    const known = reading === undefined ? null : knownOf(ctx, each, reading, noted.get(each.name) ?? NOTHING_NOTED);
    const verdict = known === null ? null : verdictOn(ctx, each, known.state, facts?.payable ?? new Set());
    if (known === null || verdict === null || verdict.kind === 'seen') waiting.push(each.charge);
    else if (verdict.kind === 'kept')
      kept.push({ charge: each.charge, numbered: numberedOf(ctx, each, known, verdict) });
    else refused.push(refusalOf(each.charge, verdict));
  }
  return { kept, refused, waiting };
}

interface Facts {
  readonly readings: ReadonlyMap<string, AgreementReading>;
  /** The ids of the announcements of recipients that can be paid now. */
  readonly payable: ReadonlySet<string>;
}

const UNREAD = 'mandates';

/** What the chain says. Null: it does not say everything now, and the charges wait. */
async function readFacts(
  ctx: Context,
  charges: readonly SignedCharge[],
  noted: Documents['noted'],
): Promise<Facts | null> {
  const asked = charges.map(({ name, mandate, charge }): AgreementQuery => {
    return { name, mandate, likely: cycleOf(charge) };
  });
  const slot = Math.max(0, ...charges.map(({ name }) => noted.get(name)?.slot ?? 0));
  try {
    const readings = asked.length === 0 ? new Map() : await readAgreements(ctx, asked, slot);
    const payable = await readPayable(ctx, charges);
    ctx.troubles.set(UNREAD, null);
    return { readings, payable };
  } catch (error) {
    if (error instanceof NodeUnreachable) return null;
    const { chainId, log } = ctx;
    const sentence = `charges under mandates wait: ${messageOf(error)}`;
    if (ctx.troubles.set(UNREAD, sentence)) log.error({ chainId, error: messageOf(error) }, sentence);
    return null;
  }
}

/** The recipients that no mandate names, that are announced, and whose delay is over by document and chain. */
async function readPayable(ctx: Context, charges: readonly SignedCharge[]): Promise<ReadonlySet<string>> {
  const strangers = charges.flatMap(({ charge, mandate: { payees, platform } }) => {
    const others = charge.shares.filter(({ to }) => to !== platform && !payees.includes(to));
    return others.map(({ to }) => announcedFor(charge, to));
  });
  if (strangers.length === 0) return new Set();
  const found = await ctx.records.get('announcements', [...new Set(strangers.map(announcementId))]);
  const now = ctx.clock();
  // A write to the database can end the wait in the document, and one node the wait on the chain: both must be over.
  const announced = found.filter((announcement) => isUsable(announcement, now));
  const shown = await readAnnouncements(ctx, announced);
  return new Set([...shown].filter(([, { from }]) => from <= now).map(([id]) => id));
}

function announcedFor({ merchantId, mode, chainId }: ChargeDoc, payee: string): Announced {
  return { merchantId, mode, chainId, router: null, payee };
}

type Known = Extract<AgreementReading, { kind: 'known' }>;

/** Null: nothing may be signed now, and a trouble says why. */
function knownOf(ctx: Context, { charge, mandate }: SignedCharge, reading: AgreementReading, { txHashes }: Noted) {
  if (reading.kind === 'in_flight') return null;
  const { chainId, log, troubles } = ctx;
  const sentence = faultOf(mandate, reading, txHashes);
  const isNew = troubles.set(`mandate:${mandate._id}`, sentence);
  if (isNew && sentence !== null) log.error({ chainId, chargeId: charge._id, mandate: mandate._id }, sentence);
  return reading.kind === 'known' ? reading : null;
}

function faultOf(
  { _id }: SignedMandate,
  reading: Exclude<AgreementReading, { kind: 'in_flight' }>,
  txHashes: ReadonlySet<string>,
): string | null {
  if (reading.kind === 'unsure') return `charges under mandate ${_id} wait: ${reading.why}`;
  const { number, txHash } = reading;
  if (txHash === null || txHashes.has(txHash)) return null;
  return `the database lacks charge ${number} under the agreement of mandate ${_id}, transaction ${txHash}; the chain's count holds`;
}

function verdictOn(
  ctx: Context,
  { charge, mandate }: SignedCharge,
  state: AgreementState,
  payable: ReadonlySet<string>,
): MandateVerdict {
  return underMandate(state, {
    ...termsOf(mandate),
    cycle: BigInt(cycleOf(charge)),
    shares: charge.shares.map(({ to, amount }) => ({ to, amount: BigInt(amount) })),
    now: BigInt(Math.floor(ctx.clock().getTime() / 1_000)),
    isAnnounced: (payee) => payable.has(announcementId(announcedFor(charge, payee))),
    isSigned: () => true,
  });
}

function numberedOf(
  ctx: Context,
  { charge, mandate, name }: SignedCharge,
  { number: before }: Known,
  { state }: Extract<MandateVerdict, { kind: 'kept' }>,
): KeptCharge['numbered'] {
  const number = before + 1;
  const record = { number, cycle: cycleOf(charge), state: { ...state, inForce: mandate._id } };
  return { record, reference: numberReference(ctx, name, number), agreement: name };
}

function cycleOf({ mandate }: ChargeDoc): number {
  return mandate?.cycle ?? 0;
}

function termsOf(mandate: SignedMandate): Pick<MandateCall, 'mandate' | 'hash'> {
  return { mandate: withAmounts(mandate), hash: mandate._id };
}
