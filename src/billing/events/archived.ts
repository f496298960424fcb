import { z } from 'zod';
import type { Store } from '../../store/port.ts';

const ID = 'archives';
const archives = z.record(z.string(), z.iso.datetime());

/** Older events may be missing, because they are in an archive; null: no event is. */
export async function archivedBefore(records: Pick<Store['records'], 'get'>): Promise<string | null> {
  return (
    Object.values(await read(records))
      .sort()
      .at(-1) ?? null
  );
}

/** Notes an archive of older events; null: it is restored. One process at a time. */
export async function setArchivedBefore(
  records: Pick<Store['records'], 'get' | 'upsert'>,
  archive: string,
  before: Date | null,
): Promise<void> {
  const { [archive]: _restored, ...others } = await read(records);
  const value = JSON.stringify(before === null ? others : { ...others, [archive]: before.toISOString() });
  await records.upsert('settings', ID, { value }, { set: { value } });
}

async function read(records: Pick<Store['records'], 'get'>): Promise<z.infer<typeof archives>> {
  const [stored] = await records.get('settings', [ID]);
  return archives.parse(JSON.parse(stored?.value ?? '{}'));
}
