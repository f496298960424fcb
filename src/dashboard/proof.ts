import { z } from 'zod';
import { confirmWithPasskey as confirm, type PasskeySite, passkeySiteOf } from '../billing/members/passkeys.ts';
import type { MemberSession } from '../billing/members/sessions.ts';
import { conflict, Fault } from '../errors/fault.ts';
import type { HttpConfig, HttpDeps } from '../http/deps.ts';
import { text } from '../http/input/fields.ts';

/** Bytes in base64url. */
export const binary = text(4_000);

/** What `navigator.credentials.get` gives, as JSON. */
export const passkeyAnswer = z.object({
  id: text(2_000),
  rawId: text(2_000),
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: binary,
    authenticatorData: binary,
    signature: binary,
    userHandle: text(200),
  }),
});

export type PasskeyAnswer = z.output<typeof passkeyAnswer>;

export function siteOf({ publicUrl }: HttpConfig): PasskeySite {
  const site = passkeySiteOf(publicUrl);
  if (site !== null) return site;
  throw conflict(`Passkeys need an address with a name and https, or localhost; this service has ${publicUrl}`);
}

/** Throws 400 if the answer is not of a passkey of this member, is older than ten minutes, or was used before. */
export function confirmWithPasskey(deps: HttpDeps, { member }: MemberSession, sent: PasskeyAnswer): Promise<void> {
  return confirm(deps, siteOf(deps.config), { ...sent, clientExtensionResults: {} }, member);
}

/** Throws 403 if the last proof of the person is too old: a stolen cookie must not become a way to sign in. */
export function requireProof({ member, provenUntil }: MemberSession, now: Date): void {
  if (now < provenUntil) return;
  const proof = member.passkeys.length > 0 ? 'use one of your passkeys' : 'sign in again with a new link';
  throw new Fault('forbidden', `This needs a sign-in of the last ten minutes; ${proof}, then try again`);
}

/**
 * Has the member confirm a single act: with the answer of a passkey, which counts once, or without any passkey by a
 * sign-in of the last ten minutes. Returns how. Throws 403 if that is missing, and 400 as `confirmWithPasskey`.
 */
export async function confirmAct(
  deps: HttpDeps,
  session: MemberSession,
  sent: PasskeyAnswer | undefined,
  now: Date,
): Promise<'passkey' | 'sign-in'> {
  if (session.member.passkeys.length === 0) {
    requireProof(session, now);
    return 'sign-in';
  }
  if (sent === undefined) throw new Fault('forbidden', 'This needs one of your passkeys; reload the page, and confirm');
  await confirmWithPasskey(deps, session, sent);
  return 'passkey';
}
