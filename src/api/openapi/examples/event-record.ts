import type { z } from 'zod';
import type { eventRecordSchema } from '../../views/event.ts';
import { exampleEvent } from './events.ts';
import { IDS, MOMENTS } from './ids.ts';

type EventRecord = z.output<typeof eventRecordSchema>;

/** An event that the second attempt delivered. */
export const exampleEventRecord: EventRecord = {
  ...exampleEvent('payment.succeeded'),
  data: { source: 'subscription', subscriptionId: IDS.subscription, invoiceId: `sub-pay-${IDS.cycle}` },
  resourceId: IDS.subscription,
  deliveries: [
    {
      id: IDS.delivery,
      status: 'delivered',
      nextAttemptAt: null,
      attempts: [
        {
          attempt: 1,
          startedAt: '2026-01-15T09:31:16.922Z',
          durationMs: 87,
          status: 503,
          error: null,
          body: 'Back in a minute',
        },
        {
          attempt: 2,
          startedAt: '2026-01-15T09:32:17.010Z',
          durationMs: 64,
          status: 204,
          error: null,
          body: '',
        },
      ],
      createdAt: MOMENTS.settled,
    },
  ],
};

/** The same event in the answer to a redelivery. */
export const redeliveredEventRecord: EventRecord = {
  ...exampleEventRecord,
  deliveries: exampleEventRecord.deliveries.map((delivery) => ({ ...delivery, status: 'sending' })),
};
