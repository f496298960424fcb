import type { Chain } from '../../../src/chains/port.ts';

const nobody = async (): Promise<never> => {
  throw new Error('nothing is read of a chain before a cycle is open');
};

/** A chain that is enabled and that nobody asks for anything: where a cycle has been opened, its part would begin. */
export function stillChain(chainId: number): Chain {
  return {
    chainId,
    family: 'evm',
    enabled: true,
    operatorFor: () => '',
    readAllowances: nobody,
    openDeposit: nobody,
    readDeposits: nobody,
    acceptsSignature: nobody,
    permits: null,
    approvals: null,
    whyUnsuitable: async () => null,
    parseAddress: (address) => address,
    wake: () => undefined,
    start: async () => undefined,
    stop: async () => undefined,
    health: nobody,
  };
}
