import type { ChainContext } from '../context.ts';
import type { SenderHealth } from '../port.ts';
import type { FeeBalance } from './gas.ts';

/** The state of a chain's senders, in their order. An old balance is read again. */
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
      const { balance, chargesLeft } = feeBalance;
      return { address, balance: balance === null ? null : String(balance), chargesLeft, inFlight };
    }),
  );
}
