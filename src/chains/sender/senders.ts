import type { ChainContext } from '../context.ts';
import type { SenderHealth } from '../port.ts';
import type { GasTank } from './gas.ts';

/** How a chain's senders stand, in their order. A balance that nobody has looked at for a while is looked at. */
export function healthOfSenders(
  { records, chainId }: Pick<ChainContext, 'records' | 'chainId'>,
  tanks: readonly GasTank[],
): Promise<SenderHealth[]> {
  return Promise.all(
    tanks.map(async (tank) => {
      const { address } = tank;
      const [inFlight] = await Promise.all([
        records.count('transactions', { chainId, state: 'signed', sender: address }),
        tank.refresh(),
      ]);
      return { address, balance: tank.balance === null ? null : String(tank.balance), inFlight };
    }),
  );
}
