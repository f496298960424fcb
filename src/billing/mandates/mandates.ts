import type { PayerConsent } from '../../../machines/consent.ts';
import type { MandatesById } from '../../chains/mandate-reader.ts';
import type { MandateDoc } from '../../store/collections.ts';
import type { BillingDeps } from '../deps.ts';

export function mandatesOf(
  { mandates }: Pick<BillingDeps, 'mandates'>,
  consents: readonly (PayerConsent | undefined)[],
): Promise<MandatesById> {
  return mandates.get(idsIn(consents));
}

function idsIn(consents: readonly (PayerConsent | undefined)[]): readonly string[] {
  return [...new Set(consents.flatMap((consent) => consent?.mandateId ?? []))];
}

/** Why a consent allows no charge any more: it is revoked, or all its charges are made. null: it may allow one. */
export type Ended = 'revoked' | 'used_up' | null;

/** Says of each of these consents why it is over. Reads only the mandates that are, because few are. */
export async function endedConsents(
  deps: Pick<BillingDeps, 'store'>,
  consents: readonly (PayerConsent | undefined)[],
): Promise<(consent: PayerConsent | undefined) => Ended> {
  const ids = idsIn(consents);
  const [revoked, usedUp] = await Promise.all([withDate(deps, 'revokedAt', ids), withDate(deps, 'usedUpAt', ids)]);
  return (consent) => {
    const id = consent?.mandateId ?? '';
    if (revoked.has(id)) return 'revoked';
    return usedUp.has(id) ? 'used_up' : null;
  };
}

/** The mandates among these in which this date is set. */
async function withDate(
  { store }: Pick<BillingDeps, 'store'>,
  field: 'revokedAt' | 'usedUpAt',
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const where = { _id: { in: ids }, [field]: { gt: new Date(0) } };
  const found = await store.records.find('mandates', { where, limit: ids.length });
  return new Set(found.map(({ _id }) => _id));
}

/** The mandate that a payer has signed, and whether it is over by now; null: the payer has signed none. */
export async function signedMandate(
  { store }: Pick<BillingDeps, 'store'>,
  consent: PayerConsent | undefined,
): Promise<MandateDoc | null> {
  const [mandate] = await store.records.get('mandates', idsIn([consent]));
  return mandate ?? null;
}
