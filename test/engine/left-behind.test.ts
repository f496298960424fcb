import { MACHINES } from '../../machines/versions.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { relayLeftBehind } from '../../src/engine/left-behind.ts';
import type { Relayed } from '../../src/engine/relay.ts';
import { Scanner } from '../../src/engine/scanner.ts';
import type { OutboxDoc } from '../../src/store/documents.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { at, effects, wallet } from '../store/support/documents.ts';

it('runs the effects of the change that was made, and drops those of the change that lost against it', async () => {
  const store = openMemoryStore();
  const doc = wallet({ rev: 2, outboxId: 'op_made' });
  const { _id: documentId, merchantId, mode } = doc;
  const outboxOf = (_id: string, index: number): OutboxDoc => {
    const entries = [{ documentId, merchantId, mode, rev: 2, effects: effects(documentId, 2, 2).slice(index) }];
    return { _id, source: 'wallets', version: 0, entries, failures: {}, oldestAt: at(0), createdAt: at(0), at: at(0) };
  };
  await store.records.insert('wallets', [doc]);
  await store.records.insert('outbox', [outboxOf('op_lost', 0), outboxOf('op_made', 1)]);
  const taken: (readonly string[])[] = [];
  const relay = {
    take: (_source: unknown, { outbox }: Relayed) => void taken.push(outbox.map(({ id }) => id)),
    ended: async () => undefined,
    left: () => [],
  };
  const parts = { store, machines: MACHINES, clock: () => at(1) };
  const deps = { ...parts, log: silentLog, scanner: new Scanner(parts), relay, quarantine: async () => undefined };
  expect(await relayLeftBehind(deps, 'wallets')).toBe(1);
  expect(taken).toEqual([[`${documentId}:2:1`]]);
  expect(await store.records.count('outbox', {})).toBe(0);
});
