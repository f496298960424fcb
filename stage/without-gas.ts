import { localKey } from '../devnet/evm-wallets.ts';
import type { DevnetFacts } from '../scripts/lib/devnet-facts.ts';
import { connectTo } from './connect.ts';

/** During `what`, no sender of the local chain can pay for a transaction, so that charges wait and none is started. */
export async function withoutGas<T>(facts: DevnetFacts, what: () => Promise<T>): Promise<T> {
  const provider = connectTo(facts);
  const senders = [1, 2].map((number) => localKey(`sender ${number}`).address);
  const balances = await Promise.all(senders.map((sender) => provider.getBalance(sender)));
  const set = (balance: (index: number) => bigint) =>
    Promise.all(
      senders.map((sender, index) => provider.send('anvil_setBalance', [sender, `0x${balance(index).toString(16)}`])),
    );
  try {
    await set(() => 0n);
    return await what();
  } finally {
    await set((index) => balances[index] ?? 0n);
    provider.destroy();
  }
}
