import type { Db } from 'mongodb';
import { z } from 'zod';
import type { BenchRun } from '../bench.ts';
import { counted, type Row } from '../row.ts';
import type { Population } from './population.ts';

const BYTES_MAX = 3_000;

const stats = z.object({ storageSize: z.number(), totalIndexSize: z.number() });

/**
 * The size of the files after a checkpoint, per subscription. The pages of the
 * journal grow with events, so their size is given per cycle.
 */
export async function onDisk({ db, count, journaled, specimen }: Population, { progress }: BenchRun): Promise<Row[]> {
  progress.step('footprint: a checkpoint');
  await db.admin().command({ fsync: 1 });
  const subscriptions = await sizes(db, 'subscriptions');
  const journal = await sizes(db, 'journal');
  const all = (subscriptions.storageSize + subscriptions.totalIndexSize) / count;
  const journalBytes = (journal.storageSize + journal.totalIndexSize) / journaled;
  const of = `of ${count.toLocaleString('en')}`;
  return [
    counted(`a subscription with its indexes, ${of}`, 'bytes', all, { atMost: BYTES_MAX }),
    counted(`the indexes alone, ${of}`, 'bytes', subscriptions.totalIndexSize / count),
    counted(`pages of the journal of a subscription with ${specimen.cycles} cycles`, 'bytes', journalBytes),
    counted('pages of the journal, one cycle', 'bytes', journalBytes / specimen.cycles),
  ];
}

async function sizes(db: Db, collection: string): Promise<z.infer<typeof stats>> {
  return stats.parse(await db.command({ collStats: collection }));
}
