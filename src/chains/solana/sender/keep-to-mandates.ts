import type { ChargeDoc, ChargeRefusal, ChargeState, MandateDoc, TransactionDoc } from '../../../store/collections.ts';
import type { RecordStore } from '../../../store/port.ts';
import { announcementId, isUsable } from '../../announcements.ts';
import { mandateFault, mandateOf } from '../../mandate-reader.ts';
import {
  type AgreementState,
  afterCharge,
  type MandateCall,
  type MandateReason,
  type MandateVerdict,
  NOTHING_CHARGED,
  pullReasonOf,
  underMandate,
} from '../../mandate-rules.ts';
import { mandateReasonInWords } from '../../mandate-words.ts';
import type { RefusalFact } from '../../port.ts';
import { isEd25519Signed } from '../../signatures.ts';
import { isGenuine } from '../announcements.ts';
import type { SolanaContext } from '../context.ts';
import { namesMandate, solanaMandateHash } from '../mandates.ts';

type Context = Pick<SolanaContext, 'clock' | 'delegates'> & { readonly records: Pick<RecordStore, 'get' | 'find'> };

interface RefusedCharge {
  readonly charge: ChargeDoc;
  readonly why: RefusalFact;
  readonly note: { readonly refusal: ChargeRefusal };
}

/** The verdicts on charges that were taken for signing. */
export interface Kept {
  /** They keep to their mandates, or name none. */
  readonly kept: readonly ChargeDoc[];
  readonly refused: readonly RefusedCharge[];
  /** Another charge of the agreement is on its way: its end decides. */
  readonly waiting: readonly ChargeDoc[];
}

/** The states of a charge that has moved money, or still can. */
const COUNTED = ['started', 'sent', 'mined', 'final'] as const satisfies readonly ChargeState[];
/** The most charges and mandates of one agreement that count, the newest first: 13 years of daily charges. */
const HISTORY = 5_000;

/** What a mandate, or the charges before, may allow later. */
const MAY_CHANGE: ReadonlySet<string> = new Set([
  'superseded',
  'used_up',
  'ahead_of_rhythm',
  'cycle_out_of_range',
] satisfies MandateReason['kind'][]);

/**
 * Enforces Solana's mandates (docs/rules.md, "Operators, consent, allowances"): nothing is signed under a
 * mandate before this function has compared it with the payer's signature and with the charges before.
 *
 * The charges must be stored as `started` before the call. Of two processes that take charges of one agreement at the
 * same time, at least one then counts the charge of the other.
 */
export async function keepToMandates(ctx: Context, started: readonly ChargeDoc[]): Promise<Kept> {
  const bounded = started.filter(({ mandate }) => mandate !== undefined);
  const kept = started.filter(({ mandate }) => mandate === undefined);
  if (bounded.length === 0) return { kept, refused: [], waiting: [] };
  const history = await readHistory(ctx, bounded);
  const undecided = new Set(bounded.map(({ _id }) => _id));
  const refused: RefusedCharge[] = [];
  const waiting: ChargeDoc[] = [];
  for (const charge of bounded) {
    const before = chargedBefore(history, charge).filter(({ id }) => !undecided.has(id));
    const verdict = verdictOn(charge, history, stateOf(before), ctx.clock());
    const isOpen = before.some(({ isOnItsWay }) => isOnItsWay);
    if (verdict.kind === 'kept') {
      undecided.delete(charge._id);
      kept.push(charge);
    } else if (verdict.kind === 'seen' || (isOpen && MAY_CHANGE.has(verdict.kind))) {
      waiting.push(charge);
    } else {
      refused.push(refusalOf(charge, verdict));
    }
  }
  return { kept, refused, waiting };
}

type Verdict = MandateVerdict | { readonly kind: 'other_mandate'; readonly text: string };

function verdictOn(charge: ChargeDoc, { mandates, announced }: History, known: AgreementState, now: Date): Verdict {
  const mandate = mandateOf(charge, mandates);
  const fault = mandateFault(charge, mandates);
  if (mandate === null || fault !== null) return { kind: 'other_mandate', text: `the charge ${fault}` };
  // The charges before come from the database, so the signature counts even if the mandate is in force.
  if (!isSigned(mandate)) return { kind: 'bad_signature', payer: mandate.payer };
  return underMandate(known, {
    ...termsOf(mandate),
    cycle: cycleOf(charge),
    shares: charge.shares.map(({ to, amount }) => ({ to, amount: BigInt(amount) })),
    now: secondsOf(now),
    isAnnounced: (payee) => announced.has(announcedFor(charge, payee)),
    isSigned: () => true,
  });
}

