import type { SnapshotChange } from '../../../src/staff/wire.ts';
import { KeyedTable } from '../../ui/table.tsx';
import { jsonText } from '../shared/words.ts';

/** The differences of two snapshots. */
export function ChangesTable(props: { readonly changes: readonly SnapshotChange[]; readonly caption: string }) {
  const { changes, caption } = props;
  return (
    <KeyedTable
      caption={caption}
      rows={changes}
      keyOf={({ path }) => path}
      empty="Only the revision changed."
      columns={{
        Path: ({ path }) => <code>{path}</code>,
        Before: ({ before }) => <code class="soft">{jsonText(before)}</code>,
        After: ({ path, after }) => <code data-change={path}>{jsonText(after)}</code>,
      }}
    />
  );
}
