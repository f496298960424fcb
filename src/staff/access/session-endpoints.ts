import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { answer } from '../../http/endpoint.ts';
import { text } from '../../http/input/fields.ts';
import { unauthorized } from '../../http/middleware/authenticate.ts';
import { ended, endedSchema, keepingCookie } from '../../http/session-cookie.ts';
import { staffSessionEndpoint } from '../endpoint.ts';
import { whoamiSchema } from '../wire.ts';
import { endStaffSession, holderOf, openStaffSession, STAFF_COOKIE, STAFF_SESSION_MS } from './admit.ts';

export const openSession = staffSessionEndpoint({
  summary: 'Open a session of a browser with a staff token',
  body: z.object({ token: text(200) }),
  responses: { 201: z.strictObject({ ...whoamiSchema.shape, expiresAt: moment }) },
  errors: [401, 403],
  handle: async ({ body, now }, deps) => {
    const holder = await holderOf(deps, body.token);
    if (holder === null) throw unauthorized();
    const { tokenId, by } = holder;
    const { secret, expiresAt } = await openStaffSession(deps.store.records, { tokenId, by }, now);
    return {
      ...answer(201, { by, role: holder.role, expiresAt: expiresAt.toISOString() }),
      headers: {
        'Set-Cookie': keepingCookie(STAFF_COOKIE, { secret, ageMs: STAFF_SESSION_MS }, deps.config.publicUrl),
      },
    };
  },
});

export const endSession = staffSessionEndpoint({
  summary: 'End the session; without one nothing happens',
  responses: { 200: endedSchema },
  errors: [403],
  handle: async ({ caller }, deps) => {
    if (caller.session !== null) await endStaffSession(deps.store.records, caller.session);
    return ended(STAFF_COOKIE, deps.config.publicUrl);
  },
});

export const getSession = staffSessionEndpoint({
  summary: 'Get the name and role of the caller; null for a caller without a session, which is not an error',
  responses: { 200: z.strictObject({ session: whoamiSchema.nullable() }) },
  handle: async ({ caller: { who } }) => answer(200, { session: who && { by: who.by, role: who.role } }),
});
