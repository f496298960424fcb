import { isSameTransfer, refundsOf } from '../../../machines/payment/refunds.ts';
import { announcementId } from '../../chains/announcements.ts';
import type { Catalog } from '../../chains/catalog.ts';
import type { ChainReader, Evidence } from '../../chains/chain-reader.ts';
import { isRefund } from '../../chains/charges.ts';
import { conflict, notFound } from '../../errors/fault.ts';
import { paymentAttributes, paymentContextOf } from '../../model/payment.ts';
import { pick } from '../../model/pick.ts';
import { refundKeys } from '../../model/refund.ts';
import type { ChargeDoc, MandateDoc, MandateUse } from '../../store/collections.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { paymentIdOf } from '../../store/ids.ts';
import type { Store } from '../../store/port.ts';
import { tenantStore } from '../../store/tenant.ts';
import type { BillingDeps } from '../deps.ts';
import { type Proof, proofSchema, type UnsignedProof } from './document.ts';
import { type ProofSigner, type PublicJwk, publicJwk } from './signer.ts';

export interface ProofsDeps extends Pick<BillingDeps, 'store' | 'catalog' | 'clock'> {
  readonly chainReaders: readonly ChainReader[];
  /** null: this installation signs no proofs. */
  readonly signer: ProofSigner | null;
  /** Public keys that signed before it, hex of 32 bytes each: their proofs stay valid. */
  readonly retiredKeys: readonly string[];
}

/** The public keys that verify proofs, the present one first; empty if none were ever signed. */
export function proofKeys({ signer, retiredKeys }: Pick<ProofsDeps, 'signer' | 'retiredKeys'>): PublicJwk[] {
  return [...(signer === null ? [] : [signer.jwk]), ...retiredKeys.map(publicJwk)];
}

/**
 * The proof that a payment was charged, its fields in the order of canonical JSON. Throws 404 if the tenant has no such
 * payment; 409 if it is not settled, if the chain does not show its transaction or that of a refund, or if no signing
 * key is set.
 */
export async function proofOf(deps: ProofsDeps, tenant: Tenant, spelling: string): Promise<Proof> {
  const { store, signer, clock } = deps;
  const payment = await tenantStore(store, tenant).actor('payment', paymentIdOf(spelling));
  if (!payment) throw notFound();
  if (payment.status !== 'settled') throw conflict(`Payment is ${payment.status}; a proof needs settled`);
  if (signer === null) throw conflict('Proofs are not signed here; SIGNING_KEY is needed');
  const charge = await chargeOf(store, payment);
  const reader = deps.chainReaders.find(({ chainId }) => chainId === charge?.chainId);
  const evidence = charge && reader ? await reader.evidence(charge) : null;
  if (!charge || !reader || !evidence) {
    throw conflict('Payment is settled, and its transaction is being searched for; a proof needs it in a block');
  }
  const refunds = await provenRefunds(reader, payment);
  const unsigned: UnsignedProof = {
    chargeKey: charge.key,
    isSandbox: payment.mode === 'test',
    issuedAt: clock().toISOString(),
    mandate: charge.mandate === undefined ? null : await mandateOf(store, charge, charge.mandate),
    merchantId: payment.merchantId,
    onChain: onChainOf(charge, reader, evidence),
    paymentId: payment._id,
    ...(refunds.length === 0 ? {} : { refunds }),
    signature: { algorithm: 'Ed25519', keyId: signer.keyId, publicKey: signer.publicKey },
    terms: termsOf(payment, charge, deps.catalog),
    type: 'tideline.proof-of-charge',
    version: 1,
  };
  return proofSchema.parse({ ...unsigned, signature: { ...unsigned.signature, value: signer.sign(unsigned) } });
}

/** The settled refunds by the merchant. Throws 409 if the chain does not show one. */
async function provenRefunds(reader: ChainReader, payment: ActorDoc): Promise<NonNullable<Proof['refunds']>> {
  const settled = refundsOf(paymentContextOf(payment)).filter(({ status }) => status === 'settled');
  const seen = await reader.refunds(refundKeys({ refunds: settled }));
  return settled.map(({ id, key, transfer }) => {
    const made = seen.find((each) => each.key === key && transfer !== null && isSameTransfer(each, transfer));
    if (made === undefined) throw conflict(`Refund ${id} is settled, and its transaction is being searched for`);
    return {
      ...pick(made, 'account', 'from', 'logIndex', 'reference', 'router', 'transaction'),
      ...{ id, amount: String(made.amount), blockNumber: made.block.number, to: made.receiver },
    };
  });
}

