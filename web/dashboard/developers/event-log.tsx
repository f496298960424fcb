import { useMemo } from 'preact/hooks';
import { EXTRA_EVENTS, LISTED_EVENTS } from '../../../machines/rules/event-kinds.ts';
import { serviceNow } from '../../ui/api.ts';
import { Status } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Select } from '../../ui/field.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Notice, toast } from '../../ui/notice.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Panel } from '../../ui/panel.tsx';
import { KeyedTable, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { post, useLoad, useRole } from '../dashboard-api.ts';
import { Paging, startOf } from '../list/paging.tsx';
import type { Delivery, EventRecord, Events } from '../merchant-api.ts';
import { go, hrefOf, type Mode, type ResourceProps, type Route } from '../route.ts';
import { momentText } from '../shared/moment.tsx';
import { PageTitle } from '../shared/page-title.tsx';

const PAGE_SIZE = 20;

const KINDS = [...LISTED_EVENTS, ...EXTRA_EVENTS].sort();

const DELIVERIES = Object.entries({ '': 'All', failed: 'Given up', retrying: 'Tried again' });

const HOUR_MS = 3_600_000;
const SINCE: readonly (readonly [hours: string, text: string])[] = [
  ['', 'All'],
  ['1', 'The last hour'],
  ['24', 'The last day'],
  ['168', 'The last week'],
];

/** The events of the environment, the newest first. The address holds filters and offset. */
export function EventLog({ route }: { readonly route: Route }) {
  const { mode, query } = route;
  const [event = '', delivery = '', hours = ''] = ['event', 'delivery', 'hours'].map((name) => query.get(name) ?? '');
  const shownSince = useSince(hours);
  const asked = queryOf({
    event,
    delivery,
    'created[gte]': shownSince,
    limit: String(PAGE_SIZE),
    start: String(startOf(query)),
  });
  const loaded = useLoad<Events>(`/${mode}/events${asked}`);
  const at = (change: { readonly [name: string]: string }) =>
    hrefOf(mode, 'developers', null, { event, delivery, hours, ...change });
  return (
    <Panel title="Event log">
      <div class="grid">
        <Select
          label="Kind of event"
          value={event}
          onChange={(chosen) => go(at({ event: chosen }))}
          options={[['', 'All'], ...KINDS.map((kind) => [kind, kind] as const)]}
        />
        <Select
          label="Delivery"
          value={delivery}
          onChange={(chosen) => go(at({ delivery: chosen }))}
          options={DELIVERIES}
        />
        <Select label="Time" value={hours} onChange={(chosen) => go(at({ hours: chosen }))} options={SINCE} />
      </div>
      <WhenLoaded loaded={loaded}>
        {({ events }) => (
          <Table
            caption="Events, the newest first"
            rows={events}
            empty="No event."
            columns={{
              Event: ({ id, event: kind }) => <a href={hrefOf(mode, 'developers', id)}>{kind}</a>,
              When: ({ createdAt }) => momentText(createdAt),
              Id: ({ id }) => <code>{id}</code>,
            }}
          />
        )}
      </WhenLoaded>
      <Paging route={route} hasMore={loaded.value?.hasMore === true} totals={null} size={PAGE_SIZE} />
    </Panel>
  );
}

/** The same moment in every render, or the log would load without end. */
function useSince(hours: string): string | null {
  return useMemo(() => {
    const ms = Number(hours) * HOUR_MS;
    return ms > 0 ? new Date(serviceNow() - ms).toISOString() : null;
  }, [hours]);
}

/** One event with its data, and each attempt to deliver it. */
export function EventPage({ mode, id }: ResourceProps) {
  const loaded = useLoad<EventRecord>(`/${mode}/events/${id}`);
  return (
    <>
      <PageTitle title={loaded.value?.event ?? 'Event'} />
      <p>
        <a href={hrefOf(mode, 'developers')}>All events</a>
      </p>
      <WhenLoaded loaded={loaded} missing="There is no such event in this environment.">
        {(event) => (
          <>
            <p class="soft">
              {momentText(event.createdAt)}, number {event.sequence} of <code>{event.resourceId}</code>, id{' '}
              <Copyable what="id" text={event.id} />
            </p>
            <Panel title="Data">
              <pre class="exact">{JSON.stringify(event.data, null, 2)}</pre>
            </Panel>
            <Deliveries mode={mode} event={event} reload={loaded.reload} />
          </>
        )}
      </WhenLoaded>
    </>
  );
}

interface DeliveriesProps {
  readonly mode: Mode;
  readonly event: EventRecord;
  readonly reload: () => void;
}

function Deliveries({ mode, event, reload }: DeliveriesProps) {
  const mayAct = useRole('member');
  const { isBusy, problem, act } = useAction();
  const redeliver = async () => {
    await post(`/${mode}/events/${event.id}/redeliver`);
    toast('The event is on its way.', 'good');
    reload();
  };
  return (
    <Panel title="Deliveries">
      {event.deliveries.length === 0 && <p class="soft">There is none yet.</p>}
      {event.deliveries.map((delivery) => (
        <Attempts key={delivery.id} delivery={delivery} />
      ))}
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <div class="row">
        {mayAct && (
          <Button busy={isBusy} onClick={() => void act(redeliver)}>
            Deliver again
          </Button>
        )}
        <Button variant="quiet" onClick={reload}>
          Reload
        </Button>
      </div>
    </Panel>
  );
}

function Attempts({ delivery: { id, status, nextAttemptAt, attempts } }: { readonly delivery: Delivery }) {
  return (
    <div class="stack-tight" data-delivery={id}>
      <p>
        <Status status={status} />
        {nextAttemptAt !== null && ` The next attempt: ${momentText(nextAttemptAt)}`}
      </p>
      <KeyedTable
        caption="Attempts"
        rows={attempts}
        keyOf={({ attempt }) => String(attempt)}
        empty="No attempt has ended."
        columns={{
          Attempt: { number: ({ attempt }) => attempt },
          Began: ({ startedAt }) => momentText(startedAt),
          Took: { number: ({ durationMs }) => `${durationMs} ms` },
          Answer: ({ status: code, error }) => (code === null ? error : `HTTP ${code}`),
          Body: ({ body }) => <code>{body ?? ''}</code>,
        }}
      />
    </div>
  );
}
