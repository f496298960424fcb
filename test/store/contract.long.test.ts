import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { LedgerStore } from '../../src/store/port.ts';
import { startTestDevnet } from '../support/devnet.ts';
import { actorContract } from './contract/actors.ts';
import { counterContract } from './contract/counters.ts';
import { guardContract } from './contract/guards.ts';
import { recordContract } from './contract/records.ts';
import { roundTripContract } from './contract/round-trips.ts';
import { tenantContract } from './contract/tenants.ts';
import { uniquenessContract } from './contract/uniqueness.ts';

/** The two forms of the store, which must behave alike. */
describe.each([
  ['memory', async () => openMemoryStore()],
  ['mongo', async () => (await startTestDevnet()).openStore('contract')],
] as const)('the store in its %s form', (_, open) => {
  let opened: LedgerStore;
  const store = (): LedgerStore => opened;

  beforeAll(async () => {
    opened = await open();
  });

  describe('actors', () => actorContract(store));
  describe('records', () => recordContract(store));
  describe('unique indexes', () => uniquenessContract(store));
  describe('counters', () => counterContract(store));
  describe('tenants', () => tenantContract(store));
  describe('guards', () => guardContract(store));
  describe('round trips', () => roundTripContract(store));
});