function refusalOf(charge: ChargeDoc, verdict: Exclude<Verdict, { readonly kind: 'kept' | 'seen' }>): RefusedCharge {
  const { kind } = verdict;
  const isOther = kind === 'other_mandate';
  const reason = isOther ? 'pull_reverted' : pullReasonOf(verdict);
  const text = isOther ? verdict.text : mandateReasonInWords(verdict);
  return { charge, why: { kind: 'refused', reason, landed: false }, note: { refusal: { kind, text } } };
}

function isSigned(mandate: MandateDoc): boolean {
  const { _id, payer, message, signature } = mandate;
  const hash = solanaMandateHash(mandate);
  return hash === _id && namesMandate(message, hash) && isEd25519Signed(payer, message, signature);
}

/** A charge that was made, or is on its way. */
interface Used extends Pick<MandateCall, 'mandate' | 'hash' | 'cycle' | 'now'> {
  readonly id: string;
  readonly key: string;
  readonly isOnItsWay: boolean;
}

interface History {
  readonly mandates: ReadonlyMap<string, MandateDoc>;
  readonly charges: readonly ChargeDoc[];
  readonly transactions: ReadonlyMap<string, TransactionDoc>;
  /** The ids of the announcements of recipients that can be paid now. */
  readonly announced: ReadonlySet<string>;
}

/** Everything that was charged under the agreements of these charges. */
async function readHistory(ctx: Context, charges: readonly ChargeDoc[]): Promise<History> {
  const { records } = ctx;
  const own = await records.get('mandates', [...new Set(charges.flatMap(({ mandate }) => mandate?.id ?? []))]);
  const agreements = [...new Set(own.map(({ agreement }) => agreement))];
  const limit = Math.max(1, agreements.length) * HISTORY;
  const mandates = await records.find('mandates', { where: { agreement: { in: agreements } }, limit });
  const made = await records.find('charges', {
    where: { 'mandate.id': { in: mandates.map(({ _id }) => _id) }, state: { in: COUNTED } },
    sort: [['createdAt', -1]],
    limit,
  });
  const transactions = await records.get(
    'transactions',
    made.flatMap(({ transactionId }) => transactionId ?? []),
  );
  return {
    mandates: new Map(mandates.map((mandate) => [mandate._id, mandate])),
    charges: made,
    transactions: new Map(transactions.map((transaction) => [transaction._id, transaction])),
    announced: await readAnnounced(ctx, charges),
  };
}

async function readAnnounced(ctx: Context, charges: readonly ChargeDoc[]): Promise<ReadonlySet<string>> {
  const ids = charges.flatMap((charge) => charge.shares.map(({ to }) => announcedFor(charge, to)));
  const found = await ctx.records.get('announcements', [...new Set(ids)]);
  const now = ctx.clock();
  const usable = found.filter((each) => isUsable(each, now) && isGenuine(ctx, each));
  return new Set(usable.map((each) => announcementId(each)));
}

function announcedFor({ merchantId, mode, chainId }: ChargeDoc, payee: string): string {
  return announcementId({ merchantId, mode, chainId, router: null, payee });
}

/** The charges of the agreement of a charge. */
function chargedBefore({ mandates, charges, transactions }: History, asked: ChargeDoc): Used[] {
  const own = mandateOf(asked, mandates);
  return charges.flatMap((charge): Used[] => {
    const mandate = mandateOf(charge, mandates);
    if (own === null || mandate === null || !isSameAgreement(mandate, own)) return [];
    const at = transactions.get(charge.transactionId ?? '')?.createdAt ?? charge.updatedAt;
    return [
      {
        id: charge._id,
        key: charge.key,
        ...termsOf(mandate),
        cycle: cycleOf(charge),
        now: secondsOf(at),
        isOnItsWay: charge.state === 'started' || charge.state === 'sent',
      },
    ];
  });
}

function isSameAgreement(one: MandateDoc, other: MandateDoc): boolean {
  const isSameMerchant = one.merchantId === other.merchantId && one.mode === other.mode;
  return one.agreement === other.agreement && one.payer === other.payer && isSameMerchant;
}

function cycleOf({ mandate }: ChargeDoc): bigint {
  return BigInt(mandate?.cycle ?? 0);
}

/**
 * The state of an agreement after these charges: in the order of their mandates, then of their moments. A key counts
 * once.
 */
function stateOf(before: readonly Used[]): AgreementState {
  const ordered = before.toSorted(
    (one, other) => one.mandate.issuedAt - other.mandate.issuedAt || Number(one.now - other.now),
  );
  const once = new Map(ordered.map((used) => [used.key, used]));
  return [...once.values()].reduce(afterCharge, NOTHING_CHARGED);
}

function termsOf(mandate: MandateDoc): Pick<MandateCall, 'mandate' | 'hash'> {
  return { mandate: { ...mandate, perCharge: BigInt(mandate.perCharge) }, hash: mandate._id };
}

function secondsOf(moment: Date): bigint {
  return BigInt(Math.floor(moment.getTime() / 1_000));
}