/** Greater than the number of sent or landed attempts and refunds of any payment. */
const ATTEMPTS_MAX = 1_000;

async function chargeOf({ records }: Store, { _id: paymentId }: ActorDoc): Promise<ChargeDoc | undefined> {
  const where = { paymentId, state: { in: ['final', 'mined', 'sent'] } };
  const charges = await records.find('charges', { where, sort: [['attempt', -1]], limit: ATTEMPTS_MAX });
  return charges.find((charge) => !isRefund(charge));
}

function onChainOf(
  charge: ChargeDoc,
  reader: ChainReader,
  { charge: seen, confirmations }: Evidence,
): Proof['onChain'] {
  const roles = charge.shares.filter(({ amount }) => amount !== '0').map(({ role }) => role);
  return {
    blockHash: seen.block.hash,
    blockNumber: seen.block.number,
    chainId: charge.chainId,
    confirmations,
    family: reader.family,
    from: seen.from,
    gross: String(seen.gross),
    logIndex: positionOf(charge, seen.index),
    merchant: seen.merchant,
    router: seen.router,
    shares: seen.shares.map(({ account, amount, index, to }, at) => ({
      account,
      amount: String(amount),
      logIndex: positionOf(charge, index),
      role: roles[at] ?? 'split',
      to,
    })),
    token: seen.token,
    transaction: seen.txHash,
  };
}

type ProvenMandate = NonNullable<Proof['mandate']>;

async function mandateOf({ records }: Store, charge: ChargeDoc, { id, cycle }: MandateUse): Promise<ProvenMandate> {
  const [mandate] = await records.get('mandates', [id]);
  if (mandate === undefined) throw new Error(`mandate ${id} does not exist`);
  const announcements = await announcementsOf(records, charge, mandate);
  return {
    ...{ id, cycle, ...(announcements.length === 0 ? {} : { announcements }), payees: [...mandate.payees] },
    ...pick(mandate, 'agreement', 'charges', 'end', 'feeBps', 'interval', 'issuedAt', 'message', 'months', 'payer'),
    ...(mandate.per30Days === undefined ? {} : { per30Days: mandate.per30Days }),
    ...pick(mandate, 'perCharge', 'platform', 'router', 'signature', 'start', 'terms', 'token'),
  };
}

/** On EVM the router says whom it has announced. */
async function announcementsOf(
  records: Store['records'],
  { shares, chainId, merchantId, mode }: ChargeDoc,
  { payees, platform, router }: MandateDoc,
): Promise<NonNullable<ProvenMandate['announcements']>> {
  if (router !== null) return [];
  const others = shares.filter(({ to, amount }) => amount !== '0' && to !== platform && !payees.includes(to));
  const ids = others.map(({ to }) => announcementId({ chainId, router, merchantId, mode, payee: to }));
  const found = await records.get('announcements', [...new Set(ids)]);
  return found.flatMap(({ payee, transaction }) => (transaction === undefined ? [] : [{ payee, transaction }]));
}

function positionOf({ _id }: ChargeDoc, index: number | null): number {
  if (index === null) throw new Error(`a share of the charge ${_id} has no log of its token`);
  return index;
}

function termsOf(payment: ActorDoc, charge: ChargeDoc, catalog: Catalog): Proof['terms'] {
  const attributes = paymentAttributes.parse(payment.attributes);
  const { amount, cycleOf, fromWallet, toWallet } = paymentContextOf(payment);
  return {
    ...pick(attributes, 'chainId', 'feeBps', 'merchantAmount', 'offerId', 'platformAmount', 'priceId'),
    ...pick(attributes, 'subscriptionId', 'tokenKey'),
    amount,
    cycle: cycleOf?.cycle ?? null,
    decimals: catalog.tokenByKey(attributes.tokenKey)?.decimals ?? 0,
    payer: charge.deposit ? charge.from : fromWallet,
    periodEnd: cycleOf?.periodEnd ?? null,
    periodStart: cycleOf?.periodStart ?? null,
    recipient: toWallet,
    splits: attributes.splits.map(({ address, percentage }) => ({ address, percentage })),
  };
}
