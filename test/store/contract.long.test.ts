import type { LedgerStore } from '../../src/store/port.ts';
import { actorContract } from './contract/actors.ts';
import { counterContract } from './contract/counters.ts';
import { guardContract } from './contract/guards.ts';
import { recordContract } from './contract/records.ts';
import { roundTripContract } from './contract/round-trips.ts';
import { tenantContract } from './contract/tenants.ts';
import { uniquenessContract } from './contract/uniqueness.ts';
import { FORMS, type OpenedForm } from './support/forms.ts';

describe.each(FORMS)('the store in its $name form', ({ open }) => {
  let form: OpenedForm;
  const store = (): LedgerStore => form.store;

  beforeAll(async () => {
    form = await open();
  });
  afterAll(async () => {
    await form?.close();
  });

  describe('actors', () => actorContract(store));
  describe('records', () => recordContract(store));
  describe('unique indexes', () => uniquenessContract(store));
  describe('counters', () => counterContract(store));
  describe('tenants', () => tenantContract(store));
  describe('guards', () => guardContract(store));
  describe('round trips', () => roundTripContract(store));
});
