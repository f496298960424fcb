import { claimants } from '../../src/billing/allowances/claimants.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import type { Store } from '../../src/store/port.ts';
import { coveredMigration, newMonthly } from '../machines/support/subscription.ts';
import { actor, insertActors } from '../store/support/documents.ts';

const OLD = `0x${'1'.repeat(40)}`;
const NEW = `0x${'2'.repeat(40)}`;
const TENANT = { merchantId: 'mrc_1', mode: 'test' } as const;

function subscription(id: string, payerWallet: string, signedBy: string | null = null, status = 'active') {
  const migration = { ...coveredMigration({}, NEW), wallet: signedBy, covered: false, authorizedAt: null };
  return actor({ _id: id, ...TENANT, status, context: { ...newMonthly({ id, payerWallet }), migration } });
}

async function shop(): Promise<Store> {
  const store = openMemoryStore();
  await insertActors(store, [
    subscription('sub_bills', NEW),
    subscription('sub_moves', OLD, NEW),
    subscription('sub_stays', NEW, NEW),
    subscription('sub_unsigned', OLD),
    subscription('sub_over', NEW, NEW, 'canceled'),
    { ...subscription('sub_others', NEW), merchantId: 'mrc_2' },
  ]);
  return store;
}

async function found(...wallets: string[]): Promise<string[]> {
  const store = await shop();
  const ids: string[] = [];
  for await (const page of claimants(store, [TENANT], wallets)) ids.push(...page.map(({ _id }) => _id));
  return ids;
}

describe('claims on an allowance', () => {
  it('belong to each subscription that bills the wallet, or will after a signed migration, once each', async () => {
    expect((await found(NEW)).sort()).toEqual(['sub_bills', 'sub_moves', 'sub_stays']);
  });

  it('keep their amount until the migration', async () => {
    expect((await found(OLD)).sort()).toEqual(['sub_moves', 'sub_unsigned']);
    expect(await found(OLD, NEW)).toHaveLength(4);
  });

  it('are read without the rest of the documents', async () => {
    for await (const page of claimants(await shop(), [TENANT], [NEW])) {
      for (const doc of page) expect(Object.keys(doc)).not.toEqual(expect.arrayContaining(['outbox']));
    }
    for await (const page of claimants(await shop(), [TENANT], [NEW], ['attributes'])) {
      for (const doc of page) expect(Object.keys(doc)).toEqual(expect.arrayContaining(['context', 'attributes']));
    }
  });
});
