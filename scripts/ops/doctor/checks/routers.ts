import { usesOf } from '../../../../src/billing/routers/router-use.ts';
import { replacedAt } from '../../../../src/service/routers.ts';
import { type Finding, type Found, found, note, type Patient } from '../finding.ts';

/** Routers behind the newest one of their chain: what still needs them, or that they can be dropped. */
export async function olderRouters({ store, catalog, now, olderRouters: older }: Patient): Promise<Found> {
  const findings = await Promise.all(
    older.map(async (of): Promise<Finding> => {
      const uses = await usesOf({ store, catalog, clock: () => now }, of, await replacedAt(store.records, of));
      const label = catalog.chain(of.chainId)?.label ?? `chain ${of.chainId}`;
      const about = `${label}: ${of.router}`;
      return uses.length === 0
        ? note(about, 'nothing needs this older router any more', `remove it from ROUTER_${of.chainId}`)
        : note(
            about,
            `older router in use: ${uses.join(', ')}`,
            `keep it in ROUTER_${of.chainId}, behind the newer ones`,
          );
    }),
  );
  return found(findings);
}
