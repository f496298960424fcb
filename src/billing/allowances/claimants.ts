import { MACHINES } from '../../../machines/versions.ts';
import { isKnown } from '../../engine/upcast.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import type { Tenant } from '../../store/tenant.ts';
import { livePagesOfAll } from '../subscriptions/live-subscriptions.ts';

/** The billed wallet, and the wallet that has signed a migration: either may have an upcoming charge. */
const WALLET_PATHS = ['context.payerWallet', 'context.migration.wallet'];

/** The fields of a subscription that its claims follow from: half of the document. */
const CLAIM_FIELDS = [
  'kind',
  'merchantId',
  'mode',
  'createdAt',
  'machineVersion',
  'value',
  'context',
  'status',
  'clockOffsetMs',
  'quarantine',
] as const satisfies (keyof ActorDoc)[];

export type ClaimDoc = Pick<ActorDoc, '_id' | (typeof CLAIM_FIELDS)[number]>;

/**
 * Every live subscription of these tenants, all of one mode, that may draw on an allowance of these wallets (in their stored
 * spelling). Each comes once, in pages, with the fields of a `ClaimDoc` and `others`. Documents of newer code are left out.
 */
export async function* claimants<F extends keyof ActorDoc = never>(
  store: Store,
  tenants: readonly Tenant[],
  wallets: readonly string[],
  others: readonly F[] = [],
): AsyncGenerator<readonly (ClaimDoc & Pick<ActorDoc, F>)[]> {
  const known = new Set<string>();
  for (const path of WALLET_PATHS) {
    const where = { [path]: { in: wallets } };
    for await (const page of livePagesOfAll(store, tenants, where, [...CLAIM_FIELDS, ...others])) {
      const fresh = page.filter((doc) => !known.has(doc._id) && isKnown(MACHINES, doc));
      for (const { _id } of fresh) known.add(_id);
      if (fresh.length > 0) yield fresh;
    }
  }
}
