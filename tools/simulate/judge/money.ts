import { refundsOf } from '../../../machines/payment/refunds.ts';
import { journalOf } from '../../../src/engine/journal.ts';
import { type PaymentAttributes, paymentAttributes, paymentContextOf } from '../../../src/model/payment.ts';
import { subscriptionContextOf } from '../../../src/model/subscription.ts';
import type { DepositDoc, DestinationWallets } from '../../../src/store/collections.ts';
import type { ActorDoc } from '../../../src/store/documents.ts';
import type { Store } from '../../../src/store/port.ts';
import { keyOfCycle, keyOfPayment, keyUnder } from '../../../stage/ledger.ts';
import { allOf } from '../../lib/stored.ts';
import { PRICE } from '../shop.ts';
import type { SimulatedChain, SimulatedCharge } from '../simulated-chain.ts';
import type { Story } from '../story.ts';
import { couponViolations } from './coupons.ts';
import { depositViolations, refundedBy } from './deposits.ts';
import { actors } from './stored.ts';

/** A payment, and the keys under which the chain may charge it: one for each consent. Base units. */
interface Expected {
  readonly doc: ActorDoc;
  readonly attributes: PaymentAttributes;
  readonly keys: readonly string[];
  readonly amount: bigint;
  /** What the chains have under these keys. */
  readonly charges: readonly SimulatedCharge[];
  /** When a block had a charge of it for the first time; infinite: none had. */
  readonly landedAt: number;
}

export interface MoneyRun {
  readonly stories: readonly Story[];
  readonly platformWallets: DestinationWallets;
  /** When a block had a charge for the first time, by key. */
  readonly landed: ReadonlyMap<string, number>;
}

/** Compares the ledger with the chains in both directions, to the last base unit. */
export async function moneyViolations(store: Store, { stories, platformWallets, landed }: MoneyRun): Promise<string[]> {
  // Nothing else sends money to these addresses.
  const tills = stories.flatMap(({ shop }) => shop.tills);
  const newPayouts = stories.flatMap((story) => story.newPayouts);
  const docs = await actors(store, 'payment');
  const agreements = await agreementsOf(store);
  const deposits = await allOf(store, 'deposits');
  const chains = [...new Set(tills.map(({ chain }) => chain))];
  const charges = chains.flatMap((chain) => chain.charges());
  const byKey = new Map(charges.map((charge) => [charge.key, charge]));
  const payments = docs.map((doc): Expected => {
    const attributes = paymentAttributes.parse(doc.attributes);
    const keys = keysOf(doc._id, attributes, agreements.get(doc._id) ?? new Set());
    const landedAt = Math.min(...keys.flatMap((key) => landed.get(key) ?? []));
    const made = keys.flatMap((key) => byKey.get(key) ?? []);
    return { doc, attributes, keys, amount: BigInt(paymentContextOf(doc).amount), charges: made, landedAt };
  });
  const grossOf = new Map(payments.map(({ doc, charges: [first] }) => [doc._id, first?.gross ?? null]));
  return [
    ...charged(payments, deposits, charges),
    ...depositViolations(deposits, chains),
    ...chains.flatMap((chain) => {
      const payouts = [
        ...tills.flatMap((till) => (till.chain === chain ? [till.payout, till.splitTo] : [])),
        ...newPayouts.flatMap(({ till, wallet }) => (till.chain === chain ? [wallet] : [])),
      ];
      return conserved(payments, chain, { payouts, platform: platformWallets[chain.family] ?? '' });
    }),
    ...chains.flatMap((chain) => chain.residues()),
    ...(await cycles(store, payments)),
    ...(await periods(store, payments)),
    ...credits(payments, stories),
    ...prices(payments, stories),
    ...aboveLimits(payments, stories, landed),
    ...(await chargedWhilePaused(store, payments, stories)),
    ...(await couponViolations(store, stories, (id) => grossOf.get(id) ?? null)),
    ...chains.flatMap(moved),
  ];
}

