import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { openForCustomer } from '../../billing/portal/sessions.ts';
import { invalid } from '../../errors/fault.ts';
import { answer, type Caller, endpoint } from '../../http/endpoint.ts';
import { text } from '../../http/input/fields.ts';
import { IDS, MOMENTS } from '../openapi/examples/ids.ts';
import { customerParams } from './fields.ts';

const URL_RULE =
  'must be an https URL; with a test key also an http URL of this machine, such as http://localhost:8080';

const portalSessionSchema = z.strictObject({
  url: z
    .string()
    .describe(
      'The address to send the customer to. Whoever has it can see and end the subscriptions. With `?lang=de` before the fragment the page is in that language.',
    ),
  expiresAt: moment.describe('From then on it opens nothing: an hour after this call.'),
});

export const createPortalSession = endpoint({
  summary: 'Create a link to the portal for one customer',
  id: 'createPortalSession',
  description:
    'At this link the customer sees their subscriptions and payments at this merchant, and can end a subscription or take a scheduled end back, without a signature. Make it when the customer asks for it, and redirect; only this answer shows it.',
  params: customerParams,
  body: z.object({
    returnUrl: text(2_000).nullish().describe('Where the portal leads back to: an https URL.'),
  }),
  responses: { 201: portalSessionSchema },
  errors: [404],
  messages: { 400: `returnUrl ${URL_RULE}` },
  example: {
    params: { customerId: IDS.customer },
    body: { returnUrl: 'https://shop.example.com/account' },
    answer: {
      status: 201,
      body: {
        url: 'https://pay.example.com/portal#session=Zk3vQm8xT1yW6rB9nC2dF5gH7jK0pL4sA-uEoI_tYqM',
        expiresAt: MOMENTS.created.replace('09:30', '10:30'),
      },
    },
  },
  handle: async ({ params, body, caller }, deps) => {
    const returnUrl = requireReturnUrl(caller, body.returnUrl ?? null);
    const { secret, expiresAt } = await openForCustomer(deps, caller, params.customerId, returnUrl);
    return answer(201, {
      url: `${deps.config.publicUrl}/portal#session=${secret}`,
      expiresAt: expiresAt.toISOString(),
    });
  },
});

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Throws 400. */
function requireReturnUrl({ mode }: Caller, sent: string | null): string | null {
  if (sent === null) return null;
  const url = URL.canParse(sent) ? new URL(sent) : null;
  const isOwnMachine = mode === 'test' && url?.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url === null || (url.protocol !== 'https:' && !isOwnMachine)) throw invalid(`returnUrl ${URL_RULE}`);
  return url.href;
}
