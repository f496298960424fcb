import { z } from 'zod';
import type { RecordStore } from '../../../store/port.ts';

const shape = z.object({
  /** For people: why charges wait. */
  why: z.string(),
  /** The height of the chain when the wait began. Null: nobody has checked the chain yet. */
  height: z.int().nullable(),
  /** By fee payer, the slot before which this ledger knows everything. Empty until somebody has checked the chain. */
  from: z.record(z.string(), z.int()),
});
export type RestoredMark = z.infer<typeof shape>;

/** A mark as it is stored. A change is made only if the stored text is still the one that was read. */
export interface StoredMark {
  readonly mark: RestoredMark;
  readonly text: string;
}

function idOf(chainId: number): string {
  return `restored:${chainId}`;
}

/**
 * Notes that the ledger is older than the chain. From now on the charges of this chain wait, in every process, until
 * the transactions that were sent meanwhile are known. A repeated call begins anew.
 */
export async function markRestored(records: RecordStore, chainId: number, why: string): Promise<void> {
  const value = JSON.stringify({ why, height: null, from: {} } satisfies RestoredMark);
  await records.upsert('settings', idOf(chainId), { value }, { set: { value } });
}

/** Null: no charges wait for this. */
export async function readMark(records: RecordStore, chainId: number): Promise<StoredMark | null> {
  const [stored] = await records.get('settings', [idOf(chainId)]);
  if (stored === undefined || stored.value === '') return null;
  return { mark: shape.parse(JSON.parse(stored.value)), text: stored.value };
}

/** Replaces the mark that was read; null ends the wait. If another process was quicker, nothing happens. */
export async function changeMark(
  records: RecordStore,
  chainId: number,
  { text }: StoredMark,
  mark: RestoredMark | null,
): Promise<void> {
  const value = mark === null ? '' : JSON.stringify(mark);
  await records.change('settings', idOf(chainId), { value: text }, { set: { value } });
}
