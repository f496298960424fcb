import type { ExchangeRate } from '../../../machines/payment/context.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { EventOf } from '../../../machines/versions.ts';
import { isRefund, resubmissionOf } from '../../chains/charges.ts';
import { consentOf } from '../../chains/consent.ts';
import type { ChargeFact, ChargeListener, ReportedFact, StartAnswer } from '../../chains/port.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Sender } from '../../engine/step.ts';
import type { Dispatch, Dispatched } from '../../engine/types.ts';
import type { ChangedAllowance, ChargeDoc } from '../../store/collections.ts';
import type { ChargeRates, Invoices } from '../invoices/invoices.ts';

export interface ChargeListenerDeps {
  readonly engine: Pick<Engine, 'dispatchMany'>;
  readonly allowancesChanged: ChargeListener['allowancesChanged'];
  readonly settled: (charge: ChargeDoc) => void;
  /** Called with charges whose payments are paused, because the payout wallet did not accept its share. */
  readonly undelivered: (charges: readonly ChargeDoc[]) => Promise<void>;
  /** Issues invoices. */
  readonly invoices: Pick<Invoices, 'ratesOf' | 'issue' | 'reverse'>;
  /** Receives the facts of refunds of deposits. */
  readonly refunds: {
    readonly start: (refunds: readonly ChargeDoc[]) => Promise<[string, StartAnswer][]>;
    readonly notify: (fact: ReportedFact) => Promise<void>;
  };
}

/** Turns facts of the chains into events of the payments that they concern. */
export function createChargeListener({
  engine,
  allowancesChanged,
  settled,
  undelivered,
  invoices,
  refunds,
}: ChargeListenerDeps): Pick<ChargeListener, 'start' | 'notify'> {
  return {
    start: async (requested) => {
      const charges = requested.filter((charge) => !isRefund(charge));
      const [results, answers] = await Promise.all([
        engine.dispatchMany(charges.map(startOf)),
        refunds.start(requested.filter(isRefund)),
      ]);
      return new Map([...charges.flatMap(({ _id }, index) => answerOf(_id, results[index])), ...answers]);
    },
    notify: async (all) => {
      for (const fact of all) if (isRefund(fact.charge)) await refunds.notify(fact);
      const facts = all.filter(({ charge }) => !isRefund(charge)).filter(isOfPayment);
      const changes = facts.flatMap(changeOf);
      const rates = await invoices.ratesOf(chargesOf(facts, 'final'));
      const [results] = await Promise.all([
        engine.dispatchMany(facts.map((fact) => factOf(fact, rates))),
        changes.length === 0 ? undefined : allowancesChanged(changes),
      ]);
      const refused = results.findIndex((result) => result.kind === 'refused' || result.kind === 'missing');
      const about = facts[refused];
      if (about)
        throw new Error(`${about.charge.paymentId} refuses ${about.fact.kind} of its charge ${about.charge._id}`);
      const quarantined = results.findIndex((result) => result.kind === 'quarantined');
      if (quarantined >= 0) throw new Error(`${facts[quarantined]?.charge.paymentId} is quarantined`);
      for (const { charge, fact } of facts) if (fact.kind === 'final') settled(charge);
      const notTaken = facts.filter(({ fact }) => fact.kind === 'undeliverable' && fact.reason === 'forward_reverted');
      if (notTaken.length > 0) await undelivered(notTaken.map(({ charge }) => charge));
      // If these fail, the facts come again.
      const own = all.filter(({ charge }) => !isRefund(charge));
      await invoices.issue(chargesOf(own, 'finalized'));
      await invoices.reverse(chargesOf(own, 'reorged'));
    },
  };
}

function chargesOf(facts: readonly ReportedFact[], kind: ChargeFact['kind']): ChargeDoc[] {
  return facts.filter(({ fact }) => fact.kind === kind).map(({ charge }) => charge);
}

interface PaymentFact extends ReportedFact {
  readonly fact: Exclude<ChargeFact, { readonly kind: 'finalized' }>;
}

