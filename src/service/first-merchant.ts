import type { Merchants, NewMerchant } from '../billing/merchants.ts';
import type { RecordStore } from '../store/port.ts';

/** The setting that remembers that this installation has made its first merchant. */
const GREETED = 'greeted';

/**
 * A merchant with its keys, made once in the life of a data folder; null at every later start. Where it throws, the next start
 * makes one. To be awaited before anybody is served, and not before the port is had, as its keys are shown once: the test wallets
 * of the local Solana chain approve one delegate at a time, and would take it from a merchant that was made meanwhile.
 */
export async function firstMerchant(records: RecordStore, merchants: Merchants): Promise<NewMerchant | null> {
  const [verdict] = await records.insert('settings', [{ _id: GREETED, value: 'first merchant' }]);
  if (!verdict?.inserted) return null;
  try {
    return await merchants.create({ name: 'First merchant' });
  } catch (error) {
    // Nobody has been shown its keys. Where the database is gone too, that is not what went wrong first.
    await records.remove('settings', [GREETED]).catch(() => undefined);
    throw error;
  }
}
