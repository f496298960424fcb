import { useEffect, useRef } from 'preact/hooks';
import type { AccountView, StaffEntry } from '../../../src/staff/wire.ts';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
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
        {paged.items.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
      <ShowMore paged={paged} />
    </Panel>
  );
}

function Entry({ entry: { action, by, at, reason, details } }: { readonly entry: StaffEntry }) {
  return (
    <li class="entry" data-journal={action}>
      <div class="spread">
        <span>
          <strong>{action}</strong>{' '}
          <span class="small soft">
            by <code>{by}</code>
          </span>
        </span>
        <span class="small soft number">{momentText(at)}</span>
      </div>
      <p class="small typed">“{reason}”</p>
      {Object.keys(details).length > 0 && (
        <details class="small">
          <summary>Details</summary>
          <pre class="exact json">{JSON.stringify(details, null, 2)}</pre>
        </details>
      )}
    </li>
  );
}