/**
 * A finalized block changes nothing for a payment that is settled. The reconciler finds it in the transaction's
 * document; the invoice is issued.
 */
function isOfPayment(reported: ReportedFact): reported is PaymentFact {
  return reported.fact.kind !== 'finalized';
}

/**
 * A charge reduces its payer's allowance when a block includes it, and a reorg restores the allowance. Finality changes
 * nothing.
 */
function changeOf({ charge, fact }: PaymentFact): ChangedAllowance[] {
  if (charge.deposit !== undefined || fact.kind === 'final' || fact.kind === 'moved') return [];
  if (fact.kind !== 'mined' && charge.block === null) return [];
  const { merchantId, mode, chainId, token, from: wallet } = charge;
  const block = fact.kind === 'mined' ? fact.block.number : null;
  const consent = consentOf(charge);
  return [{ merchantId, mode, consent, chainId, token, wallet, block, isCharged: true }];
}

/** A payment that refuses the start has been canceled or has failed. A quarantined payment gives no answer. */
function answerOf(id: string, result: Dispatched | undefined): [string, StartAnswer][] {
  switch (result?.kind) {
    case 'taken':
      return [[id, 'go']];
    case 'refused':
      return [[id, 'withdrawn']];
    case 'quarantined':
    case 'missing':
    case undefined:
      return [];
    default:
      return unknownCase(result, 'result');
  }
}

function startOf(charge: ChargeDoc): Dispatch<'payment'> {
  return {
    kind: 'payment',
    id: charge.paymentId,
    event: {
      type: 'charge.started',
      attempt: charge.attempt,
      round: resubmissionOf(charge),
      toWallet: toWalletOf(charge),
    },
    by: 'chain',
  };
}

function toWalletOf({ shares }: ChargeDoc): string | null {
  return shares.find(({ role }) => role === 'forward')?.to ?? null;
}

/** The payer, and the receiver of the merchant's part. A deposit's sender is noted on the payment itself. */
function walletsOf(charge: ChargeDoc) {
  return charge.deposit === undefined ? { wallets: { from: charge.from, to: toWalletOf(charge) } } : {};
}

function factOf({ charge, fact }: PaymentFact, rates: ChargeRates): Dispatch<'payment'> {
  const event = eventOf(charge, fact, rates.get(charge.paymentId));
  const about = { kind: 'payment', id: charge.paymentId, event, by: 'chain' } as const;
  return fact.kind === 'released' ? { ...about, sender: releaseOf(charge) } : about;
}

/** Greater than the number of releases of one submission. */
const RELEASES_MAX = 1_000_000;

/**
 * The mark of one release of a charge. If a delayed process reports it again, it is a duplicate and revokes nothing
 * that was signed since (docs/adr/charges.md).
 */
function releaseOf(charge: ChargeDoc): Sender {
  const { key, attempt, releases = 0 } = charge;
  return { id: key, mark: [attempt, resubmissionOf(charge) * RELEASES_MAX + releases] };
}

function eventOf(charge: ChargeDoc, fact: PaymentFact['fact'], rate: ExchangeRate | undefined): EventOf<'payment'> {
  const { attempt, releases = 0 } = charge;
  const round = resubmissionOf(charge);
  switch (fact.kind) {
    case 'refused':
      return { type: 'charge.refused', attempt, round, reason: fact.reason };
    case 'undeliverable':
      return { type: 'charge.undeliverable', attempt, round, reason: fact.reason };
    case 'released':
      return { type: 'charge.released', attempt, round, releases };
    case 'mined':
      return { type: 'charge.mined', attempt, round, releases, hashes: fact.hashes, block: fact.block };
    case 'final':
      return {
        type: 'charge.final',
        attempt,
        ...{ hashes: fact.hashes, block: fact.block, ...walletsOf(charge) },
        ...(rate === undefined ? {} : { rate }),
      };
    case 'moved':
      return { type: 'charge.moved', attempt, hashes: fact.hashes, block: fact.block };
    case 'reorged':
      return { type: 'charge.reorged', attempt };
    default:
      return unknownCase(fact, 'fact');
  }
}
