import { MACHINES } from '../../../machines/versions.ts';
import { isKnown } from '../../engine/upcast.ts';
import { LIVE_STATUSES } from '../../model/subscription.ts';
import type { ActorDoc, Tenant } from '../../store/documents.ts';
import { type FieldsReader, findActorsOfAll, type TenantQuery } from '../../store/tenant.ts';
import { valuesAt } from '../../store/values-at.ts';

/**
 * The wallet that has signed a migration, and the billed wallet: either may have an upcoming charge. In this order, a
 * migration that is completed between the two reads is in one of them.
 */
const WALLET_PATHS = ['context.migration.wallet', 'context.payerWallet'];

const PAGE = 500;

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
 * Every live subscription of these tenants, all of one mode, that may draw on an allowance of these wallets (in their
 * stored spelling). Each comes once, in pages, with the fields of a `ClaimDoc` and `others`. Documents of newer code
 * are left out.
 */
export async function* claimants<F extends keyof ActorDoc = never>(
  store: FieldsReader,
  tenants: readonly Tenant[],
  wallets: readonly string[],
  others: readonly F[] = [],
): AsyncGenerator<readonly (ClaimDoc & Pick<ActorDoc, F>)[]> {
  const known = new Set<string>();
  for (const path of WALLET_PATHS) {
    for await (const page of pagesBy(store, tenants, { path, wallets }, others)) {
      const fresh = page.filter((doc) => !known.has(doc._id) && isKnown(MACHINES, doc));
      for (const { _id } of fresh) known.add(_id);
      if (fresh.length > 0) yield fresh;
    }
  }
}

/** The newest 500 canceled subscriptions that billed this wallet, without those whose approval was taken back. */
export async function canceledClaimants(store: FieldsReader, tenant: Tenant, wallet: string): Promise<ClaimDoc[]> {
  const where = { 'context.payerWallet': wallet, status: 'canceled', 'context.approvalRevokedAt': null };
  const query = { where, sort: [['context.payerWallet', 1] as const, ['createdAt', -1] as const], limit: PAGE };
  const found = await findActorsOfAll(store, [tenant], 'subscription', query, CLAIM_FIELDS);
  return found.filter((doc) => isKnown(MACHINES, doc));
}

/**
 * Reads each match once, in the order of the index by this path. In the order of ids, which that index does not have,
 * the database would read and sort all matches again for each page.
 */
async function* pagesBy<F extends keyof ActorDoc>(
  store: FieldsReader,
  tenants: readonly Tenant[],
  { path, wallets }: { readonly path: string; readonly wallets: readonly string[] },
  others: readonly F[],
): AsyncGenerator<(ClaimDoc & Pick<ActorDoc, F>)[]> {
  const where = { [path]: { in: wallets }, status: { in: LIVE_STATUSES } };
  const sort = [[path, 1] as const, ['createdAt', -1] as const];
  const fields = [...CLAIM_FIELDS, ...others];
  for (let after: TenantQuery['after']; ; ) {
    const query = { where, sort, limit: PAGE, ...(after && { after }) };
    const page: (ClaimDoc & Pick<ActorDoc, F>)[] = await findActorsOfAll(store, tenants, 'subscription', query, fields);
    yield page;
    const end = page.at(-1);
    if (end === undefined || page.length < PAGE) return;
    after = [String(valuesAt(end, path.split('.'))[0]), end.createdAt, end._id];
  }
}
