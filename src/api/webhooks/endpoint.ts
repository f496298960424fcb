import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { invalid } from '../../errors/fault.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { fixed, given, integer } from '../../http/input/fields.ts';
import { mode } from '../../http/schemas.ts';
import { URL_MAX } from '../../webhooks/address-guard.ts';
import { MOMENTS } from '../openapi/examples/ids.ts';
import { exampleEndpoint } from '../openapi/examples/webhooks.ts';
import { webhookEndpointSchema } from '../views/webhook-endpoint.ts';

export const setWebhookEndpoint = endpoint({
  summary: "Set where the key's environment delivers its events; an empty url unsets it",
  id: 'setWebhookEndpoint',
  description:
    "Changes the key's own environment and never the other. The first saved URL creates the secret that signs the events of both environments; POST /webhooks/secret/rotate makes the one of this environment.",
  body: z.object({
    url: z
      .string()
      .max(URL_MAX, `must be at most ${URL_MAX} characters long`)
      .optional()
      .describe(
        'An http or https URL (https only in live mode) to public addresses, without credentials; empty unsets it.',
      ),
    extraEvents: z.boolean().optional().describe('`true` if the extra kinds of events are delivered too.'),
    environment: fixed,
    effectiveUrl: fixed,
  }),
  responses: { 200: webhookEndpointSchema },
  notes: {
    400: 'Not valid: a URL that leads to a private, loopback or link-local address, http in live mode, credentials in it; a field that cannot be updated, or nothing to update.',
  },
  messages: { 400: 'url must be an https URL in live mode; http is for the sandbox' },
  example: { body: { url: exampleEndpoint.url }, answer: { status: 200, body: exampleEndpoint } },
  handle: async ({ body, caller }, deps) => {
    const { url, extraEvents } = body;
    if (url === undefined && extraEvents === undefined) {
      throw invalid('body must have a field to update: url or extraEvents');
    }
    return answer(200, await deps.webhooks.setEndpoint(caller, given({ url, extraEvents })));
  },
});

export const getWebhookEndpoint = endpoint({
  summary: "Read where the key's environment delivers its events",
  id: 'getWebhookEndpoint',
  description: '`effectiveUrl` is the present URL of deliveries: a sandbox without its own URL uses the live one.',
  responses: { 200: webhookEndpointSchema },
  example: { answer: { status: 200, body: exampleEndpoint } },
  handle: async ({ caller }, deps) => answer(200, await deps.webhooks.endpoint(caller)),
});

export const getWebhookSecret = endpoint({
  summary: 'Read whether a signing secret exists; the secret itself is never returned',
  id: 'getWebhookSecret',
  description: 'One secret serves both environments, so both keys get the same answer.',
  responses: {
    200: z.strictObject({
      configured: z.boolean().describe('`true` if a secret exists; the first saved URL creates it.'),
      webhookUrl: z.string().describe('The live URL; empty when unset.'),
      webhookUrlTest: z.string().describe('The sandbox URL; empty when unset.'),
    }),
  },
  example: {
    answer: {
      status: 200,
      body: {
        configured: true,
        webhookUrl: 'https://shop.example/webhooks',
        webhookUrlTest: exampleEndpoint.url,
      },
    },
  },
  handle: async ({ caller }, deps) => answer(200, await deps.webhooks.secretStatus(caller)),
});

const OVERLAP_SECONDS_MAX = 604_800;

export const rotateWebhookSecret = endpoint({
  summary: 'Replace the signing secret; the new one is shown here and never again',
  id: 'rotateWebhookSecret',
  description:
    'One secret signs the events of both environments, and one more for each environment signs only its own: verify with that one, which `scope` `mode` makes. Once a live URL is set, only a live key, or an admin in the dashboard, replaces the secret of both.',
  body: z.object({
    scope: z
      .enum(['mode'])
      .nullish()
      .describe("`mode`: the secret of the key's own environment. Default: the secret of both environments."),
    overlapSeconds: integer(0, OVERLAP_SECONDS_MAX)
      .nullish()
      .describe(
        'Seconds for which deliveries are also signed with the old secret, in `X-Service-Signature-Previous` (`X-Service-Signature-Mode-Previous` with `scope`). Default: 0, the old secret ends immediately.',
      ),
  }),
  responses: {
    200: z.strictObject({
      secret: z
        .string()
        .regex(/^whsec_/)
        .describe('The new secret: the HMAC key is this exact text. Shown only here.'),
      rotatedAt: moment.describe('When it took effect.'),
      mode: mode.optional().describe('The mode whose events alone it signs; only with `scope`.'),
      previousUntil: moment
        .nullable()
        .optional()
        .describe('Until when the old secret signs too; `null`: it does not. Only with `scope`.'),
    }),
  },
  errors: [409],
  notes: {
    409: 'No secret exists yet: set a webhook URL first. Or the key is a test key, and a live URL is set: use `scope` `mode`.',
  },
  messages: {
    400: 'overlapSeconds must be an integer between 0 and 604800',
    409: 'There is no signing secret yet; rotate needs a webhook URL to be set first',
  },
  example: {
    body: { scope: 'mode', overlapSeconds: 3_600 },
    answer: {
      status: 200,
      body: {
        secret: 'whsec_c2VjcmV0IG9mIHRoZSBleGFtcGxlLCBub3Qgb2YgYSBzaG9w',
        rotatedAt: MOMENTS.created,
        mode: 'test',
        previousUntil: null,
      },
    },
  },
  handle: async ({ body, caller }, deps) => {
    const overlapSeconds = body.overlapSeconds ?? 0;
    if (body.scope === 'mode') {
      const { secret, rotatedAt, previousUntil } = await deps.webhooks.rotateModeSecret(caller, { overlapSeconds });
      const times = { rotatedAt: rotatedAt.toISOString(), previousUntil: previousUntil?.toISOString() ?? null };
      return answer(200, { secret, mode: caller.mode, ...times });
    }
    const byTestKey = caller.via === 'key' && caller.mode === 'test';
    const { secret, rotatedAt } = await deps.webhooks.rotateSecret(caller, { overlapSeconds, byTestKey });
    return answer(200, { secret, rotatedAt: rotatedAt.toISOString() });
  },
});
