import { z } from 'zod';
import { brandingOf, LOGO_BYTES_MAX, setBranding } from '../billing/administration/branding.ts';
import { EMBED_ORIGINS_MAX, setEmbedOrigins } from '../billing/administration/embed-origins.ts';
import { brandingView } from '../http/branding.ts';
import { answer } from '../http/endpoint.ts';
import { name } from '../http/input/fields.ts';
import { webOrigin } from '../pages/policy.ts';
import type { MerchantDoc } from '../store/collections.ts';
import { dashboardEndpoint, orderOf } from './endpoint.ts';
import { type EmbedOrigins, embedOriginsSchema, type OwnBranding, ownBrandingSchema } from './wire.ts';

export const getBranding = dashboardEndpoint({
  summary: "Get the logo and the accent colour of the payer's pages, and who sells, for receipts",
  responses: { 200: ownBrandingSchema },
  handle: async ({ caller }) => answer(200, ownBrandingView(caller.session.merchant)),
});

/** In base64. */
const LOGO_CHARACTERS_MAX = Math.ceil(LOGO_BYTES_MAX / 3) * 4;

const change = z.object({
  logo: z
    .base64('must be base64')
    .max(LOGO_CHARACTERS_MAX, `must be at most ${LOGO_BYTES_MAX / 1024} KB`)
    .transform((text) => Buffer.from(text, 'base64'))
    .nullish(),
  accentColor: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0b5f7a')
    .toLowerCase()
    .nullish(),
  legalName: name(200).nullish(),
  legalAddress: name(500).nullish(),
});

export const updateBranding = dashboardEndpoint({
  summary: 'Set the logo, as base64, the accent colour, or who sells; null takes a part away',
  body: change,
  responses: { 200: ownBrandingSchema },
  // The largest logo, and the other fields.
  bodyBytesMax: LOGO_CHARACTERS_MAX + 8_192,
  handle: async ({ body, caller }, deps) => {
    const stored = await setBranding(deps, caller.session.merchant._id, body, orderOf(caller));
    return answer(200, ownBrandingView(stored));
  },
});

function ownBrandingView(merchant: MerchantDoc): OwnBranding {
  const { legalName, legalAddress } = brandingOf(merchant);
  return { ...brandingView(merchant), legalName, legalAddress };
}

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
