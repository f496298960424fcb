import type { JsonObject } from '../../../machines/json.ts';
import { conflict, internalFault, invalid, notFound } from '../../errors/fault.ts';
import { requireFeeBps } from '../../model/fees.ts';
import type { MerchantDoc, StaffAction } from '../../store/collections.ts';
import type { RecordStore } from '../../store/port.ts';
import type { BillingDeps } from '../deps.ts';
import { budgetsOf } from '../resources/budgets.ts';
import { keepEntries, type StaffOrder, staffEntry } from './staff-journal.ts';

export type AccountDeps = Pick<BillingDeps, 'store' | 'clock' | 'chains' | 'platformWallets'>;

/** The settings of an account that staff can change. */
export const SETTINGS = [
  'limitFactor',
  'feeBps',
  'signUpsPerDay',
  'newWalletsPerDay',
  'announcementsPerDay',
] as const satisfies readonly (keyof MerchantDoc)[];
type Setting = (typeof SETTINGS)[number];

/** An absent one stays. */
export type AccountSettings = { readonly [S in Setting]?: number | undefined };

export interface AccountChange {
  readonly action: StaffAction;
  readonly set: Partial<Pick<MerchantDoc, 'status' | Setting | 'branding' | 'embedOrigins' | 'letters' | 'invoicing'>>;
  readonly details: JsonObject;
}

/** How often a change is tried while changes by other staff win. */
const ATTEMPTS_MAX = 16;

/** The merchant. Throws 404 if it does not exist. */
export async function requireMerchant(records: RecordStore, merchantId: string): Promise<MerchantDoc> {
  const [merchant] = await records.get('merchants', [merchantId]);
  if (merchant === undefined) throw notFound();
  return merchant;
}

/** Throws 404, and 409 for a merchant that is suspended. */
export function suspendMerchant(deps: AccountDeps, merchantId: string, order: StaffOrder): Promise<MerchantDoc> {
  return changeAccount(deps, merchantId, order, ({ status }) => {
    if (status === 'suspended') throw conflict('Merchant is suspended; suspend needs active');
    return { action: 'merchant.suspended', set: { status: 'suspended' }, details: {} };
  });
}

/**
 * Throws 404, and 409 for a merchant that is not suspended. Call `wakeReinstated` afterwards: charges that were not
 * attempted meanwhile are then due at once.
 */
export function reinstateMerchant(deps: AccountDeps, merchantId: string, order: StaffOrder): Promise<MerchantDoc> {
  return changeAccount(deps, merchantId, order, ({ status }) => {
    if (status === 'active') throw conflict('Merchant is active; reinstate needs suspended');
    return { action: 'merchant.reinstated', set: { status: 'active' }, details: {} };
  });
}

/** Throws 404, and 400 for a fee that could not be paid out (docs/rules.md, "Money"). */
export async function setAccount(
  deps: AccountDeps,
  merchantId: string,
  settings: AccountSettings,
  order: StaffOrder,
): Promise<MerchantDoc> {
  await requireMerchant(deps.store.records, merchantId);
  if (settings.feeBps !== undefined) requirePayableFee(deps, requireFeeBps(settings.feeBps));
  const given = SETTINGS.flatMap((name) => {
    const to = settings[name];
    return to === undefined ? [] : [{ name, to }];
  });
  return changeAccount(deps, merchantId, order, (merchant) => {
    const before = { ...merchant, ...budgetsOf(merchant) };
    return {
      action: 'merchant.changed',
      set: Object.fromEntries(given.map(({ name, to }) => [name, to])),
      details: Object.fromEntries(given.map(({ name, to }) => [name, { from: before[name], to }])),
    };
  });
}

function requirePayableFee({ chains, platformWallets }: AccountDeps, feeBps: number): void {
  if (feeBps === 0) return;
  const without = chains.all().find(({ enabled, family }) => enabled && platformWallets[family] === null);
  if (without === undefined) return;
  const { family, chainId } = without;
  throw invalid(
    `feeBps must be 0: chain ${chainId} is enabled and PLATFORM_WALLET_${family.toUpperCase()} is not set, so that a fee has nowhere to go`,
  );
}

/**
 * Writes the change and its journal entry in one conditional write. The condition is the newest entry, so the loser of
 * two concurrent changes is tried again. Concurrent changes of webhook settings do not conflict.
 */
export async function changeAccount(
  { store: { records }, clock }: Pick<AccountDeps, 'store' | 'clock'>,
  merchantId: string,
  order: StaffOrder,
  decide: (merchant: MerchantDoc) => AccountChange,
): Promise<MerchantDoc> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const merchant = await requireMerchant(records, merchantId);
    const { set, ...done } = decide(merchant);
    await keepEntries(records, [merchant.staffEntry]);
    const now = clock();
    const entry = staffEntry(order, merchantId, now, done);
    const stored = await records.change(
      'merchants',
      merchantId,
      { 'staffEntry._id': merchant.staffEntry?._id ?? null },
      { set: { ...set, staffEntry: entry, updatedAt: now }, push: { recentOps: [entry._id] } },
    );
    if (stored === null) continue;
    await keepEntries(records, [entry]);
    return stored;
  }
  throw internalFault(`${merchantId}: not changed; other staff changed it first in all ${ATTEMPTS_MAX} attempts`);
}
