import { z } from 'zod';
import { setTimeZone } from '../../billing/administration/time-zone.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { fixed, timeZoneField } from '../../http/input/fields.ts';
import { timeZoneOf } from '../../model/time-zones.ts';
import type { MerchantDoc } from '../../store/collections.ts';

/** GET and PATCH /account: what a merchant has set for both environments. */
export const accountSchema = z.strictObject({
  name: z.string().describe('The merchant, as payers see it.'),
  timeZone: z.string().describe('The IANA name of the zone in which the months of reports run.'),
});

const exampleAccount = { name: 'Mia’s Yoga', timeZone: 'Europe/Berlin' };

export const getAccount = endpoint({
  summary: 'Read the settings of the account',
  id: 'getAccount',
  description: 'They are the same in both environments.',
  responses: { 200: accountSchema },
  example: { answer: { status: 200, body: exampleAccount } },
  handle: async ({ caller }) => answer(200, accountView(caller.merchant)),
});

export const updateAccount = endpoint({
  summary: 'Set the time zone of the account',
  id: 'updateAccount',
  description:
    'For both environments. The months of GET /settlements run in this zone, and letters to customers without a zone of ' +
    'their own have its dates. Charges and all moments of the API stay in UTC.',
  body: z.object({ name: fixed, timeZone: timeZoneField }),
  responses: { 200: accountSchema },
  messages: { 400: 'timeZone must be a name of the IANA database such as Europe/Berlin' },
  example: { body: { timeZone: exampleAccount.timeZone }, answer: { status: 200, body: exampleAccount } },
  handle: async ({ body: { timeZone }, caller }, deps) =>
    answer(200, accountView(await setTimeZone(deps, caller.merchant, timeZone))),
});

function accountView(merchant: MerchantDoc): z.output<typeof accountSchema> {
  return { name: merchant.name, timeZone: timeZoneOf(merchant) };
}
