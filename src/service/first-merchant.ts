import { createMerchant, type MerchantsDeps, type NewMerchant } from '../billing/administration/merchants.ts';
import { inviteMember } from '../billing/members/members.ts';

/** The setting that records that this installation has made its first merchant. */
const GREETED = 'greeted';

export interface FirstMerchant extends NewMerchant {
  /** The token of the link that signs an admin of it in to the dashboard, once. */
  readonly invitation: string;
}

/**
 * A merchant with its keys and one admin, made once per data folder; null at every later start. If it throws, the next
 * start makes one. Call it after the port is bound, because the keys are shown only once. Await it before the first
 * request: the test wallets of the local Solana chain approve one delegate at a time, and would take it from a merchant
 * that was made meanwhile.
 */
export async function firstMerchant(deps: MerchantsDeps): Promise<FirstMerchant | null> {
  const { records } = deps.store;
  const [verdict] = await records.insert('settings', [{ _id: GREETED, value: 'first merchant' }]);
  if (!verdict?.inserted) return null;
  try {
    const made = await createMerchant(deps, { name: 'First merchant' });
    const order = { by: 'staff', reason: 'the first start' };
    const { token } = await inviteMember(deps, made.merchant._id, { name: 'First admin', role: 'admin' }, order);
    return { ...made, invitation: token };
  } catch (error) {
    // Nobody has seen its keys. If the database fails here too, the first error is still the one to report.
    await records.remove('settings', [GREETED]).catch(() => undefined);
    throw error;
  }
}
