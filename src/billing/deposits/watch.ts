import { comparableAddress } from '../../model/addresses.ts';
import { chargeKeyOf } from '../../model/consent.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import type { DepositDoc, WatchDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { partitionOf } from '../../store/ids.ts';
import type { RecordStore } from '../../store/port.ts';
import type { BillingDeps } from '../deps.ts';

/** The pause before the first check without a log, which triggers one at once. */
const FIRST_CHECK_MS = 15_000;

/** Starts to watch the payment's deposit address. Idempotent. */
export async function watchDeposit(
  { store, catalog, clock }: Pick<BillingDeps, 'store' | 'catalog' | 'clock'>,
  payment: ActorDoc,
): Promise<void> {
  const { deposit, consent } = paymentContextOf(payment);
  const { tokenKey, refundWallet, depositSince, chargeSecret } = paymentAttributes.parse(payment.attributes);
  const answer = catalog.play(tokenKey, payment.mode);
  if (deposit === null || !answer.ok) throw new Error(`${payment._id} has no deposit to be watched`);
  const { merchantId, mode, createdAt } = payment;
  const { chainId, token: playing } = answer.play;
  const now = clock();
  const doc: DepositDoc = {
    _id: payment._id,
    merchantId,
    mode,
    rev: 1,
    chainId,
    account: chargeKeyOf(payment, undefined),
    address: deposit.address,
    ...(consent?.router ? { router: consent.router } : {}),
    token: playing,
    due: deposit.due,
    refundWallet,
    ...(chargeSecret === undefined ? {} : { chargeSecret }),
    since: depositSince ?? null,
    arrivals: [],
    heldAt: null,
    createdAt,
    updatedAt: now,
  };
  await store.records.insert('deposits', [doc]);
  await watchAddress({ records: store.records, catalog, clock }, doc);
}

/** Watches the address again, if nothing watches it. A check also queues the refunds that were left undone. */
export async function watchAddress(
  { records, catalog, clock }: Pick<BillingDeps, 'catalog' | 'clock'> & { readonly records: RecordStore },
  { _id, merchantId, mode, chainId, token, address }: DepositDoc,
): Promise<void> {
  const now = clock();
  const wallet = comparableAddress(catalog.chain(chainId)?.family ?? 'evm', address);
  const watch: WatchDoc = {
    _id,
    partition: partitionOf(wallet),
    merchantId,
    mode,
    chainId,
    token,
    operator: null,
    wallet,
    lookAt: new Date(now.getTime() + FIRST_CHECK_MS),
    looks: 0,
    createdAt: now,
  };
  await records.insert('watches', [watch]);
}
