import type { Activity } from '../../../src/dashboard/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Table } from '../../ui/table.tsx';
import { useLoad } from '../dashboard-api.ts';
import { hrefOf, MODES, type Route } from '../route.ts';
import { Moment } from '../shared/moment.tsx';
import { PageTitle } from '../shared/page-title.tsx';

const PAGE_SIZE = 20;

interface ActivityAnswer {
  readonly activity: readonly Activity[];
  readonly hasMore: boolean;
}

/** Who has changed what, and from where, in both environments. */
export function ActivityPage({ route: { mode, query } }: { readonly route: Route }) {
  const start = Number(query.get('start') ?? 0) || 0;
  const loaded = useLoad<ActivityAnswer>(`/activity${queryOf({ limit: String(PAGE_SIZE), start: String(start) })}`);
  const at = (offset: number) => hrefOf(mode, 'settings', 'activity', { start: offset > 0 ? String(offset) : '' });
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
            keyOf={({ id }) => id}
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
      <nav class="row" aria-label="Pages of the log">
        {start > 0 && <a href={at(start - PAGE_SIZE)}>Newer</a>}
        {loaded.value?.hasMore === true && <a href={at(start + PAGE_SIZE)}>Older</a>}
      </nav>
    </>
  );
}

function ResourceLink({ resourceId, mode, page }: Activity) {
  const of = MODES.find((each) => each === mode);
  if (page === null || of === undefined) return <>–</>;
  return <a href={hrefOf(of, page, resourceId)}>{resourceId}</a>;
}
