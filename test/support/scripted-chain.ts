import type { AllowanceState, Chain } from '../../src/chains/port.ts';
import { testOperator } from './http.ts';
import { NO_DEPOSITS } from './no-deposits.ts';

/** The local EVM chain as a test plays it: every wallet has what the test says, and nothing is ever charged by itself. */
export interface ScriptedChain extends Chain {
  /** What every wallet allows and has; null: the chain does not answer. */
  state: AllowanceState | null;
  /** How often it was asked for allowances. */
  looks: number;
  /** What a contract wallet says of a signature. */
  accepts: (wallet: string, digest: string, signature: string) => boolean;
}

export const PLENTY: AllowanceState = { allowance: 10n ** 24n, balance: 10n ** 24n };
export const NOTHING: AllowanceState = { allowance: 0n, balance: 0n };

export function scriptedChain(): ScriptedChain {
  const chainId = 31_337;
  const chain: ScriptedChain = {
    state: NOTHING,
    looks: 0,
    accepts: () => false,
    chainId,
    family: 'evm',
    enabled: true,
    operatorFor: testOperator,
    readAllowances: async (reads) => {
      chain.looks += 1;
      const { state } = chain;
      if (state === null) throw new Error('the node does not answer');
      return reads.map(() => state);
    },
    ...NO_DEPOSITS,
    acceptsSignature: async (wallet, digest, signature) => chain.accepts(wallet, digest, signature),
    parseAddress: (address) => address,
    poke: () => {},
    start: async () => {},
    stop: async () => {},
    health: async () => ({ chainId, label: 'A chain', enabled: true, trouble: null, head: 1, open: 0 }),
  };
  return chain;
}
