import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Fields, type FormField, useValues } from '../../ui/form.tsx';
import { inView } from '../../ui/in-view.ts';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { store, stored } from '../../ui/stored.ts';
import { type Columns, Table } from '../../ui/table.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { fetchOwn, type MerchantPath, session, useLoad, useRole } from '../dashboard-api.ts';
import { go, hrefOf, labelOf, type Route } from '../route.ts';
import { Named, type Naming, WithNames } from '../shared/columns.tsx';
import { CsvButton } from '../shared/csv-button.tsx';
import { PageTitle } from '../shared/page-title.tsx';
import { type BulkAction, BulkBar } from './bulk.tsx';
import { PAGE_SIZE, Paging, startOf, type Totals } from './paging.tsx';

/** The most that the API gives at once. */
const CSV_PAGE_SIZE = 100;

interface Answer {
  readonly hasMore: boolean;
  /** Absent: the list counts nothing. */
  readonly totals?: Totals;
}

export interface ListPageProps<A extends Answer, Row> {
  readonly route: Route;
  /** The label of the link to the page on which one is made, for members; absent: there is none. */
  readonly create?: string;
  readonly filters: readonly Filter[];
  /** The views that every member has. */
  readonly views?: readonly View[];
  readonly rowsOf: (answer: A) => readonly Row[];
  readonly columns: Columns<Row>;
  /** What a member can do to many rows at once. */
  readonly actions?: readonly BulkAction<Row>[];
  /** What the totals say, beside the count. */
  readonly sumsOf?: (answer: A) => ComponentChildren;
  /** What to do when nothing exists yet. */
  readonly empty: ComponentChildren;
}

/** A list of the merchant API with its views and filters, page by page. The address holds filters and offset. */
export function ListPage<A extends Answer, Row extends Naming & { readonly id: string }>(props: ListPageProps<A, Row>) {
  const { route, create, views = [], rowsOf, columns, actions = [], sumsOf, empty } = props;
  const { mode, page, query } = route;
  const title = labelOf(page);
  const mayAct = useRole('member');
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const filters = [...props.filters, ...CREATED_FILTERS];
  const start = startOf(query);
  const sought = apiQuery(query, filters);
  const counted = page === 'offers' || page === 'coupons' ? [] : [['totals', 'true']];
  const paged = new URLSearchParams([...sought, ...counted, ['limit', String(PAGE_SIZE)], ['start', String(start)]]);
  const all = new URLSearchParams([...sought, ['limit', String(CSV_PAGE_SIZE)]]);
  const loaded = useLoad<A>(`/${mode}/${page}?${paged}`);
  const isSought = [...sought].length > 0;
  return (
    <>
      <div class="spread">
        <PageTitle title={title} />
        <div class="row">
          {mayAct && create !== undefined && (
            <a class="button button-primary button-small" href={hrefOf(mode, page, 'new')}>
              {create}
            </a>
          )}
          <CsvButton
            size="small"
            name={`${page}-${mode}-${new Date().toISOString().slice(0, 10)}`}
            read={() => collectCsv(`/${mode}/${page}?${all}`)}
          />
        </div>
      </div>
      <Views route={route} usual={views} />
      <FilterForm route={route} filters={filters} />
      <LinkedFilters route={route} filters={filters} />
      <WhenLoaded loaded={loaded}>
        {(answer) => {
          const rows = rowsOf(answer);
          const isPicked = ({ id }: Row) => picked.has(id);
          const selection = { picked, onPick: setPicked, nameOf: actions[0]?.nameOf ?? (({ id }: Row) => id) };
          return (
            <>
              <p class="row" data-part="totals">
                {rows.length > 0 && <span>{rangeText(start, rows.length, answer.totals ?? null)}</span>}
                {sumsOf?.(answer)}
              </p>
              <WithNames mode={mode} rows={rows}>
                {mayAct && actions.length > 0 && (
                  <BulkBar
                    noun={page}
                    rows={rows.filter(isPicked)}
                    actions={actions}
                    onDone={() => {
                      setPicked(new Set());
                      loaded.reload();
                    }}
                  />
                )}
                <Table
                  caption={title}
                  isFolding
                  columns={columns}
                  rows={rows}
                  selection={mayAct && actions.length > 0 ? selection : null}
                  empty={isSought || start > 0 ? <>Nothing fits. {<a href={hrefOf(mode, page)}>Show all</a>}</> : empty}
                />
              </WithNames>
              <Paging route={route} hasMore={answer.hasMore} totals={answer.totals ?? null} />
            </>
          );
        }}
      </WhenLoaded>
    </>
  );
}

/** "1–50 of 2,000", or "1–50 of more than 10,000". */
function rangeText(start: number, shown: number, totals: Totals | null): string {
  const range = `${start + 1}–${start + shown}`;
  if (totals === null) return range;
  return `${range} of ${totals.hasMore ? 'more than ' : ''}${totals.count.toLocaleString()}`;
}

type FilterFormProps = Pick<ListPageProps<Answer, never>, 'route' | 'filters'>;

/** On a phone it is folded until somebody opens it. */
function FilterForm({ route: { mode, page, query }, filters }: FilterFormProps) {
  const { values, onChange } = useValues<{ readonly [name: string]: string }>(
    Object.fromEntries(filters.map(({ name }) => [name, query.get(name) ?? ''])),
  );
  const [isWide] = useState(() => matchMedia('(min-width: 40rem)').matches);
  const set = filters.filter(({ name }) => query.get(name)).length;
  const submit = (event: Event) => {
    event.preventDefault();
    const typed = Object.entries(values).map(([name, value]) => [name, value.trim()]);
    go(hrefOf(mode, page, null, { ...filtersIn(query), ...Object.fromEntries(typed) }));
  };
  return (
    <details open={isWide}>
      <summary>{set === 0 ? 'Filters' : `Filters (${set})`}</summary>
      <search aria-label="Filters">
        <form class="grid filters" onSubmit={submit}>
          <Fields fields={filters} values={values} onChange={onChange} />
          <div class="row">
            <Button type="submit">Filter</Button>
            <a href={hrefOf(mode, page)}>Show all</a>
          </div>
        </form>
      </search>
    </details>
  );
}

