import type { Activities, Activity } from '../../../src/dashboard/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Table } from '../../ui/table.tsx';
import { useLoad } from '../dashboard-api.ts';
import { Paging, startOf } from '../list/paging.tsx';
import { hrefOf, MODES, type Route } from '../route.ts';
import { Moment } from '../shared/moment.tsx';
import { PageTitle } from '../shared/page-title.tsx';

const PAGE_SIZE = 20;

/** Who has changed what, and from where, in both environments. */
export function ActivityPage({ route }: { readonly route: Route }) {
  const page = { limit: String(PAGE_SIZE), start: String(startOf(route.query)) };
  const loaded = useLoad<Activities>(`/activity${queryOf(page)}`);
  return (
    <>
      <PageTitle title="Activity" />
      <p class="soft">
        What people changed in this dashboard, in test and in live mode. Calls with an API key are not here.
      </p>
      <WhenLoaded loaded={loaded}>
        {({ activity }) => (
          <Table
            caption="Activity, the newest first"
            isFolding
            rows={activity}
            empty="Nobody has changed anything yet."
            columns={{
              When: ({ at: moment }) => <Moment at={moment} />,
              Who: ({ by }) => by ?? 'The operator',
              What: ({ text }) => text,
              Mode: ({ mode: of }) =>
                of === null ? 'both' : <Badge tone={of === 'live' ? 'accent' : 'plain'}>{of}</Badge>,
              Resource: ResourceLink,
              From: ({ from }) => from ?? '–',
            }}
          />
        )}
      </WhenLoaded>
      <Paging route={route} hasMore={loaded.value?.hasMore === true} totals={null} size={PAGE_SIZE} />
    </>
  );
}

function ResourceLink({ resourceId, mode, page }: Activity) {
  const of = MODES.find((each) => each === mode);
  if (page === null || of === undefined) return <>–</>;
  return <a href={hrefOf(of, page, resourceId)}>{resourceId}</a>;
}
