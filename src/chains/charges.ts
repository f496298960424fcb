import { unknownCase } from '../../machines/unknown-case.ts';
import { messageOf } from '../errors/message-of.ts';
import type { ChargeDoc, ShareRole } from '../store/collections.ts';
import type { Where } from '../store/port.ts';
import { type ChainContext, later } from './context.ts';
import { groupBy } from './group-by.ts';
import type { ChargeFact, RefusalFact, ReportedFact, ShareHashes, ShareReason } from './port.ts';

/** The reason why a share cannot be delivered, by its role (reference, section 6). */
export const SHARE_REASON: Readonly<Record<ShareRole, ShareReason>> = {
  forward: 'forward_reverted',
  platform: 'platform_transfer_reverted',
  split: 'distribute_reverted',
};

/** All shares of a charge move in one transaction; a role without a share has no hash. */
export function hashesOf(charge: ChargeDoc, txHash: string): ShareHashes {
  const hashFor = (role: ShareRole): string | null =>
    charge.shares.some((share) => share.role === role && share.amount !== '0') ? txHash : null;
  return {
    pullTxHash: txHash,
    forwardTxHash: hashFor('forward'),
    platformTransferTxHash: hashFor('platform'),
    distributeTxHash: hashFor('split'),
  };
}

/** The fields of a charge that no signing queue has taken yet. */
export const WAITING = {
  state: 'waiting',
  lane: null,
  transactionId: null,
  txHash: null,
  block: null,
  reason: null,
} as const satisfies Partial<ChargeDoc>;

/** The `token` of a refund whose asset is not in the catalog. */
export const NOT_IN_CATALOG = '';

/** The native coin of a chain, as a token's address: the address of all zeros. */
export const NATIVE_COIN = {
  evm: '0x0000000000000000000000000000000000000000',
  solana: '11111111111111111111111111111111',
} as const;

export function isNativeCoin(token: string): boolean {
  return token === NATIVE_COIN.evm || token === NATIVE_COIN.solana;
}

/** The asset that a charge moves: a token of the catalog, or `deposit.asset`. */
export function assetOf({ token, deposit }: Pick<ChargeDoc, 'token' | 'deposit'>): string {
  return deposit?.asset ?? token;
}

/** True if it sends money of a deposit back, and charges nothing. */
export function isRefund({ deposit }: Pick<ChargeDoc, 'deposit'>): boolean {
  return deposit?.kind === 'refund';
}

/** The id of one submission of an attempt. `resubmission` is 0 for the first one, 1 after the first pause. */
export function chargeIdOf(key: string, attempt: number, resubmission: number): string {
  return resubmission === 0 ? `${key}:${attempt}` : `${key}:${attempt}.${resubmission}`;
}

/** The number of the resubmission; 0 is the first submission of its attempt. */
export function resubmissionOf({ _id, key }: Pick<ChargeDoc, '_id' | 'key'>): number {
  const [, resubmission = '0'] = _id.slice(key.length).split('.');
  return Number(resubmission);
}

/** Matches all attempts of a key: the id of each is the key, a colon and a number. */
export function ofKey(key: string): Where {
  return { _id: { gte: `${key}:`, lt: `${key};` } };
}

/** Matches the charge only if nobody has changed it since it was read. */
export function asSeen({ state, transactionId, notBefore, reason }: ChargeDoc): Where {
  return { state, transactionId, notBefore, reason };
}

/** A waiting charge's decided refusal: its payment is notified, then it ends. Null: a queue may still sign it. */
export function decidedOf({ state, reason }: Pick<ChargeDoc, 'state' | 'reason'>): RefusalFact | null {
  if (state !== 'waiting') return null;
  switch (reason) {
    case null:
    case 'reorged':
      return null;
    case 'insufficient_allowance':
    case 'insufficient_balance':
    case 'pull_reverted':
      return { kind: 'refused', reason, landed: false };
    case 'forward_reverted':
    case 'platform_transfer_reverted':
    case 'distribute_reverted':
      return { kind: 'undeliverable', reason };
    default:
      return unknownCase(reason, 'reason');
  }
}

/** The fields of a charge that its transaction released: from `now` on, any signing queue may take it. */
export function waitingAgain({ releases = 0 }: ChargeDoc, now: Date) {
  return { ...WAITING, releases: releases + 1, notBefore: now, updatedAt: now };
}

/** The fields that all these charges get. `transactionId` and `state` show afterwards whose change was written. */
export type Becoming = Partial<ChargeDoc> & Pick<ChargeDoc, 'state' | 'transactionId'>;

/**
 * Changes charges, each only if it still is as it was read (`asSeen`). Charges that were alike, as a rule all of one
 * transaction, share one write. Returns the ids of the charges that have the new fields now.
 */
