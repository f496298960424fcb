import { z } from 'zod';
import { LOGO_BYTES_MAX, setBranding } from '../billing/administration/branding.ts';
import { brandingView } from '../http/branding.ts';
import { answer } from '../http/endpoint.ts';
import { brandingSchema } from '../http/schemas.ts';
import { dashboardEndpoint, orderOf } from './endpoint.ts';

export const getBranding = dashboardEndpoint({
  summary: "Get the logo and the accent colour of the payer's pages",
  responses: { 200: brandingSchema },
  handle: async ({ caller }) => answer(200, brandingView(caller.session.merchant)),
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
});

export const updateBranding = dashboardEndpoint({
  summary: "Set the logo, as base64, or the accent colour of the payer's pages; null takes it away",
  body: change,
  responses: { 200: brandingSchema },
  // The largest logo, and the other field.
  bodyBytesMax: LOGO_CHARACTERS_MAX + 1_024,
  handle: async ({ body, caller }, deps) => {
    const stored = await setBranding(deps, caller.session.merchant._id, body, orderOf(caller));
    return answer(200, brandingView(stored));
  },
});
