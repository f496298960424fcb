import type { PayerConsent } from '../../../machines/consent.ts';
import type { MandateDoc } from '../../store/collections.ts';
import type { BillingDeps } from '../deps.ts';

/** Signed mandates by id. */
export type Mandates = ReadonlyMap<string, MandateDoc>;

/** The mandates of these consents, in one read; none of them is asked for where there are none. */
export async function mandatesOf(
  { store }: Pick<BillingDeps, 'store'>,
  consents: readonly (PayerConsent | undefined)[],
): Promise<Mandates> {
  const ids = new Set(consents.flatMap((consent) => consent?.mandateId ?? []));
  const found = ids.size === 0 ? [] : await store.records.get('mandates', [...ids]);
  return new Map(found.map((mandate) => [mandate._id, mandate]));
}

/** The mandate of a consent; undefined: it needs none. */
export function mandateIn(mandates: Mandates, consent: PayerConsent | undefined): MandateDoc | undefined {
  const id = consent?.mandateId ?? null;
  if (id === null) return undefined;
  const mandate = mandates.get(id);
  if (mandate === undefined) throw new Error(`mandate ${id} does not exist`);
  return mandate;
}

/** Why a consent allows no charge any more: the payer has revoked the agreement, or all its charges are made. null: it may. */
export type Ended = 'revoked' | 'used_up' | null;

/** Says of each of these consents why it is over, in one read. */
export async function endedConsents(
  deps: Pick<BillingDeps, 'store'>,
  consents: readonly (PayerConsent | undefined)[],
): Promise<(consent: PayerConsent | undefined) => Ended> {
  const mandates = await mandatesOf(deps, consents);
  return (consent) => {
    const mandate = mandates.get(consent?.mandateId ?? '');
    if (mandate?.revokedAt) return 'revoked';
    return mandate?.usedUpAt ? 'used_up' : null;
  };
}

/** The mandate that a payer has signed; null: the payer has signed none. */
export async function signedMandate(
  deps: Pick<BillingDeps, 'store'>,
  consent: PayerConsent | undefined,
): Promise<MandateDoc | null> {
  return mandateIn(await mandatesOf(deps, [consent]), consent) ?? null;
}

/** The platform's fee in basis points: never more than the payer has signed. */
export function feeUnder(mandate: MandateDoc | undefined, feeBps: number): number {
  return mandate === undefined ? feeBps : Math.min(feeBps, mandate.feeBps);
}

/** Who gets the merchant's part of a one-off payment: the payout wallet if the payer has signed it, else the one that was signed. */
export function payeeUnder(mandate: MandateDoc | undefined, payoutWallet: string): string {
  const payees = mandate?.payees ?? [payoutWallet];
  return payees.includes(payoutWallet) ? payoutWallet : (payees[0] ?? payoutWallet);
}
