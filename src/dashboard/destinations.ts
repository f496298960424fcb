import type { MemberSession } from '../billing/members/sessions.ts';
import { Fault } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import type { Tenant } from '../store/documents.ts';
import { tenantStore } from '../store/tenant.ts';
import { requireProof } from './proof.ts';

/** The fields of the merchant API that name a receiver of money. */
const DESTINATIONS: ReadonlySet<string> = new Set([
  'toWallet',
  'refundWallet',
  'splitEvm',
  'splitSolana',
  'merchantDestinationWallet',
]);

/** More than a tenant has tokens. */
const WALLETS_MAX = 1_000;

/**
 * Throws 403 for a member who would send money elsewhere than to the payout wallets, which admins set, and for an admin
 * who would send live money there without a fresh proof.
 */
export async function requireOwnDestinations(
  deps: Pick<HttpDeps, 'store'>,
  tenant: Tenant,
  session: MemberSession,
  { now, body }: { readonly now: Date; readonly body: unknown },
): Promise<void> {
  const { role } = session.member;
  const named = role === 'admin' && tenant.mode === 'test' ? [] : destinationsIn(body);
  if (named.length === 0) return;
  const where = { receiverWallet: { not: null } };
  const rows = await tenantStore(deps.store, tenant).find('wallets', { where, limit: WALLETS_MAX });
  const own = new Set(rows.map(({ receiverWallet }) => spelled(receiverWallet ?? '')));
  const other = named.find(({ address }) => !own.has(spelled(address)));
  if (other === undefined) return;
  if (role === 'admin') return requireProof(session, now);
  throw new Fault(
    'forbidden',
    `${other.field} names an address that is no registered payout wallet: this needs the role admin, and yours is ${role}; ask an admin of your team`,
  );
}

interface Destination {
  readonly field: string;
  readonly address: string;
}

/** At any depth, because options are inside of offers, and offers inside of batches. */
function destinationsIn(value: unknown): Destination[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) =>
    DESTINATIONS.has(field) ? textsIn(inner).map((address) => ({ field, address })) : destinationsIn(inner),
  );
}

/** Every text is taken for an address, but for the percentages of splits. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) => (field === 'percentage' ? [] : textsIn(inner)));
}

/** Addresses on EVM are the same in any case. */
function spelled(address: string): string {
  return /^0x/i.test(address.trim()) ? address.trim().toLowerCase() : address.trim();
}
