import { describe, expect, it } from '@jest/globals';
import { newSubscription } from '../../machines/subscription/context.ts';
import { MACHINES } from '../../machines/versions.ts';
import { AllowanceLooker } from '../../src/billing/allowances/looker.ts';
import { buildCatalog } from '../../src/chains/catalog.ts';
import type { Chain } from '../../src/chains/port.ts';
import { createChains } from '../../src/chains/registry.ts';
import type { Dispatch } from '../../src/engine/types.ts';
import type { ActorDoc } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { MONTHLY } from '../machines/support/subscription.ts';
import { actor } from '../store/support/documents.ts';
import { NO_DEPOSITS } from '../support/no-deposits.ts';

const CHAIN_ID = 84_532;
const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const ENOUGH = 10n ** 24n;

/** A chain on which every wallet has approved, and has everything. */
const generous: Chain = {
  chainId: CHAIN_ID,
  family: 'evm',
  enabled: true,
  operatorFor: () => '0xoperator',
  readAllowances: async (reads) => reads.map(() => ({ allowance: ENOUGH, balance: ENOUGH })),
  acceptsSignature: async () => false,
  permits: null,
  approvals: null,
  ...NO_DEPOSITS,
  parseAddress: (address) => address,
  poke: () => {},
  start: async () => {},
  stop: async () => {},
  health: async () => ({
    chainId: CHAIN_ID,
    label: 'Test',
    enabled: true,
    trouble: null,
    head: 1,
    open: 0,
    senders: [],
  }),
};

function pending(id: string): ActorDoc {
  const terms = { ...MONTHLY, tokenKey: 'usdc-base-sepolia', chainId: CHAIN_ID };
  const made = newSubscription({
    id,
    offerId: 'offer_1',
    terms,
    payerWallet: WALLET,
    trialEnd: null,
    customVariables: {},
  });
  const { version: machineVersion } = MACHINES.subscription.current;
  return actor({ _id: id, merchantId: 'mrc_1', machineVersion, status: 'pending', context: { ...made } });
}

describe('a look at an allowance', () => {
  it('tells every subscription of the wallet, however many there are', async () => {
    const ids = Array.from({ length: 501 }, (_, index) => `sub_${String(index).padStart(4, '0')}`);
    const store = openMemoryStore();
    await store.actors.insert('subscription', ids.map(pending));
    const told: Dispatch[] = [];
    const looker = new AllowanceLooker({
      store,
      catalog: buildCatalog(),
      chains: createChains([generous]),
      clock: () => new Date('2026-01-31T10:30:00.000Z'),
      lookAtSessions: async () => {},
      lookAtDeposits: async () => {},
      engine: {
        dispatchMany: async (requests) => {
          told.push(...requests);
          return [];
        },
      },
    });
    await looker.look(['sub_0000']);
    expect(told.map(({ id }) => id).sort()).toEqual(ids);
    expect(told.every(({ event }) => event.type === 'allowance.seen' && event.covers && event.payable)).toBe(true);
  });
});
