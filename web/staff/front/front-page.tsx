import { useRef, useState } from 'preact/hooks';
import type { Chart, Trouble, TroubleItem, TroubleList, TroubleSection } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { BarChart } from '../../ui/bar-chart.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useLoad } from '../api.ts';
import { hrefOf, troubleHref } from '../route.ts';
import { PAGE, ShowMore, usePages } from '../shared/paged-table.tsx';
import { Sentence } from '../shared/reference.tsx';
import { useStaffTitle } from '../shared/resource-page.tsx';
import { countText, distanceText, momentText } from '../shared/words.ts';

/** The present trouble, and a chart of charges. */
export function FrontPage() {
  useStaffTitle('Recent trouble');
  const [range, setRange] = useState<'day' | 'week'>('day');
  const loaded = useLoad<Trouble>(`/trouble?range=${range}`);
  const { error, isLoading, reload } = loaded;
  // While another range loads, the last one stays: without its buttons the keyboard focus would be lost.
  const last = useRef<Trouble | null>(null);
  last.current = loaded.value ?? last.current;
  const value = last.current;
  if (error !== null) return <LoadFailed loaded={loaded} />;
  if (value === null) return <p class="soft">Checking for trouble…</p>;
  const ranges = (
    <span class="row">
      {(['day', 'week'] as const).map((each) => (
        <Button
          key={each}
          size="small"
          variant={each === range ? 'primary' : 'plain'}
          onClick={() => setRange(each)}
          label={`The last ${each}`}
        >
          {each}
        </Button>
      ))}
    </span>
  );
  return (
    <div class="stack">
      <div class="spread">
        <h1>Recent trouble</h1>
        <Button size="small" busy={isLoading} onClick={reload}>
          Check again
        </Button>
      </div>
      <ul class="plain-list grid">
        {value.sections.map((section) => (
          <Count key={section.name} section={section} />
        ))}
      </ul>
      <Panel title="Charges settled and failed" beside={ranges}>
        <Charges chart={value.charges} />
      </Panel>
      {value.sections
        .filter(({ items }) => items.length > 0)
        .map((section) => (
          <Section key={section.name} section={section} at={value.at} />
        ))}
    </div>
  );
}

function Charges({ chart: { bars, range } }: { readonly chart: Chart }) {
  return (
    <BarChart
      title={`Charges of the last ${range}`}
      column={range === 'day' ? 'Hour' : 'Time'}
      bars={bars.map(({ from, settled, failed }) => ({ start: from, low: `${settled}`, high: `${failed}` }))}
      names={['settled', 'failed']}
      startText={momentText}
      tick={(start) => (range === 'day' ? `${start.slice(11, 16)} UTC` : start.slice(5, 10))}
      format={(count) => count.split('.')[0] ?? ''}
    />
  );
}

function Count({ section }: { readonly section: TroubleSection }) {
  const { name, title, count } = section;
  return (
    <li class="card count" data-trouble={name} data-count={count}>
      <a href={troubleHref(name)}>
        <span class="count-number number">{countText(section)}</span> <span class="small">{title}</span>
      </a>
    </li>
  );
}

function Section({ section, at }: { readonly section: TroubleSection; readonly at: string }) {
  const title = (
    <>
      {section.title}{' '}
      <a href={troubleHref(section.name)} aria-label={`All ${countText(section)}: ${section.title}`}>
        <Badge tone="warn">{countText(section)}</Badge>
      </a>
    </>
  );
  return (
    <Panel title={title}>
      <TroubleLines items={section.items} at={at} />
    </Panel>
  );
}

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

function TroubleLines({ items, at }: { readonly items: readonly TroubleItem[]; readonly at: string }) {
  return (
    <ul class="plain-list">
      {items.map((item) => (
        <Line key={`${item.kind} ${item.id} ${item.detail}`} item={item} at={at} />
      ))}
    </ul>
  );
}

function Line({ item, at }: { readonly item: TroubleItem; readonly at: string }) {
  const href = hrefOf(item.kind, item.id);
  return (
    <li class="line stack-tight">
      <span>
        {href === null ? <strong>{item.title}</strong> : <a href={href}>{item.title}</a>}
        <span class="small soft">
          {' '}
          <Sentence text={item.detail} />
        </span>
      </span>
      <span class="small soft">
        <Copyable text={item.id} isShort />
        {item.since !== null && ` · ${distanceText(item.since, at)}`}
      </span>
    </li>
  );
}
