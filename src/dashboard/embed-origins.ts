import { z } from 'zod';
import { EMBED_ORIGINS_MAX, setEmbedOrigins } from '../billing/administration/embed-origins.ts';
import { answer } from '../http/endpoint.ts';
import { webOrigin } from '../pages/policy.ts';
import type { MerchantDoc } from '../store/collections.ts';
import { dashboardEndpoint, orderOf } from './endpoint.ts';
import { type EmbedOrigins, embedOriginsSchema } from './wire.ts';

export const getEmbedOrigins = dashboardEndpoint({
  summary: 'Get the sites that may frame the checkout of live offers',
  responses: { 200: embedOriginsSchema },
  handle: async ({ caller }) => answer(200, embedOriginsView(caller.session.merchant)),
});

const origin = z
  .string()
  .refine((text) => webOrigin(text) === text, 'must be an origin such as https://shop.example.com, without a path');

export const updateEmbedOrigins = dashboardEndpoint({
  summary: 'Replace the sites that may frame the checkout of live offers',
  body: z.object({ origins: z.array(origin).max(EMBED_ORIGINS_MAX, `must have at most ${EMBED_ORIGINS_MAX} origins`) }),
  responses: { 200: embedOriginsSchema },
  handle: async ({ body, caller }, deps) => {
    const origins = [...new Set(body.origins)];
    const stored = await setEmbedOrigins(deps, caller.session.merchant._id, origins, orderOf(caller));
    return answer(200, embedOriginsView(stored));
  },
});

function embedOriginsView({ embedOrigins = [] }: MerchantDoc): EmbedOrigins {
  return { origins: [...embedOrigins] };
}
