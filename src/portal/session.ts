import { z } from 'zod';
import { endPortalSession as endSession, findPortalSession, type PortalSession } from '../billing/portal/sessions.ts';
import { challengeWallet, portalChains, signInWallet } from '../billing/portal/sign-in.ts';
import { signedFields } from '../checkout/fields.ts';
import { invalid } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { answer } from '../http/endpoint.ts';
import { text } from '../http/input/fields.ts';
import { ended, endedSchema, keepingCookie } from '../http/session-cookie.ts';
import { PORTAL_COOKIE, portalSessionEndpoint } from './endpoint.ts';
import { sessionView } from './views.ts';
import { challengeSchema, openedSchema, sessionStateSchema } from './wire.ts';

export const getPortalSession = portalSessionEndpoint({
  summary: 'Get the open session; null without one, which is not an error',
  responses: { 200: sessionStateSchema },
  handle: async ({ caller: { session } }, deps) => {
    const chains = portalChains(deps);
    return answer(200, {
      session: session && sessionView(session),
      chains: chains.map(({ chainId, label, family }) => ({ chainId, label, chainFamily: family })),
    });
  },
});

export const challengePortal = portalSessionEndpoint({
  summary: 'Get a text with which a wallet signs in, once within ten minutes (EIP-4361)',
  body: z.object({ address: signedFields.address, chainId: z.int().nullish() }),
  responses: { 201: challengeSchema },
  handle: async ({ body: { address, chainId } }, deps) => {
    const wallet = { address, chainId: chainId ?? null };
    const { message, expiresAt } = await challengeWallet(deps, wallet, deps.config.publicUrl);
    return answer(201, { message, expiresAt: expiresAt.toISOString() });
  },
});

export const signInToPortal = portalSessionEndpoint({
  summary: 'Open a session with a text that a wallet has signed',
  body: z.object({ message: signedFields.message, signature: signedFields.signature }),
  responses: { 201: openedSchema },
  handle: async ({ body, now }, deps) => {
    const { secret } = await signInWallet(deps, body);
    return opened(deps, secret, await findPortalSession(deps, secret), now);
  },
});

export const openPortalLink = portalSessionEndpoint({
  summary: "Open the session of a merchant's link with the token in its fragment",
  body: z.object({ token: text(100) }),
  responses: { 201: openedSchema },
  handle: async ({ body: { token }, now }, deps) => {
    const session = await findPortalSession(deps, token);
    // Nobody is made to use another wallet's session by its secret.
    return opened(deps, token, session?.subject.kind === 'customer' ? session : null, now);
  },
});

export const endPortalSession = portalSessionEndpoint({
  summary: 'End the session; without one nothing happens',
  responses: { 200: endedSchema },
  handle: async ({ caller: { secret } }, deps) => {
    if (secret !== null) await endSession(deps, secret);
    return ended(PORTAL_COOKIE, deps.config.publicUrl);
  },
});

function opened({ config }: HttpDeps, secret: string, session: PortalSession | null, now: Date) {
  if (session === null) throw invalid('token is unknown or has expired; ask the merchant for a new link');
  const ageMs = session.expiresAt.getTime() - now.getTime();
  return {
    ...answer(201, { session: sessionView(session) }),
    headers: { 'Set-Cookie': keepingCookie(PORTAL_COOKIE, { secret, ageMs }, config.publicUrl) },
  };
}
