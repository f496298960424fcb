import type { Chain } from '../../../src/chains/port.ts';

const nobody = async (): Promise<never> => {
  throw new Error('this benchmark must not read the chain');
};

/** An enabled chain that is never called. The benchmark ends where its part would begin. */
export function stillChain(chainId: number): Chain {
  return {
    chainId,
    family: 'evm',
    enabled: true,
    router: null,
    routers: [],
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