/** The agreements under which each payment was attempted. */
async function agreementsOf(store: Store): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const charges = await allOf(store, 'charges');
  const mandates = await store.records.get('mandates', [
    ...new Set(charges.flatMap(({ mandate }) => mandate?.id ?? [])),
  ]);
  const agreements = new Map(mandates.map(({ _id, agreement }) => [_id, agreement]));
  const of = new Map<string, Set<string>>();
  for (const { paymentId, mandate } of charges) {
    const agreement = agreements.get(mandate?.id ?? '');
    if (agreement !== undefined) of.set(paymentId, (of.get(paymentId) ?? new Set()).add(agreement));
  }
  return of;
}

function keysOf(id: string, attributes: PaymentAttributes, agreements: ReadonlySet<string>): string[] {
  const { subscriptionId, cycle, agreementCycle, chargeSecret } = attributes;
  const isCycle = subscriptionId !== null && cycle !== null;
  const open = isCycle ? keyOfCycle(subscriptionId, cycle, chargeSecret) : keyOfPayment(id, chargeSecret);
  return [open, ...[...agreements].map((agreement) => keyUnder(agreement, cycle ?? agreementCycle ?? 1))];
}

/** Every settled payment has one charge, in the transaction that it names. Every other charge is a refund. */
function charged(
  payments: readonly Expected[],
  deposits: readonly DepositDoc[],
  all: readonly SimulatedCharge[],
): string[] {
  const wrong: string[] = [];
  const charges = new Map(all.map((charge) => [charge.key, charge]));
  for (const { doc, keys, amount } of payments) {
    const [charge, another] = keys.flatMap((key) => charges.get(key) ?? []);
    for (const key of keys) charges.delete(key);
    if (charge && another) wrong.push(`${doc._id} was charged twice: in ${charge.txHash}, and in ${another.txHash}`);
    if (doc.status !== 'settled') {
      if (charge) wrong.push(`${doc._id} is ${doc.status}, but ${charge.gross} were charged in ${charge.txHash}`);
      continue;
    }
    const { pullTxHash } = paymentContextOf(doc).hashes;
    if (!charge) wrong.push(`${doc._id} is settled, but the chain has no charge for it`);
    else if (charge.gross !== amount)
      wrong.push(`${doc._id} has the amount ${amount}, but ${charge.gross} were charged`);
    else if (charge.txHash !== pullTxHash) {
      wrong.push(`${doc._id} was charged in ${charge.txHash}, but names ${pullTxHash}`);
    }
  }
  for (const { key, gross, txHash } of charges.values()) {
    const refund = refundedBy(deposits, key)?.refund;
    if (!refund) wrong.push(`a chain has a charge of ${gross} without a payment or refund: key ${key}`);
    else if (refund.txHash !== txHash || refund.amount !== String(gross)) {
      wrong.push(`the chain refunded ${gross} in ${txHash}; the ledger has ${refund.amount} in ${refund.txHash}`);
    }
  }
  return wrong;
}

/** Every payee has the exact sum of its shares: the platform its own, the merchants and their splits the rest. */
function conserved(
  payments: readonly Expected[],
  chain: SimulatedChain,
  { payouts, platform }: { readonly payouts: readonly string[]; readonly platform: string },
): string[] {
  const settled = payments.filter(
    ({ doc, attributes }) => doc.status === 'settled' && attributes.chainId === chain.chainId,
  );
  const sum = (of: (each: Expected) => bigint) => settled.reduce((total, each) => total + of(each), 0n);
  const due = {
    merchant: sum(({ attributes }) => BigInt(attributes.merchantAmount)),
    platform: sum(({ attributes }) => BigInt(attributes.platformAmount)),
    all: sum(({ amount }) => amount),
  };
  const has = {
    merchant: payouts.reduce((total, payout) => total + chain.balanceOf(payout), 0n),
    platform: chain.balanceOf(platform),
  };
  const names = ['merchant', 'platform'] as const;
  return [
    ...names.flatMap((name) =>
      has[name] === due[name] ? [] : [`${name} has ${has[name]} on chain ${chain.chainId}; ${due[name]} are due to it`],
    ),
    ...(due.merchant + due.platform === due.all
      ? []
      : [`the shares ${due.merchant} + ${due.platform} are not the amount ${due.all}`]),
  ];
}

