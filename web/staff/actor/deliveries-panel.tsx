import type { DeliveryView } from '../../../src/staff/wire.ts';
import { Badge, toneOf } from '../../ui/badge.tsx';
import { Copyable } from '../../ui/copy-button.tsx';
import { Panel } from '../../ui/panel.tsx';
import { KeyedTable } from '../../ui/table.tsx';
import { hrefOf } from '../route.ts';
import { Json } from '../shared/json.tsx';
import { momentText } from '../shared/words.ts';

export interface DeliveriesPanelProps {
  readonly deliveries: readonly DeliveryView[];
  /** The page is about this one delivery. */
  readonly isOne: boolean;
}

/** Webhook events with their bodies, and the end of each attempt. */
export function DeliveriesPanel({ deliveries, isOne }: DeliveriesPanelProps) {
  return (
    <Panel title={isOne ? 'Attempts' : 'Webhooks'}>
      {deliveries.length === 0 && <p class="soft">No webhook event exists yet.</p>}
      <ul class="plain-list">
        {deliveries.map((delivery) => (
          <One key={delivery.id} delivery={delivery} isOne={isOne} />
        ))}
      </ul>
    </Panel>
  );
}

function One({ delivery, isOne }: { readonly delivery: DeliveryView; readonly isOne: boolean }) {
  const { id, event, eventId, sequence, status, attempts, nextAttemptAt, createdAt, body } = delivery;
  return (
    <li class="line stack-tight" data-delivery={event}>
      <div class="spread">
        <span>
          {isOne ? <strong>{event}</strong> : <a href={hrefOf('delivery', id) ?? '#/'}>{event}</a>}{' '}
          <Badge tone={toneOf(status)}>{status ?? 'not created yet'}</Badge>
        </span>
        <span class="small soft">
          number {sequence} · {momentText(createdAt)} ·{' '}
          <Copyable what={`id of the event ${sequence}`} text={eventId} isShort />
        </span>
      </div>
      {nextAttemptAt !== null && <p class="small">The next attempt: {momentText(nextAttemptAt)}</p>}
      <details open={isOne}>
        <summary class="small">
          {attempts.length} {attempts.length === 1 ? 'attempt' : 'attempts'}
        </summary>
        <KeyedTable
          caption={`Attempts to deliver ${event}`}
          rows={attempts}
          keyOf={({ attempt }) => String(attempt)}
          empty="No attempt has ended."
          columns={{
            Attempt: { number: ({ attempt }) => attempt },
            Began: ({ startedAt }) => momentText(startedAt),
            Took: { number: ({ durationMs }) => `${durationMs} ms` },
            Answer: ({ status: code, error }) => (code === null ? error : `HTTP ${code}`),
            Body: ({ body: text }) => <code>{text ?? ''}</code>,
          }}
        />
        <Json title="The body that was sent" value={JSON.parse(body)} />
      </details>
    </li>
  );
}
