import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { integer } from '../../http/input/fields.ts';
import { MOMENTS } from '../openapi/examples/ids.ts';

const OVERLAP_SECONDS_MAX = 604_800;

export const rotateWebhookSecret = endpoint({
  summary: 'Replace the signing secret; the new one is shown here and never again',
  id: 'rotateWebhookSecret',
  description:
    'One secret signs the events of both environments. Once a live URL is set, only a live key, or an admin in the dashboard, replaces it.',
  body: z.object({
    overlapSeconds: integer(0, OVERLAP_SECONDS_MAX)
      .nullish()
      .describe(
        'Seconds for which deliveries are also signed with the old secret, in `X-Service-Signature-Previous`. Default: 0, the old secret ends immediately.',
      ),
  }),
  responses: {
    200: z.strictObject({
      secret: z
        .string()
        .regex(/^whsec_/)
        .describe('The new secret: the HMAC key is this exact text. Shown only here.'),
      rotatedAt: moment.describe('When it took effect.'),
    }),
  },
  errors: [409],
  notes: {
    409: 'No secret exists yet: set a webhook URL first. Or the key is a test key, and a live URL is set.',
  },
  messages: {
    400: 'overlapSeconds must be an integer between 0 and 604800',
    409: 'There is no signing secret yet; rotate needs a webhook URL to be set first',
  },
  example: {
    body: { overlapSeconds: 3_600 },
    answer: {
      status: 200,
      body: {
        secret: 'whsec_c2VjcmV0IG9mIHRoZSBleGFtcGxlLCBub3Qgb2YgYSBzaG9w',
        rotatedAt: MOMENTS.created,
      },
    },
  },
  handle: async ({ body, caller }, deps) => {
    const byTestKey = caller.via === 'key' && caller.mode === 'test';
    const how = { overlapSeconds: body.overlapSeconds ?? 0, byTestKey };
    const { secret, rotatedAt } = await deps.webhooks.rotateSecret(caller, how);
    return answer(200, { secret, rotatedAt: rotatedAt.toISOString() });
  },
});