/** Every subscription counts its charged cycles, each once, within its limit. */
async function cycles(store: Store, payments: readonly Expected[]): Promise<string[]> {
  const settled = new Map<string, number[]>();
  for (const { doc, attributes } of payments) {
    const { subscriptionId, cycle } = attributes;
    if (subscriptionId === null || cycle === null || doc.status !== 'settled') continue;
    settled.set(subscriptionId, [...(settled.get(subscriptionId) ?? []), cycle]);
  }
  const wrong: string[] = [];
  for (const doc of await actors(store, 'subscription')) {
    const { cyclesCompleted, terms, usage } = subscriptionContextOf(doc);
    const charged = settled.get(doc._id) ?? [];
    if (new Set(charged).size !== charged.length) wrong.push(`${doc._id} charged one cycle twice: ${charged.join()}`);
    // A period by use in which nothing is to be paid counts without a charge.
    if (usage === undefined ? charged.length !== cyclesCompleted : charged.length > cyclesCompleted) {
      wrong.push(`${doc._id} counts ${cyclesCompleted} cycles, but ${charged.length} were charged`);
    }
    if (terms.maxCycles !== null && charged.length > terms.maxCycles) {
      wrong.push(`${doc._id} may have ${terms.maxCycles} cycles, but ${charged.length} were charged`);
    }
  }
  return wrong;
}

/** No two cycles pay for the same time, but for a credit. A change undone that landed pays for no period. */
async function periods(store: Store, payments: readonly Expected[]): Promise<string[]> {
  const undone = new Set(
    (await actors(store, 'subscription')).map((doc) => `${doc._id} ${subscriptionContextOf(doc).undone}`),
  );
  const wrong: string[] = [];
  const until = new Map<string, string>();
  const settled = payments.flatMap((each) => {
    const { cycleOf } = paymentContextOf(each.doc);
    if (each.doc.status !== 'settled' || cycleOf === null) return [];
    return undone.has(`${cycleOf.subscriptionId} ${cycleOf.cycle}`) ? [] : [{ ...each, ...cycleOf }];
  });
  settled.sort((a, b) => (a.periodStart < b.periodStart ? -1 : 1));
  for (const { doc, attributes, subscriptionId, periodStart, periodEnd } of settled) {
    const paid = until.get(subscriptionId);
    if (paid !== undefined && paid > periodStart && attributes.credit === undefined) {
      wrong.push(`${doc._id} pays from ${periodStart}, but ${subscriptionId} was already paid until ${paid}`);
    }
    until.set(subscriptionId, periodEnd);
  }
  return wrong;
}

/**
 * Every credit is the unused part of what the payment that it names has paid for: the money that moved, and the credit
 * which that payment had itself. A refund, and another attempt in a later period, make it smaller; a pause moves time.
 */
function credits(payments: readonly Expected[], stories: readonly Story[]): string[] {
  const isPaused = stories.some(({ pauses }) => pauses.isUsed);
  const byId = new Map(payments.map((each) => [each.doc._id, each]));
  return payments.flatMap(({ doc, attributes: { credit } }) => {
    const before = byId.get(credit?.paymentId ?? '');
    const [period, of] = [paymentContextOf(doc), before && paymentContextOf(before.doc)];
    if (credit === undefined) return [];
    if (!before || !of?.cycleOf || !period.cycleOf) return [`${doc._id} has a credit of nothing: ${credit.paymentId}`];
    const worth = before.amount + BigInt(before.attributes.credit?.amount ?? 0);
    const [from, to] = [Date.parse(of.cycleOf.periodStart), Date.parse(of.cycleOf.periodEnd)];
    const left = Math.max(0, to - Date.parse(period.cycleOf.periodStart));
    const due = (worth * BigInt(left)) / BigInt(to - from);
    const isExact = !isPaused && period.attempt === 1 && of.attempt === 1 && refundsOf(of).length === 0;
    const isRight = isExact ? BigInt(credit.amount) === due : BigInt(credit.amount) <= worth;
    return isRight ? [] : [`${doc._id} has a credit of ${credit.amount}, and ${due} of ${worth} were unused`];
  });
}

