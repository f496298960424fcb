import { z } from 'zod';
import { openInvitation } from '../billing/members/invitations.ts';
import {
  addPasskey as add,
  askForPasskey,
  askForSignIn,
  passkeySiteOf,
  removePasskey as remove,
  signInWithPasskey as signIn,
} from '../billing/members/passkeys.ts';
import { endMemberSession, findMemberSession, type MemberSession, renewProof } from '../billing/members/sessions.ts';
import type { HttpDeps } from '../http/deps.ts';
import { answer } from '../http/endpoint.ts';
import { text } from '../http/input/fields.ts';
import { unauthorized } from '../http/middleware/authenticate.ts';
import { ended, endedSchema, keepingCookie } from '../http/session-cookie.ts';
import type { OpenedSession } from '../model/secrets.ts';
import { DASHBOARD_COOKIE, dashboardEndpoint, dashboardSessionEndpoint, orderOf } from './endpoint.ts';
import { binary, confirmWithPasskey, passkeyAnswer, siteOf } from './proof.ts';
import { sessionView } from './views.ts';
import { credentialOptionsSchema, openedSchema, sessionSchema, sessionStateSchema } from './wire.ts';

export const getDashboardSession = dashboardSessionEndpoint({
  summary: 'Get the open session; null without one, which is not an error',
  responses: { 200: sessionStateSchema },
  handle: async ({ caller: { session } }, { config }) =>
    answer(200, {
      session: session && sessionView(session),
      hasPasskeys: passkeySiteOf(config.publicUrl) !== null,
    }),
});

export const openDashboardInvitation = dashboardSessionEndpoint({
  summary: 'Open a session with the token of an invitation, once',
  body: z.object({ token: text(200) }),
  responses: { 201: openedSchema },
  handle: async ({ body, now }, deps) => opened(deps, await openInvitation(deps, body.token), now),
});

export const endDashboardSession = dashboardSessionEndpoint({
  summary: 'End the session; without one nothing happens',
  responses: { 200: endedSchema },
  handle: async ({ caller: { secret } }, deps) => {
    if (secret !== null) await endMemberSession(deps, secret);
    return ended(DASHBOARD_COOKIE, deps.config.publicUrl);
  },
});

export const challengePasskey = dashboardSessionEndpoint({
  summary: 'Get the options with which a passkey signs in, once within ten minutes (WebAuthn)',
  responses: { 201: credentialOptionsSchema },
  handle: async (_call, deps) => answer(201, { options: { ...(await askForSignIn(deps, siteOf(deps.config))) } }),
});

export const signInWithPasskey = dashboardSessionEndpoint({
  summary: 'Open a session with the answer of a passkey',
  body: passkeyAnswer,
  responses: { 201: openedSchema },
  handle: async ({ body, now }, deps) => {
    const credential = { ...body, clientExtensionResults: {} };
    return opened(deps, await signIn(deps, siteOf(deps.config), credential), now);
  },
});

export const proveSession = dashboardSessionEndpoint({
  summary: 'Prove with a passkey of the member that they are there, for acts that need it',
  body: passkeyAnswer,
  responses: { 201: openedSchema },
  handle: async ({ body, caller: { secret, session } }, deps) => {
    if (secret === null || session === null) throw unauthorized();
    await confirmWithPasskey(deps, session, body);
    await renewProof(deps, secret);
    return answer(201, { session: sessionView(await sessionOf(deps, secret)) });
  },
});

export const challengeNewPasskey = dashboardEndpoint({
  summary: 'Get the options with which the browser makes a passkey, once within ten minutes (WebAuthn)',
  responses: { 201: credentialOptionsSchema },
  handle: async ({ caller: { session } }, deps) =>
    answer(201, { options: { ...(await askForPasskey(deps, siteOf(deps.config), session)) } }),
});

export const addPasskey = dashboardEndpoint({
  summary: 'Add the passkey that the browser has made',
  body: z.object({
    id: text(2_000),
    rawId: text(2_000),
    type: z.literal('public-key'),
    response: z.object({ clientDataJSON: binary, attestationObject: text(20_000) }),
  }),
  responses: { 201: sessionSchema },
  handle: async ({ body, caller }, deps) => {
    const { session } = caller;
    const credential = { ...body, clientExtensionResults: {} };
    const member = await add(deps, siteOf(deps.config), session.member, credential, orderOf(caller));
    return answer(201, sessionView({ ...session, member }));
  },
});

export const removePasskey = dashboardEndpoint({
  summary: "Remove one of the member's own passkeys",
  params: z.object({ passkeyId: z.string() }),
  responses: { 200: sessionSchema },
  handle: async ({ params, caller }, deps) => {
    const { session } = caller;
    const member = await remove(deps, session.member, params.passkeyId, orderOf(caller));
    return answer(200, sessionView({ ...session, member }));
  },
});

async function opened(deps: HttpDeps, { secret, expiresAt }: OpenedSession, now: Date) {
  const session = await sessionOf(deps, secret);
  const ageMs = expiresAt.getTime() - now.getTime();
  return {
    ...answer(201, { session: sessionView(session) }),
    headers: { 'Set-Cookie': keepingCookie(DASHBOARD_COOKIE, { secret, ageMs }, deps.config.publicUrl) },
  };
}

async function sessionOf(deps: HttpDeps, secret: string): Promise<MemberSession> {
  const session = await findMemberSession(deps, secret);
  if (session === null) throw unauthorized();
  return session;
}
