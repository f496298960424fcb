import { conflict } from '../../errors/fault.ts';
import type { Invoicing, MerchantDoc } from '../../store/collections.ts';
import { type AccountDeps, changeAccount } from './account.ts';
import { brandingOf } from './branding.ts';
import type { StaffOrder } from './staff-journal.ts';

/** Until then every process has read the settings, so that no payment is overlooked. */
const KNOWN_MS = 10_000;

/**
 * How a merchant makes invoices from now on; issued ones stay as they are. Throws 404, and 409 without the legal name
 * and address, which every invoice has.
 */
export function setInvoicing(
  deps: Pick<AccountDeps, 'store' | 'clock'>,
  merchantId: string,
  change: Omit<Invoicing, 'since'>,
  order: StaffOrder,
): Promise<MerchantDoc> {
  return changeAccount(deps, merchantId, order, (merchant) => {
    const { legalName, legalAddress } = brandingOf(merchant);
    if (legalName === null || legalAddress === null) {
      throw conflict('Invoices need your legal name and your legal address: fill them in under Branding');
    }
    const { since = new Date(deps.clock().getTime() + KNOWN_MS), ...from } = merchant.invoicing ?? {};
    const details = { from: { ...from }, to: { ...change } };
    return { action: 'invoicing.changed', set: { invoicing: { ...change, since } }, details };
  });
}