/** What a link has set that the form does not have, with the way to leave it out. */
function LinkedFilters({ route: { mode, page, query }, filters }: FilterFormProps) {
  const present = filtersIn(query);
  const linked = Object.entries(LINKED).filter(
    ([name]) => present[name] !== undefined && !filters.some((filter) => filter.name === name),
  );
  return (
    <WithNames mode={mode} rows={[{ customerId: present['customerId'] ?? null }]}>
      {linked.map(([name, [of, its]]) => (
        <p key={name} class="row">
          Only of this {of}: <Named mode={mode} page={its} id={present[name] ?? ''} />
          <a href={hrefOf(mode, page, null, { ...present, [name]: '' })}>Show those of all</a>
        </p>
      ))}
    </WithNames>
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

/** The filters of a list under a name. */
interface View {
  readonly name: string;
  readonly filters: { readonly [name: string]: string };
}

/**
 * Views of a list by name: one click sets all filters. A member's own views are stored in this browser: the address of
 * a page has all of its filters, so others, and other devices, get a view as a link, and only its name stays here.
 */
function Views({ route: { mode, page, query }, usual }: { readonly route: Route; readonly usual: readonly View[] }) {
  const member = useSelector(session, ({ who }) => who?.member.id ?? '');
  const key = `tideline-views ${member} ${page}`;
  const [saved, setSaved] = useState(() => stored<readonly View[]>('localStorage', key) ?? []);
  const { askFor, dialog } = useQuestion();
  const present = filtersIn(query);
  const all = [{ name: 'All', filters: {} }, ...usual, ...saved];
  const shown = all.find(({ filters }) => JSON.stringify(filters) === JSON.stringify(present));
  const save = (views: readonly View[]) => {
    store('localStorage', key, views);
    setSaved(views);
  };
  const askForName = () =>
    askFor({
      title: 'Save this view',
      action: 'Save it',
      text: 'It is saved in this browser, for you. To show it to others, send them the address of this page.',
      fields: [{ name: 'name', label: 'Name', required: true }],
      first: { name: '' },
      run: async ({ name }) => save([...saved.filter((each) => each.name !== name), { name, filters: present }]),
    });
  if (all.length === 1 && shown !== undefined) return null;
  return (
    <div class="stack-tight">
      <nav class="tabs" aria-label="Views of the list">
        {all.map((view) => (
          <a
            key={view.name}
            class="tab"
            ref={view === shown ? inView : null}
            href={hrefOf(mode, page, null, view.filters)}
            aria-current={view === shown ? 'true' : undefined}
          >
            {view.name}
          </a>
        ))}
      </nav>
      {shown === undefined && (
        <Button size="small" variant="quiet" onClick={askForName}>
          Save this view
        </Button>
      )}
      {shown !== undefined && saved.includes(shown) && (
        <Button size="small" variant="quiet" onClick={() => save(saved.filter((view) => view !== shown))}>
          Forget this view
        </Button>
      )}
      {dialog}
    </div>
  );
}

/** A filter of a list: its name in the address of the page. */
export type Filter = FormField;

/** A filter that takes one of these, or all. */
export function choiceOf(name: string, label: string, options: NonNullable<FormField['options']>): Filter {
  return { name, label, options: [['', 'All'], ...options] };
}

/** What every list takes. Days are those of UTC, as in the API. */
const CREATED_FILTERS: readonly Filter[] = [
  { name: 'from', label: 'Created from (UTC)', type: 'date' },
  { name: 'to', label: 'Created to (UTC)', type: 'date' },
];

/** One entry of the merchant's notes. */
export const METADATA_FILTER: Filter = { name: 'metadata', label: 'Metadata', placeholder: 'order=1001' };

/** Why a subscription may bring no next payment. */
export const ATTENTIONS = [
  ['will_not_renew', 'Will not renew'],
  ['approval_missing', 'Approval missing'],
  ['balance_missing', 'Balance missing'],
] as const;

/** What a link from another page names, and nobody types. */
const LINKED = {
  customerId: ['customer', 'customers'],
  subscriptionId: ['subscription', 'subscriptions'],
  offerId: ['offer', 'offers'],
} as const;

/** The filters in the address of a page, as the API takes them. */
function apiQuery(query: URLSearchParams, filters: readonly Filter[]): URLSearchParams {
  const names = new Set([...filters.map(({ name }) => name), ...Object.keys(LINKED)]);
  return new URLSearchParams(
    [...names].flatMap((name) => {
      const value = query.get(name);
      return value === null || value === '' ? [] : [parameterOf(name, value)];
    }),
  );
}

function parameterOf(name: string, value: string): [string, string] {
  switch (name) {
    case 'from':
      return ['created[gte]', `${value}T00:00:00.000Z`];
    case 'to':
      return ['created[lte]', `${value}T23:59:59.999Z`];
    case 'metadata': {
      const [key = '', ...rest] = value.split('=');
      return [`metadata[${key}]`, rest.join('=')];
    }
    default:
      return [name, value];
  }
}

/** The filters of an address without its page, in one order, so that two can be compared. */
function filtersIn(query: URLSearchParams): { readonly [name: string]: string } {
  const set = [...query].filter(([name, value]) => name !== 'start' && value !== '');
  return Object.fromEntries(set.sort(([one], [other]) => one.localeCompare(other)));
}
