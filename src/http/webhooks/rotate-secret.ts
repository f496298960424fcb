import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { integer } from '../input/fields.ts';
import { moment } from '../views/shared.ts';

const OVERLAP_SECONDS_MAX = 604_800;

export const rotateWebhookSecret = endpoint({
  summary: 'Replace the signing secret; the new one is shown here and never again',
  params: none,
  query: none,
  body: z.object({ overlapSeconds: integer(0, OVERLAP_SECONDS_MAX).nullish() }),
  responses: { 200: z.strictObject({ secret: z.string().startsWith('whsec_'), rotatedAt: moment }) },
  errors: [409],
  handle: async ({ body, caller }, { services }) => {
    const how = { overlapSeconds: body.overlapSeconds ?? 0 };
    const { secret, rotatedAt } = await services.webhooks.rotateSecret(caller, how);
    return answer(200, { secret, rotatedAt: rotatedAt.toISOString() });
  },
});
