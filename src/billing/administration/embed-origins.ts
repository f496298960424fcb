import type { MerchantDoc } from '../../store/collections.ts';
import type { Mode } from '../../store/documents.ts';
import { type AccountDeps, changeAccount } from './account.ts';
import type { StaffOrder } from './staff-journal.ts';

export const EMBED_ORIGINS_MAX = 50;

/** Sets the sites that may frame the checkout of the merchant's live offers. Throws 404. */
export function setEmbedOrigins(
  deps: Pick<AccountDeps, 'store' | 'clock'>,
  merchantId: string,
  origins: readonly string[],
  order: StaffOrder,
): Promise<MerchantDoc> {
  return changeAccount(deps, merchantId, order, ({ embedOrigins = [] }) => ({
    action: 'embed_origins.changed',
    set: { embedOrigins: origins },
    details: { from: [...embedOrigins], to: [...origins] },
  }));
}

/**
 * True if a page of this origin may frame a checkout of the merchant. In test mode every page may: no real money moves
 * there, and merchants develop at changing addresses.
 */
export function mayEmbed(
  { embedOrigins = [] }: Pick<MerchantDoc, 'embedOrigins'>,
  mode: Mode,
  origin: string,
): boolean {
  return mode === 'test' || embedOrigins.includes(origin);
}
