import { resourceOf } from '../../scripts/lib/resource-of.ts';
import { groupBy } from '../../src/chains/group-by.ts';
import { type Charged, keyOfCycle, keyOfPayment, keyUnder, type Ledger } from '../../stage/ledger.ts';
import type { Receiver } from '../../stage/receiver.ts';
import type { ApiPayment, ApiState } from './api-state.ts';
import { PRICE } from './sale.ts';
import type { Stored } from './stored.ts';
import { PAYMENT, type Story } from './stories.ts';
import type { World } from './world.ts';

/** A broken rule. Kills do not excuse any. */
export interface Violation {
  /** The label of the story; null: no single story is concerned. */
  readonly about: string | null;
  readonly what: string;
  /** The id of the subscription or payment, if it exists. */
  readonly id?: string;
}

/** The requests and the received webhooks, for the judges. */
export interface Requested {
  readonly stories: Pick<World['stories'], 'all'>;
  readonly chain: Pick<World['chain'], 'router'>;
  readonly sale: Pick<World['sale'], 'payers' | 'recipients'>;
  readonly merchant: { readonly receiver: Pick<Receiver, 'accepted' | 'refused'> };
}

/** The evidence. The judges trust the chain's logs and the receiver, and compare the service's answers with them. */
export interface Evidence {
  readonly ledger: Ledger;
  readonly reported: ApiState;
  readonly stored: Stored;
}

type Say = (what: string) => void;

/** All violations. There must be none when everything has ended. */
export function judge(world: Requested, { ledger, reported, stored }: Evidence): Violation[] {
  const violations: Violation[] = [];
  const expected = new Map<string, bigint>();
  const seen: Seen = {
    reported,
    expected,
    arrivals: arrivalsOf(world, stored.retried),
    charges: groupBy(ledger.charges, ({ key }) => key),
    cycles: groupBy([...reported.payments.values()], ({ subscriptionId }) => subscriptionId ?? ''),
  };
  for (const story of world.stories.all) {
    const reported = story.id === null ? {} : { id: story.id };
    const say: Say = (what) =>
      violations.push({ about: story.about, what: `${story.id ?? story.kind}: ${what}`, ...reported });
    if (story.id === null) say('was requested, but never answered with 2xx');
    else if (story.kind === 'subscription') judgeSubscription(story, story.id, seen, say);
    else judgePayment(story.id, seen, say);
  }
  const say: Say = (what) => violations.push({ about: null, what });
  judgeMoney(world, ledger, expected, say);
  judgeEvents(world, stored, say);
  judgeStored(stored, say);
  return violations;
}

/** The evidence, indexed. */
interface Seen {
  readonly reported: ApiState;
  /** By key of the router. */
  readonly charges: ReadonlyMap<string, readonly Charged[]>;
  /** By subscription. */
  readonly cycles: ReadonlyMap<string, readonly ApiPayment[]>;
  /** By resource. */
  readonly arrivals: ReadonlyMap<string, readonly Arrival[]>;
  /** Collects the amounts that the chain must have charged, by key. */
  readonly expected: Map<string, bigint>;
}

function judgeSubscription(story: Story, id: string, seen: Seen, say: Say): void {
  const reported = seen.reported.subscriptions.get(id);
  if (!reported) {
    say('does not exist any more');
    return;
  }
  const { status, cyclesCompleted: cycles, consecutiveFailures } = reported;
  if (status !== 'active') say(`is ${status}; expected active`);
  if (consecutiveFailures !== 0) say(`has ${consecutiveFailures} failures; no charge may fail`);
  const answered = story.answered.join(', ') || 'none';
  if (cycles < Math.max(1, story.answered.length) || cycles > story.asked) {
    say(`has ${cycles} cycles; ${story.asked} were requested, and answers reported these as settled: ${answered}`);
  }
  if (new Set(story.answered).size < story.answered.length) say(`two answers reported one charge: ${answered}`);
  const keys = Array.from({ length: cycles }, (_, index) => keyOf(story, id, index + 1, seen));
  judgePayments(seen.cycles.get(id) ?? [], { keys, amount: PRICE }, seen, say);
  const renewals = Array.from({ length: Math.max(0, cycles - 1) }, () => 'payment.succeeded');
  const first = cycles > 0 ? ['payment.succeeded', 'subscription.active'] : [];
  judgeArrivals(seen.arrivals.get(id) ?? [], ['subscription.created', ...first, ...renewals], say);
}

