import { openMemoryStore } from '../../../src/store/memory/store.ts';
import type { LedgerStore } from '../../../src/store/port.ts';
import { startTestDevnet } from '../../support/devnet.ts';

/** A store under test, with its close function. */
export interface OpenedForm {
  readonly store: LedgerStore;
  close(): Promise<void>;
}

/** The two forms of the store, which must behave alike. */
export const FORMS: readonly { readonly name: string; readonly open: () => Promise<OpenedForm> }[] = [
  { name: 'memory', open: openMemory },
  { name: 'mongo', open: openMongo },
];

async function openMemory(): Promise<OpenedForm> {
  const store = openMemoryStore();
  return { store, close: () => store.close() };
}

async function openMongo(): Promise<OpenedForm> {
  const devnet = await startTestDevnet();
  return { store: await devnet.openStore('contract'), close: () => devnet.stop() };
}
