import { useRef } from 'preact/hooks';
import type { TroubleItem, TroubleList } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { PAGE, ShowMore, usePages } from '../shared/paged-table.tsx';
import { useStaffTitle } from '../shared/resource-page.tsx';
import { countText } from '../shared/words.ts';
import { TroubleLines } from './trouble-lines.tsx';

/** The whole list of one kind of trouble, page by page. */
export function TroublePage({ name }: { readonly name: string }) {
  const last = useRef<TroubleList | null>(null);
  const itemsOf = (answer: TroubleList) => {
    last.current = answer;
    return answer.items;
  };
  const path: `/${string}` = `/trouble/${encodeURIComponent(name)}`;
  // Pages are counted, because a page of held deposits can have several lines of one payment.
  const next = (_: readonly TroubleItem[], pages: number) => `start=${pages * PAGE}`;
  const paged = usePages<TroubleList, TroubleItem>(path, itemsOf, next);
  const { error, items, isLoading, reload } = paged;
  useStaffTitle(error ?? last.current?.title ?? 'Trouble');
  if (error !== null) return <LoadFailed loaded={paged}>No trouble has this name.</LoadFailed>;
  if (items === null || last.current === null) return <p class="soft">Loading…</p>;
  return (
    <section class="card stack" aria-labelledby="trouble">
      <div class="spread">
        <h1 id="trouble">
          {last.current.title} <Badge tone="warn">{countText(last.current)}</Badge>
        </h1>
        <Button size="small" busy={isLoading} onClick={reload}>
          Check again
        </Button>
      </div>
      {items.length === 0 && <p class="soft">Nothing here: all is well.</p>}
      <TroubleLines items={items} at={last.current.at} />
      <ShowMore paged={paged} />
    </section>
  );
}
