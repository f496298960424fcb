import type { ChainContext } from '../context.ts';
import type { SenderHealth } from '../port.ts';
import type { FeeBalance } from './gas.ts';

/** How a chain's senders stand, in their order. A balance that nobody has checked for a while is checked. */
export function healthOfSenders(
  { records, chainId }: Pick<ChainContext, 'records' | 'chainId'>,
  feeBalances: readonly FeeBalance[],
): Promise<SenderHealth[]> {
  return Promise.all(
    feeBalances.map(async (feeBalance) => {
      const { address } = feeBalance;
      const [inFlight] = await Promise.all([
        records.count('transactions', { chainId, state: 'signed', sender: address }),
        feeBalance.refresh(),
      ]);
      return { address, balance: feeBalance.balance === null ? null : String(feeBalance.balance), inFlight };
    }),
  );
}
