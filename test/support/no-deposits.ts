import type { Chain } from '../../src/chains/port.ts';

/** The deposit part of a chain where no money ever arrives. */
export const NO_DEPOSITS: Pick<Chain, 'openDeposit' | 'readDeposits'> = {
  openDeposit: async (key) => ({ address: `0x${key.slice(-40)}`, since: 1, router: null }),
  readDeposits: async (reads) =>
    reads.map(({ since }) => ({ arrivals: [], shallow: 0n, others: [], isCut: false, since })),
};
