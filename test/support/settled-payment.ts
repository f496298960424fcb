import { newPayment } from '../../machines/payment/context.ts';
import { refundedUnits } from '../../machines/payment/refunds.ts';
import type { RefundState } from '../../machines/refund/context.ts';
import type { OnChainCharge, OnChainRefund } from '../../src/chains/chain-reader.ts';
import { merchantSalt, paymentChargeKey } from '../../src/chains/evm/contracts/router.ts';
import { mandateKey } from '../../src/chains/mandate-reader.ts';
import type { BlockRef, ChargeDoc, MandateDoc } from '../../src/store/collections.ts';
import type { ActorDoc, StoredActor } from '../../src/store/documents.ts';
import { partitionOf } from '../../src/store/ids.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { scriptedCatalog } from '../../stage/scripted-chain.ts';
import { actor, charge as chargeDoc, insertActors, transaction } from '../store/support/documents.ts';
import { ALICE, BOB, CAROL } from './bodies.ts';
import { PAYMENT_ATTRIBUTES } from './cycle-payment.ts';

export const PLAYED_ON = 31_337;
export const PLAYED_TOKEN = scriptedCatalog().tokenByKey('usdc-local-evm')?.address ?? '';
export const NOW = new Date('2030-01-15T10:00:00.000Z');

/** A stored payment, and the chain's record of its charge. */
export interface SettledPayment {
  readonly id: string;
  readonly key: string;
  readonly charge: ChargeDoc;
  readonly seen: OnChainCharge & { readonly block: BlockRef };
  readonly txHash: string;
}

export interface SettledWish {
  readonly block?: number;
  readonly state?: ChargeDoc['state'];
  readonly status?: string;
  readonly amount?: string;
  readonly merchantId?: string;
  readonly settledAt?: Date;
  /** Attributes of the payment that differ. */
  readonly attributes?: ActorDoc['attributes'];
  /** It is charged under this mandate, for cycle 1 of its agreement. */
  readonly mandate?: MandateDoc;
  /** Its refunds, whose key is that of its charge. */
  readonly refunds?: readonly Partial<RefundState>[];
}

let made = 0;

/** Stores a settled payment of 10.00 with its charge and its transaction; a test may change parts. */
export async function settledPayment(
  store: LedgerStore,
  {
    block = 50,
    state = 'final',
    status = 'settled',
    amount = '10000000',
    merchantId = 'mrc_a',
    settledAt = NOW,
    attributes = {},
    mandate,
    refunds = [],
  }: SettledWish = {},
): Promise<SettledPayment> {
  made += 1;
  const id = `pay_01hm00000000000000000${String(made).padStart(5, '0')}`;
  const key = mandate === undefined ? paymentChargeKey(id) : mandateKey(mandate.agreement, 1);
  const txHash = `0x${String(made).padStart(64, '0')}`;
  const ref = { number: block, hash: `0x${String(block).padStart(64, 'b')}` };
  const shares: ChargeDoc['shares'] = [
    { role: 'forward', to: BOB, amount: '9900000' },
    { role: 'platform', to: CAROL, amount: '100000' },
  ];
  const isFinal = state === 'final';
  const landed = isFinal ? { txHash, block: ref } : {};
  const times = { createdAt: NOW, updatedAt: NOW };
  const wish = {
    _id: `${key}:1`,
    key,
    paymentId: id,
    merchantId,
    token: PLAYED_TOKEN,
    from: ALICE,
    gross: '10000000',
    shares,
    ...(mandate === undefined ? {} : { mandate: { id: mandate._id, cycle: 1 } }),
    isCycle: false,
  };
  const charge = chargeDoc({ ...wish, state, transactionId: `txn_${made}`, ...landed, notBefore: NOW, ...times });
  const seen: SettledPayment['seen'] = {
    key,
    router: CAROL,
    txHash,
    block: ref,
    merchant: merchantSalt(merchantId, 'test'),
    token: PLAYED_TOKEN,
    from: ALICE,
    gross: 10_000_000n,
    shares: shares.map((share) => ({ to: share.to, account: null, amount: BigInt(share.amount), index: null })),
    index: 3,
    isBounded: mandate !== undefined,
  };
  await insertActors(store, [
    paymentDoc(id, {
      ...{ merchantId, settledAt, attributes, status, amount, txHash },
      ...{ block: ref, mandateId: mandate?._id ?? null, refunds: refunds.map((each) => refundOf(key, each)) },
    }),
  ]);
  await store.records.insert('charges', [charge]);
  const sent = transaction({
    _id: `txn_${made}`,
    sender: ALICE,
    nonce: made,
    state: isFinal ? 'finalized' : 'signed',
    versions: [{ hash: txHash, raw: '0x', maxFeePerGas: '1', maxPriorityFeePerGas: '1', at: NOW }],
    chargeIds: [charge._id],
    ...landed,
    askAt: NOW,
    ...times,
  });
  await store.records.insert('transactions', [sent]);
  return { id, key, charge, seen, txHash };
}

/** A refund of 4.00 that has settled; a test may change parts. */
function refundOf(key: string, change: Partial<RefundState>): RefundState {
  const now = NOW.toISOString();
  return {
    ...{ id: 'ref_1', idempotencyKey: 'back', requestHash: '', amount: '4000000', due: '4000000', key },
    ...{ receiver: ALICE, reason: null, since: null, expiresAt: now, requestedAt: now },
    transfer: { transaction: '0xback', index: 0, block: { number: 60, hash: '0xb60' } },
    ...{ settledAt: now, failure: null, status: 'settled' },
    ...change,
  };
}

/** Its transfer under the key of its charge, as the chain shows it; a test may change parts. */
export function seenRefund(key: string, change: Partial<OnChainRefund> = {}): OnChainRefund {
  return {
    ...{ key, token: PLAYED_TOKEN, router: CAROL, reference: null, from: BOB, receiver: ALICE, account: null },
    ...{ amount: 4_000_000n, transaction: '0xback', index: 0, block: { number: 60, hash: '0xb60' }, logIndex: 4 },
    ...change,
  };
}

interface PaymentWish extends Required<Omit<SettledWish, 'block' | 'state' | 'mandate'>> {
  readonly block: { readonly number: number; readonly hash: string };
  readonly txHash: string;
  readonly mandateId: string | null;
  readonly refunds: RefundState[];
}

function paymentDoc(
  id: string,
  { merchantId, settledAt, attributes, status, amount, txHash, block, mandateId, refunds }: PaymentWish,
): StoredActor {
  const consent = mandateId === null ? {} : { consent: { mandateId, router: CAROL } };
  const wish = { id, cycleOf: null, amount, fromWallet: ALICE, toWallet: BOB, forcedFailure: null };
  const hashes = { pullTxHash: txHash, forwardTxHash: txHash, platformTransferTxHash: txHash, distributeTxHash: null };
  return actor({
    _id: id,
    kind: 'payment',
    merchantId,
    rev: 3,
    partition: partitionOf(id),
    createdAt: NOW,
    updatedAt: settledAt,
    attributes: {
      ...PAYMENT_ATTRIBUTES,
      tokenKey: 'usdc-local-evm',
      platformAmount: '100000',
      merchantAmount: '9900000',
      feeBps: 100,
      idempotencyKey: id,
      ...attributes,
    },
    value: 'settled',
    context: {
      ...newPayment(wish),
      ...consent,
      ...(refunds.length === 0 ? {} : { refunds, refunded: String(refundedUnits({ refunds })) }),
      ...{ attempt: 1, landedAttempt: 1, settledAt: settledAt.toISOString(), hashes, block },
    },
    status,
  });
}
