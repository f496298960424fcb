import type { ComponentChildren } from 'preact';
import { Button } from '../../ui/button.tsx';
import { Fields, useValues } from '../../ui/fields.tsx';
import { LoadFailed } from '../../ui/load-failed.tsx';
import { Notice } from '../../ui/notice.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { type Column, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useRole } from '../access/session.ts';
import { fetchOwn, type MerchantPath, useLoad } from '../dashboard-api.ts';
import { go, hrefOf, labelOf, type Route } from '../route.ts';
import { PageTitle } from '../shared/page-title.tsx';
import { apiQuery, CREATED_FILTERS, type Filter } from './filters.ts';

const PAGE_SIZE = 20;
/** The most that the API gives at once. */
const CSV_PAGE_SIZE = 100;

/** Without it Excel does not read a file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

export interface ListPageProps<Answer, Row> {
  readonly route: Route;
  /** The label of the link to the page on which one is made, for members; absent: there is none. */
  readonly create?: string;
  readonly filters: readonly Filter[];
  readonly rowsOf: (answer: Answer) => readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** What to do when nothing exists yet. */
  readonly empty: ComponentChildren;
}

/** A list of the merchant API with its filters, page by page. The address holds filters and offset. */
export function ListPage<Answer extends { readonly hasMore: boolean }, Row extends { readonly id: string }>(
  props: ListPageProps<Answer, Row>,
) {
  const { route, create, rowsOf, columns, empty } = props;
  const { mode, page, query } = route;
  const title = labelOf(page);
  const mayCreate = useRole('member') && create !== undefined;
  const filters = [...props.filters, ...CREATED_FILTERS];
  const start = startOf(query);
  const sought = apiQuery(query, filters);
  const paged = new URLSearchParams([...sought, ['limit', String(PAGE_SIZE)], ['start', String(start)]]);
  const loaded = useLoad<Answer>(`/${mode}/${page}?${paged}`);
  const rows = loaded.value === null ? null : rowsOf(loaded.value);
  const isSought = [...sought].length > 0;
  return (
    <>
      <div class="spread">
        <PageTitle title={title} />
        <div class="row">
          {mayCreate && (
            <a class="button button-primary button-small" href={hrefOf(mode, page, 'new')}>
              {create}
            </a>
          )}
          <CsvButton route={route} sought={sought} />
        </div>
      </div>
      <FilterForm route={route} filters={filters} />
      {loaded.error !== null && <LoadFailed loaded={loaded} />}
      {rows === null && loaded.error === null && <p class="soft">Loading…</p>}
      {rows !== null && (
        <Table
          caption={title}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          empty={isSought || start > 0 ? <>Nothing fits. {<a href={hrefOf(mode, page)}>Show all</a>}</> : empty}
        />
      )}
      <Turning route={route} start={start} hasMore={loaded.value?.hasMore === true} />
    </>
  );
}

function startOf(query: URLSearchParams): number {
  const start = query.get('start') ?? '';
  return /^\d{1,9}$/.test(start) ? Number(start) : 0;
}

interface TurningProps {
  readonly route: Route;
  readonly start: number;
  readonly hasMore: boolean;
}

function Turning({ route: { mode, page, query }, start, hasMore }: TurningProps) {
  if (start === 0 && !hasMore) return null;
  const at = (offset: number) =>
    hrefOf(mode, page, null, { ...Object.fromEntries(query), start: String(Math.max(0, offset)) });
  return (
    <nav class="row" aria-label="Pages of the list">
      {start > 0 && <a href={at(start - PAGE_SIZE)}>Newer</a>}
      {hasMore && <a href={at(start + PAGE_SIZE)}>Older</a>}
    </nav>
  );
}

/** Saves the whole filtered list, not only the shown page. */
function CsvButton({ route: { mode, page }, sought }: { readonly route: Route; readonly sought: URLSearchParams }) {
  const { isBusy, problem, act } = useAction();
  const save = async () => {
    const all = new URLSearchParams([...sought, ['limit', String(CSV_PAGE_SIZE)]]);
    const text = await collectCsv(`/${mode}/${page}?${all}`);
    saveFile(`${page}-${mode}-${new Date().toISOString().slice(0, 10)}.csv`, `${BYTE_ORDER_MARK}${text}`, 'text/csv');
  };
  return (
    <>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <Button size="small" busy={isBusy} onClick={() => void act(save)}>
        Download CSV
      </Button>
    </>
  );
}

function FilterForm({ route: { mode, page, query }, filters }: Pick<ListPageProps<never, never>, 'route' | 'filters'>) {
  const { values, onChange } = useValues<{ readonly [name: string]: string }>(
    Object.fromEntries(filters.map(({ name }) => [name, query.get(name) ?? ''])),
  );
  const submit = (event: Event) => {
    event.preventDefault();
    const typed = Object.entries(values).map(([name, value]) => [name, value.trim()]);
    go(hrefOf(mode, page, null, Object.fromEntries(typed)));
  };
  return (
    <search>
      <form class="filters" onSubmit={submit}>
        <Fields fields={filters} values={values} onChange={onChange} />
        <div class="row">
          <Button type="submit">Filter</Button>
          <a href={hrefOf(mode, page)}>Show all</a>
        </div>
      </form>
    </search>
  );
}

/** The whole list as one CSV file: all pages of the API, with one line of names. Throws an ApiError. */
async function collectCsv(path: MerchantPath): Promise<string> {
  const parts: string[] = [];
  for (let next: MerchantPath | null = path; next !== null; ) {
    const page: Response = await fetchOwn(next, { headers: { Accept: 'text/csv' } });
    const text = await page.text();
    parts.push(parts.length === 0 ? text : withoutNames(text));
    next = pageAfter(path, page.headers.get('Link'));
  }
  return parts.join('');
}

function withoutNames(text: string): string {
  return text.slice(text.indexOf('\r\n') + 2);
}

/**
 * `Link` has the public address of the service, which may differ from the address of this page: only its offset counts.
 */
function pageAfter(path: MerchantPath, link: string | null): MerchantPath | null {
  const url = /^<(.*)>; rel="next"$/.exec(link ?? '')?.[1];
  const startingAfter = url === undefined ? null : new URL(url).searchParams.get('startingAfter');
  if (startingAfter === null) return null;
  return `${path}${path.includes('?') ? '&' : '?'}startingAfter=${encodeURIComponent(startingAfter)}`;
}
