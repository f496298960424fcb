import { announcementId, waitingAnnouncement } from '../../chains/announcements.ts';
import { notFound } from '../../errors/fault.ts';
import { pendingOf } from '../../store/actors/log-actors.ts';
import type { AnnouncementDoc, WalletDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { tenantStore } from '../../store/tenant.ts';
import type { BillingDeps, WorkerDeps } from '../deps.ts';
import { spend } from '../resources/budgets.ts';

export type AnnouncementDeps = Pick<BillingDeps, 'store' | 'catalog' | 'chains' | 'clock'>;

/** Greater than the number of tokens; a merchant has one row per token. */
export const ROWS_MAX = 1_000;

/**
 * Announces the merchant's payout addresses that are newer than a recurring mandate, wherever such mandates are: on
 * each router of the chain, or on Solana by the service (docs/rules.md, "Wallets"). An address that is announced
 * already stays so.
 */
export async function announceWallets(
  deps: AnnouncementDeps & Pick<WorkerDeps, 'ledger'>,
  tenant: Tenant,
): Promise<void> {
  const rows = await tenantStore(deps.store, tenant).find('wallets', {
    where: { receiverWallet: { not: null } },
    limit: ROWS_MAX,
  });
  const wanted = await Promise.all(rows.map((row) => announcementsOf(deps, row)));
  await announce(deps, wanted.flat());
}

/** Stores new announcements, and wakes the senders of their chains. */
export async function announce(
  { ledger, chains }: Pick<WorkerDeps, 'ledger' | 'chains'>,
  wanted: readonly AnnouncementDoc[],
): Promise<void> {
  if (wanted.length === 0) return;
  await ledger.insert('announcements', wanted);
  for (const chainId of new Set(wanted.map((each) => each.chainId))) chains.get(chainId)?.wake();
}

/**
 * Takes the announcements that a new payout address of this token needs now from the merchant's budget. Throws 429;
 * then it must not be registered. An address that is announced already needs none.
 */
export async function spendAnnouncements(
  deps: AnnouncementDeps,
  tenant: Tenant,
  { tokenKey, receiverWallet }: { readonly tokenKey: string; readonly receiverWallet: string },
): Promise<void> {
  const { records } = deps.store;
  const wanted = await announcementsOf(deps, { ...tenant, tokenKey, receiverWallet, createdAt: deps.clock() });
  if (wanted.length === 0) return;
  const made = await records.get(
    'announcements',
    wanted.map(({ _id }) => _id),
  );
  const count = wanted.length - made.length;
  if (count === 0) return;
  const [merchant] = await records.get('merchants', [tenant.merchantId]);
  if (merchant === undefined) throw notFound();
  await spend(deps, merchant, { mode: tenant.mode, budget: 'announcementsPerDay', count });
}

type Payable = Pick<WalletDoc, 'merchantId' | 'mode' | 'tokenKey' | 'receiverWallet' | 'registeredAt' | 'createdAt'>;

async function announcementsOf({ store, catalog, chains, clock }: AnnouncementDeps, row: Payable) {
  const { merchantId, mode, tokenKey, receiverWallet: payee } = row;
  const answer = tokenKey === null ? null : catalog.play(tokenKey, mode);
  const chain = answer?.ok ? chains.get(answer.play.chainId) : undefined;
  if (payee === null || !chain?.enabled) return [];
  const { chainId } = chain;
  const routers = chain.family === 'solana' ? [null] : chain.routers;
  const announced = routers.map(async (router): Promise<AnnouncementDoc[]> => {
    const where = { merchantId, mode, chainId, router, end: 0, createdAt: { lte: registeredAt(row) } };
    const [older] = await store.records.find('mandates', { where, limit: 1 });
    return older === undefined ? [] : [waitingAnnouncement({ merchantId, mode, chainId, router, payee }, clock())];
  });
  return (await Promise.all(announced)).flat();
}

/**
 * When charges under earlier mandates begin to pay the address of each row, by id of the row: when it was registered,
 * or later. null: the announcement of the address was withdrawn. Counts announcements that a worker still has to make.
 */
export async function effectiveDates(
  deps: AnnouncementDeps,
  { merchantId, mode }: Tenant,
  rows: readonly WalletDoc[],
): Promise<ReadonlyMap<string, Date | null>> {
  // Read first, so that an effect that runs meanwhile is in both and not in neither.
  const followed = await followedOf(deps, rows);
  const payees = [...new Set(rows.flatMap(({ receiverWallet }) => receiverWallet ?? []))];
  const found =
    payees.length === 0
      ? []
      : await deps.store.records.find('announcements', {
          where: { payee: { in: payees }, merchantId, mode },
          limit: payees.length * ROWS_MAX,
        });
  const unmade = await Promise.all(followed.map((row) => announcementsOf(deps, row)));
  const made = new Set(found.map(({ _id }) => _id));
  const all = [...found, ...unmade.flat().filter(({ _id }) => !made.has(_id))];
  return new Map(
    rows.map((row) => {
      const answer = row.tokenKey === null ? null : deps.catalog.play(row.tokenKey, mode);
      const chainId = answer?.ok ? answer.play.chainId : null;
      const own = all.filter((each) => each.payee === row.receiverWallet && each.chainId === chainId);
      return [row._id, effectiveAt(row, own)];
    }),
  );
}

/** Those for which the effect that announces their address may not have run. */
async function followedOf({ store }: Pick<BillingDeps, 'store'>, rows: readonly WalletDoc[]): Promise<WalletDoc[]> {
  const outboxes = await store.records.get(
    'outbox',
    rows.flatMap(({ outboxId }) => outboxId ?? []),
  );
  const known = new Map(outboxes.map((outbox) => [outbox._id, outbox]));
  return rows.filter(({ _id, outboxId }) => {
    const { outbox } = pendingOf(_id, known.get(outboxId ?? ''));
    return outbox.some(({ effect }) => effect.type === 'payout.registered');
  });
}

function effectiveAt(row: WalletDoc, announcements: readonly AnnouncementDoc[]): Date | null {
  if (announcements.some(({ state }) => state === 'withdrawn')) return null;
  return new Date(Math.max(registeredAt(row).getTime(), ...announcements.map(({ from }) => from.getTime())));
}

export function registeredAt({ registeredAt: since, createdAt }: Pick<WalletDoc, 'registeredAt' | 'createdAt'>): Date {
  return since ?? createdAt;
}

/** The name of the announcement that lets charges under a mandate pay this address. */
export function announcedUnder(
  { chainId, router, merchantId, mode }: Pick<AnnouncementDoc, 'chainId' | 'router' | 'merchantId' | 'mode'>,
  payee: string,
) {
  const announced = { chainId, router, merchantId, mode, payee };
  return { announced, id: announcementId(announced) };
}