/** Every charge of a cycle is its price less its credit: per unit, for the quantity that it was opened with. */
function prices(payments: readonly Expected[], stories: readonly Story[]): string[] {
  return payments.flatMap(({ doc, attributes, charges, landedAt }) => {
    const { subscriptionId, priceId, credit } = attributes;
    const story = storyOf(doc, stories);
    // With coupons, `couponViolations` knows the prices; those by use have a judge of their own.
    if (subscriptionId === null || story === undefined || story.coupons.made.length > 0) return [];
    if (story.shop.meters.has(priceId ?? '')) return [];
    const unit = story.shop.unitPrices.get(priceId ?? '');
    // No quantity changes while a cycle is open, so the first block with it shows the one that it was opened with.
    const quantities = unit === undefined ? [] : [...story.quantities.at(subscriptionId, landedAt)];
    const fixed = PRICE.baseUnits - BigInt(credit?.amount ?? 0);
    const due = unit === undefined ? [fixed] : quantities.map((quantity) => BigInt(quantity) * unit);
    const wrong = charges.filter(({ gross }) => !due.includes(gross));
    return wrong.map(({ gross }) => `${doc._id} was charged ${gross}; its price was ${due.join(' or ')}`);
  });
}

/** No block has a cycle's first charge during a pause. A reorg of a paid cycle ends the pause without a call. */
async function chargedWhilePaused(
  store: Store,
  payments: readonly Expected[],
  stories: readonly Story[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const { subscriptionId, from, until } of stories.flatMap(({ pauses }) => pauses.all)) {
    const [doc] = await store.actors.load('subscription', [subscriptionId]);
    const rows = doc === undefined ? [] : await journalOf(store, doc);
    const isOver = rows.some(
      ({ event: { type, now } }) => type === 'charge.reorged' && Date.parse(now) > from - DAY_MS,
    );
    if (isOver) continue;
    const charged = payments.filter(({ attributes }) => attributes.subscriptionId === subscriptionId);
    for (const { doc: payment, landedAt } of charged) {
      if (landedAt > from && landedAt < until) {
        const at = new Date(landedAt).toISOString();
        wrong.push(`${payment._id} was charged at ${at}, while ${subscriptionId} was paused`);
      }
    }
  }
  return wrong;
}

const DAY_MS = 86_400_000;

/** The story of the merchant that this document belongs to. */
export function storyOf({ merchantId }: ActorDoc, stories: readonly Story[]): Story | undefined {
  return stories.find(({ shop }) => shop.tenant.merchantId === merchantId);
}

/** The charges of a price with a limit of 30 days that are more in any 30 days, by the blocks alone. */
function aboveLimits(payments: readonly Expected[], stories: readonly Story[], landed: MoneyRun['landed']): string[] {
  const made = payments.flatMap(({ doc, attributes: { subscriptionId: id, priceId }, charges }) => {
    const most = storyOf(doc, stories)?.shop.meters.get(priceId ?? '')?.most;
    if (most === undefined) return [];
    return charges.map(({ key, gross }) => ({ id, most, gross, at: landed.get(key) ?? 0 }));
  });
  return made.flatMap(({ id, most, at: end }) => {
    const within = made.filter((each) => each.id === id && each.at <= end && each.at > end - 30 * DAY_MS);
    const sum = within.reduce((total, { gross }) => total + gross, 0n);
    return sum <= most ? [] : [`${id} was charged ${sum} within 30 days, and its limit is ${most}`];
  });
}

/** A wallet's charges in a transaction are what the transaction took from it. */
function moved(chain: SimulatedChain): string[] {
  const taken = new Map<string, bigint>();
  const add = (name: string, amount: bigint) => taken.set(name, (taken.get(name) ?? 0n) + amount);
  for (const { txHash, payer, gross } of chain.charges()) add(`${payer} in ${txHash}`, gross);
  const charged = new Set(taken.keys());
  for (const { txHash, from, amount } of chain.transfers()) {
    if (charged.has(`${from} in ${txHash}`)) add(`${from} in ${txHash}`, -amount);
  }
  return [...taken].flatMap(([name, left]) =>
    left === 0n ? [] : [`${left} more was charged than moved from ${name}`],
  );
}

/** Violations that the current chain alone shows. Cheap enough to run after every block. */
export function chainViolations(chain: Pick<SimulatedChain, 'charges'>): string[] {
  const seen = new Map<string, string>();
  const violations: string[] = [];
  for (const { key, txHash, block } of chain.charges()) {
    const before = seen.get(key);
    if (before !== undefined)
      violations.push(`key ${key} was charged twice: in ${before}, and in ${txHash} of block ${block}`);
    seen.set(key, txHash);
  }
  return violations;
}
