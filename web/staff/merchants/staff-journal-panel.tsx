import { useEffect, useRef } from 'preact/hooks';
import type { AccountView, StaffEntry } from '../../../src/staff/wire.ts';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import { JournalEntry } from '../shared/journal-entry.tsx';
import { type PageOf, ShowMore, usePages } from '../shared/paged-table.tsx';
import { momentText } from '../shared/words.ts';

/** The actions of staff on a merchant, the newest first. */
export function StaffJournalPanel({ seen }: { readonly seen: AccountView }) {
  const path: `/${string}` = `/merchants/${encodeURIComponent(seen.id)}/journal`;
  const paged = usePages(path, ({ entries }: PageOf<'entries', StaffEntry>) => entries);
  const { reload } = paged;
  const read = useRef(seen);
  useEffect(() => {
    // Whatever was changed has a new entry.
    if (read.current !== seen) reload();
    read.current = seen;
  }, [seen, reload]);
  if (paged.error !== null) return <LoadFailed loaded={paged}>This merchant has no journal.</LoadFailed>;
  if (paged.items === null) return <p class="soft">Loading…</p>;
  return (
    <Panel title="Journal of staff actions">
      {paged.items.length === 0 && <p class="soft">Staff have changed nothing.</p>}
      <ol class="plain-list timeline">
        {paged.items.map(({ id, at, ...entry }) => (
          <JournalEntry key={id} {...entry} when={momentText(at)} />
        ))}
      </ol>
      <ShowMore paged={paged} />
    </Panel>
  );
}