/** Under the agreement that the cycle was charged under. A charge under another one besides is unexpected. */
function keyOf({ payer, agreements }: Story, id: string, cycle: number, { charges }: Seen): string {
  if (payer.signer === null) return keyOfCycle(id, cycle);
  const keys = agreements.map((agreement) => keyUnder(agreement, cycle));
  return keys.find((key) => charges.has(key)) ?? keys.at(-1) ?? 'no agreement';
}

function judgePayment(id: string, seen: Seen, say: Say): void {
  const reported = seen.reported.payments.get(id);
  if (!reported) {
    say('does not exist any more');
    return;
  }
  judgePayments([reported], { keys: [keyOfPayment(id)], amount: PAYMENT }, seen, say);
  judgeArrivals(seen.arrivals.get(id) ?? [], ['payment.succeeded'], say);
}

interface Due {
  /** One key for each expected payment. */
  readonly keys: readonly string[];
  readonly amount: { readonly amount: string; readonly baseUnits: bigint };
}

/** Checks that every due payment exists and is settled, each with its one transaction on the chain. */
function judgePayments(payments: readonly ApiPayment[], { keys, amount }: Due, seen: Seen, say: Say): void {
  if (payments.length !== keys.length) say(`has ${payments.length} payments; ${keys.length} are due`);
  for (const payment of payments) {
    if (payment.status !== 'settled' || payment.amount !== amount.amount) {
      say(`${payment.id} is ${payment.status} with ${payment.amount}; expected settled with ${amount.amount}`);
    }
  }
  for (const key of keys) seen.expected.set(key, amount.baseUnits);
  const named = payments.map(({ pullTxHash }) => pullTxHash ?? 'no transaction').sort();
  const charged = keys.flatMap((key) => seen.charges.get(key)?.map(({ txHash }) => txHash) ?? []).sort();
  if (named.join() !== charged.join()) {
    say(`names ${named.join(', ') || 'no transaction'}; the chain charged in ${charged.join(', ') || 'none'}`);
  }
}

/**
 * Checks that the chain charged every key once with its amount and no other key, that the payers' tokens moved for
 * these charges alone and to their recipients alone, and that nothing is left in the router.
 */
function judgeMoney(world: Requested, ledger: Ledger, expected: ReadonlyMap<string, bigint>, say: Say): void {
  const counts = new Map<string, number>();
  for (const { key, gross } of ledger.charges) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    const amount = expected.get(key);
    if (amount === undefined) say(`the chain has an unexpected charge of ${gross}: key ${key}`);
    else if (amount !== gross) say(`the chain charged ${gross} for key ${key}; expected ${amount}`);
  }
  for (const key of expected.keys()) {
    const count = counts.get(key) ?? 0;
    if (count !== 1) say(`key ${key} was charged ${count} times; expected once`);
  }
  const payers = new Set(world.sale.payers.map(({ wallet }) => wallet));
  const pulls = ledger.transfers.filter(({ from }) => payers.has(from));
  const pulled = sums(pulls.map(({ txHash, value }) => [txHash, value]));
  const charged = sums(ledger.charges.map(({ txHash, gross }) => [txHash, gross]));
  for (const txHash of new Set([...pulled.keys(), ...charged.keys()])) {
    const [moved = 0n, due = 0n] = [pulled.get(txHash), charged.get(txHash)];
    if (moved !== due) say(`${moved} left the payers in ${txHash} for charges of ${due}`);
  }
  const { router } = world.chain;
  // Under a mandate, the tokens go from the payer to the recipients, without a stop in the router.
  const known = new Set([router, ...world.sale.recipients]);
  for (const { to, value, txHash } of ledger.transfers) {
    if (!known.has(to) && pulled.has(txHash)) say(`${value} went to ${to} in ${txHash}; no payer agreed to that`);
  }
  const residue = sumOf(ledger, (each) => each.to === router) - sumOf(ledger, (each) => each.from === router);
  if (residue !== 0n) say(`${residue} base units are left in the router`);
}

