import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useRole } from '../access/session.ts';
import { post, useLoad } from '../dashboard-api.ts';
import type { Delivery, EventRecord } from '../merchant-api.ts';
import { hrefOf, type Mode, type ResourceProps } from '../route.ts';
import { momentText } from '../shared/moment.tsx';
import { PageTitle } from '../shared/page-title.tsx';

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
      <Table
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
