import { useEffect } from 'preact/hooks';
import type { Found } from '../../../src/dashboard/wire.ts';
import { Clipped } from '../../ui/clipped.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { StatusRegion } from '../../ui/notice.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { SearchForm } from '../../ui/search-form.tsx';
import { Table } from '../../ui/table.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { useLoad } from '../dashboard-api.ts';
import { go, hrefOf, MODES, type Mode, type Route, route } from '../route.ts';
import { Moment } from '../shared/moment.tsx';
import { PageTitle } from '../shared/page-title.tsx';

type Result = Found['results'][number];

/** The field of every page that finds anything of the merchant in this mode. */
export function OwnSearch({ mode }: { readonly mode: Mode }) {
  const sought = useSelector(route, (context) =>
    context.route.page === 'search' ? (context.route.query.get('q') ?? '') : null,
  );
  return (
    <SearchForm
      label="Search"
      placeholder="Name, id, wallet, …"
      sought={sought}
      onSearch={(q) => go(hrefOf(mode, 'search', null, { q }))}
    />
  );
}

/** What the search has found. A single result is opened at once. */
export function SearchPage({ route: { mode, query } }: { readonly route: Route }) {
  const q = query.get('q') ?? '';
  const other = MODES.find((each) => each !== mode) ?? mode;
  const loaded = useLoad<Found>(q === '' ? null : `/search${queryOf({ mode, q })}`);
  const results = loaded.value?.results ?? null;
  const [first, second] = results ?? [];
  const only = first !== undefined && second === undefined ? addressOf(mode, first) : null;
  useEffect(() => {
    if (only !== null) location.replace(only);
  }, [only]);
  const found = results === null || q === '' ? 'Search' : `${results.length || 'Nothing'} found for ${q}`;
  return (
    <>
      <StatusRegion>
        <PageTitle title={found} />
      </StatusRegion>
      <WhenLoaded loaded={loaded} wait={<p class="soft">{q === '' ? HINT : 'Searching…'}</p>}>
        {({ results }) => (
          <Table
            caption="Found"
            isFolding
            rows={results}
            empty={
              <>
                Nothing of {mode} mode has this id, wallet or transaction, or a name, an e-mail address or an id of
                yours that begins so. <a href={hrefOf(other, 'search', null, { q })}>Search in {other} mode</a>
              </>
            }
            columns={{
              Name: (one) => <Clipped text={one.title} href={addressOf(mode, one)} />,
              Kind: ({ kind }) => KINDS[kind],
              Status: ({ status }) => status?.replaceAll('_', ' ') ?? '–',
              'Found by': ({ why }) => why,
              Created: ({ createdAt }) => <Moment at={createdAt} />,
            }}
          />
        )}
      </WhenLoaded>
    </>
  );
}

const HINT = 'Type a name, an e-mail address, an id, a wallet or a transaction. The beginning of a name is enough.';

const KINDS: { readonly [K in Result['kind']]: string } = {
  subscription: 'Subscription',
  payment: 'Payment',
  delivery: 'Webhook event',
  customer: 'Customer',
  offer: 'Offer',
  merchant: 'Merchant',
  wallet: 'Payout wallet',
};

const PAGES = { subscription: 'subscriptions', payment: 'payments', customer: 'customers', offer: 'offers' } as const;

function addressOf(mode: Mode, { kind, id }: Result): string {
  switch (kind) {
    case 'delivery':
      return hrefOf(mode, 'developers', id.replace(/^dlv_/, 'evt_'));
    case 'wallet':
    case 'merchant':
      return hrefOf(mode, 'settings');
    default:
      return hrefOf(mode, PAGES[kind], id);
  }
}
