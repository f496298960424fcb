import { z } from 'zod';
import { migrateSubscription as migrate } from '../../billing/subscriptions/migrate.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { text } from '../../http/input/fields.ts';
import { IDS } from '../openapi/examples/ids.ts';
import { openMigration } from '../openapi/examples/subscription.ts';
import { migrationSchema, migrationView } from '../views/subscription.ts';
import { subscriptionParams } from './fields.ts';

export const migrateSubscription = endpoint({
  summary: 'Ask the payer to authorize another pricing option of the same offer',
  description:
    'Records the intent, and replaces an earlier one. The subscription keeps its present terms until the payer has authorized the new ones at `authorizationUrl`; an abandoned migration changes nothing.',
  id: 'migrateSubscription',
  params: subscriptionParams,
  body: z.object({
    priceId: text(100).describe('Another recurring, active pricing option of the same offer.'),
    tokenKey: text(100)
      .nullish()
      .describe('The token for the new option. Required if the option does not accept the present token.'),
    newPayer: z
      .boolean()
      .nullish()
      .describe('`true`: you confirm that another wallet than the present one may sign, within a day.'),
  }),
  responses: { 200: migrationSchema },
  errors: [404],
  notes: {
    400: 'Not valid: an option of another offer, a one-time, retired or the present option; or the subscription is canceled.',
  },
  messages: { 400: "priceId is the subscription's present pricing option; expected another one" },
  example: {
    params: { subscriptionId: IDS.subscription },
    body: { priceId: IDS.yearly },
    answer: { status: 200, body: openMigration },
  },
  handle: async ({ params, body, caller }, deps) => {
    const migration = await migrate(deps, caller, params.subscriptionId, body, 'api');
    return answer(200, migrationView(migration, deps.config.publicUrl));
  },
});