export async function changeAsSeen(
  { records }: Pick<ChainContext, 'records'>,
  charges: readonly ChargeDoc[],
  set: Becoming,
): Promise<ReadonlySet<string>> {
  const groups = [...groupBy(charges, seenAs).values()];
  const changed = await Promise.all(groups.map((group) => changeGroup(records, group, set)));
  return new Set(changed.flat());
}

async function changeGroup(
  records: ChainContext['records'],
  group: readonly ChargeDoc[],
  set: Becoming,
): Promise<readonly string[]> {
  const [first] = group;
  if (first === undefined) return [];
  const ids = group.map(({ _id }) => _id);
  const made = await records.changeAlike('charges', ids, asSeen(first), { set });
  if (made === ids.length) return ids;
  const found = await records.get('charges', ids);
  return found.filter((charge) => isAs(charge, set)).map(({ _id }) => _id);
}

function isAs({ state, transactionId, block }: ChargeDoc, set: Becoming): boolean {
  const isThere = set.block === undefined || set.block?.hash === block?.hash;
  return state === set.state && transactionId === set.transactionId && isThere;
}

function seenAs({ state, transactionId, notBefore, reason }: ChargeDoc): string {
  return `${state}/${transactionId}/${notBefore.getTime()}/${reason}`;
}

/** Changes each charge in a write of its own. Those that others changed meanwhile stay as they are. */
export async function changeEach(
  { records, clock }: Pick<ChainContext, 'records' | 'clock'>,
  charges: readonly ChargeDoc[],
  set: Partial<ChargeDoc>,
): Promise<void> {
  const change = { set: { ...set, updatedAt: clock() } };
  await records.changeMany(
    'charges',
    charges.map((charge) => ({ id: charge._id, where: asSeen(charge), change })),
  );
}

/** Puts charges back into the queue for `ms` milliseconds. Those that others changed meanwhile stay as they are. */
export async function postpone(ctx: ChainContext, charges: readonly ChargeDoc[], ms: number): Promise<void> {
  await changeEach(ctx, charges, { state: 'waiting', lane: null, transactionId: null, notBefore: later(ctx, ms) });
}

/** Facts for the payment of one charge, in this order. */
export interface ChargeNotice {
  readonly charge: ChargeDoc;
  readonly facts: readonly ChargeFact[];
}

/** Notifies the payments. False: perhaps not all of them took their facts, so they must be notified again. */
async function notify(
  { chainId, listener, log }: Pick<ChainContext, 'chainId' | 'listener' | 'log'>,
  notices: readonly ChargeNotice[],
): Promise<boolean> {
  const facts = notices.flatMap(({ charge, facts: list }) => list.map((fact): ReportedFact => ({ charge, fact })));
  if (facts.length === 0) return true;
  try {
    await listener.notify(facts);
    return true;
  } catch (error) {
    const charges = notices.map(({ charge }) => charge._id).slice(0, 3);
    log.warn(
      { chainId, charges, count: notices.length, error: messageOf(error) },
      'payments did not take the facts of charges; they are notified again',
    );
    return false;
  }
}

/** Notifies all at once, or one by one if that fails: a faulty payment delays no other. Returns those taken. */
export async function notifyEach<N extends ChargeNotice>(
  ctx: Pick<ChainContext, 'chainId' | 'listener' | 'log'>,
  notices: readonly N[],
): Promise<N[]> {
  if (notices.length === 0) return [];
  if (await notify(ctx, notices)) return [...notices];
  if (notices.length === 1) return [];
  const taken: N[] = [];
  for (const notice of notices) if (await notify(ctx, [notice])) taken.push(notice);
  return taken;
}

/** `notifyEach` between the fault points of a reconciler: a test can interrupt before and after each kind of fact. */
export async function notifyFromReconciler<N extends ChargeNotice>(
  ctx: Pick<ChainContext, 'chainId' | 'listener' | 'log' | 'fault'>,
  notices: readonly N[],
): Promise<N[]> {
  const kinds = new Set(notices.flatMap(({ facts }) => facts.map(({ kind }) => kind)));
  for (const kind of kinds) await ctx.fault('reconciler.notify.before', kind);
  const taken = await notifyEach(ctx, notices);
  if (taken.length > 0) for (const kind of kinds) await ctx.fault('reconciler.notify.after', kind);
  return taken;
}

/** `notifyFromReconciler` for one charge and one fact. False: the payment did not take it. */
export async function notifyOne(
  ctx: Pick<ChainContext, 'chainId' | 'listener' | 'log' | 'fault'>,
  charge: ChargeDoc,
  kind: 'released' | 'reorged',
): Promise<boolean> {
  return (await notifyFromReconciler(ctx, [{ charge, facts: [{ kind }] }])).length > 0;
}