function sums(items: readonly (readonly [string, bigint])[]): Map<string, bigint> {
  const found = new Map<string, bigint>();
  for (const [key, value] of items) found.set(key, (found.get(key) ?? 0n) + value);
  return found;
}

function sumOf({ transfers }: Ledger, isOf: (each: Ledger['transfers'][number]) => boolean): bigint {
  return transfers.filter(isOf).reduce((sum, { value }) => sum + value, 0n);
}

/** The first arrival of one event, with all ids under which its number arrived. */
interface Arrival {
  readonly sequence: number;
  readonly event: string;
  readonly ids: Set<string>;
}

/**
 * Resource → its events, in the order of their first arrival. An event whose first attempt failed, for example because
 * its process was paused for too long, arrives with a later attempt; it is sorted by its number.
 */
function arrivalsOf({ merchant: { receiver } }: Requested, retried: ReadonlySet<string>): Map<string, Arrival[]> {
  const resources = new Map<string, Arrival[]>();
  for (const envelope of receiver.accepted) {
    const arrivals = resources.get(resourceOf(envelope)) ?? [];
    resources.set(resourceOf(envelope), arrivals);
    const known = arrivals.find(({ sequence }) => sequence === envelope.sequence);
    if (known) known.ids.add(envelope.id);
    else {
      const arrival = { sequence: envelope.sequence, event: envelope.event, ids: new Set([envelope.id]) };
      const at = retried.has(envelope.id) ? arrivals.findIndex(({ sequence }) => sequence > arrival.sequence) : -1;
      arrivals.splice(at === -1 ? arrivals.length : at, 0, arrival);
    }
  }
  return resources;
}

/** Checks that there is one event per transition, numbered from 1, and that each arrived before the next. */
function judgeArrivals(arrivals: readonly Arrival[], expected: readonly string[], say: Say): void {
  for (const { sequence, event, ids } of arrivals) {
    if (ids.size > 1) say(`event ${sequence}, ${event}, arrived under ${ids.size} ids`);
  }
  const came = arrivals.map(({ sequence, event }) => `${sequence} ${event}`).join(', ');
  const awaited = expected.map((event, index) => `${index + 1} ${event}`).join(', ');
  if (came !== awaited) say(`its events arrived as: ${came || 'none'}; expected: ${awaited}`);
}

function judgeEvents({ merchant: { receiver } }: Requested, { events, undelivered }: Stored, say: Say): void {
  for (const why of new Set(receiver.refused)) say(`the receiver refused a delivery: ${why}`);
  const came = new Set(receiver.accepted.map(({ id }) => id));
  const lost = [...events].filter((id) => !came.has(id));
  const unknown = [...came].filter((id) => !events.has(id));
  if (lost.length > 0) say(`${lost.length} events never came: ${lost.slice(0, 3).join(', ')}`);
  if (unknown.length > 0)
    say(`${unknown.length} events came that are not in the log: ${unknown.slice(0, 3).join(', ')}`);
  if (undelivered.length > 0)
    say(`${undelivered.length} deliveries have not ended: ${undelivered.slice(0, 3).join(', ')}`);
}

function judgeStored({ unrelayed, quarantined }: Stored, say: Say): void {
  if (unrelayed.length > 0) say(`${unrelayed.length} outboxes are not empty: ${unrelayed.slice(0, 3).join(', ')}`);
  for (const { id, reason } of quarantined) say(`${id} was quarantined: ${reason}`);
}
