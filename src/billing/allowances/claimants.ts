import { MACHINES } from '../../../machines/versions.ts';
import { isKnown } from '../../engine/upcast.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { Store } from '../../store/port.ts';
import type { Tenant } from '../../store/tenant.ts';
import { livePagesOfAll } from '../subscriptions/live-subscriptions.ts';

/** The billed wallet, and the wallet that has signed a migration: either may have an upcoming charge. */
const WALLET_PATHS = ['context.payerWallet', 'context.migration.wallet'];

/**
 * Every live subscription of these tenants, all of one mode, that may draw on an allowance of these wallets (in their stored
 * spelling). Each comes once, in pages. Documents of newer code are left out.
 */
export async function* claimants(
  store: Store,
  tenants: readonly Tenant[],
  wallets: readonly string[],
): AsyncGenerator<readonly ActorDoc[]> {
  const known = new Set<string>();
  for (const path of WALLET_PATHS) {
    for await (const page of livePagesOfAll(store, tenants, { [path]: { in: wallets } })) {
      const fresh = page.filter((doc) => !known.has(doc._id) && isKnown(MACHINES, doc));
      for (const { _id } of fresh) known.add(_id);
      if (fresh.length > 0) yield fresh;
    }
  }
}
