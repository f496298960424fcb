import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
  VerifiedAuthenticationResponse,
  VerifiedRegistrationResponse,
} from '@simplewebauthn/server';
import { conflict, type Fault, invalid, notFound } from '../../errors/fault.ts';
import type { OpenedSession } from '../../model/secrets.ts';
import type { MemberDoc, MerchantDoc, Passkey } from '../../store/collections.ts';
import type { StaffOrder } from '../administration/staff-journal.ts';
import { changeMember } from './members.ts';
import { openMemberSession, type SessionsDeps } from './sessions.ts';

export type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

/** How long a challenge can be answered. */
const CHALLENGE_MS = 10 * 60_000;

const PASSKEYS_MAX = 20;

/** Loaded for the first passkey: it is a tenth of the packages' code. */
const webAuthn = () => import('@simplewebauthn/server');

/** The site as passkeys know it: they are bound to its host, and the browser to its origin. */
export interface PasskeySite {
  readonly host: string;
  readonly origin: string;
}

/** null: browsers make no passkeys here. They need a name, not an IP address, and https except on localhost. */
export function passkeySiteOf(publicUrl: string): PasskeySite | null {
  const { protocol, hostname, origin } = new URL(publicUrl);
  const isName = isIP(hostname) === 0 && !hostname.startsWith('[');
  const isSecure = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isName && isSecure ? { host: hostname, origin } : null;
}

/** What a browser needs to make a passkey for a member. Throws 409 at 20 passkeys. */
export async function askForPasskey(
  deps: SessionsDeps,
  site: PasskeySite,
  { member, merchant }: { readonly member: MemberDoc; readonly merchant: MerchantDoc },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  if (member.passkeys.length >= PASSKEYS_MAX) throw conflict(`You have ${PASSKEYS_MAX} passkeys; remove one first`);
  const { generateRegistrationOptions } = await webAuthn();
  const options = await generateRegistrationOptions({
    rpName: 'Tideline',
    rpID: site.host,
    userID: new TextEncoder().encode(member._id),
    userName: `${member.name} (${merchant.name})`,
    userDisplayName: member.name,
    attestationType: 'none',
    excludeCredentials: member.passkeys.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  await keepChallenge(deps, options.challenge, member._id);
  return options;
}

/**
 * Stores the passkey that a browser has made for a member, and journals it. Throws 400 if it does not answer an open
 * challenge of this member, and 409 if somebody else changed the member meanwhile.
 */
export async function addPasskey(
  deps: SessionsDeps,
  site: PasskeySite,
  member: MemberDoc,
  response: RegistrationResponseJSON,
  order: StaffOrder,
): Promise<MemberDoc> {
  const { verifyRegistrationResponse } = await webAuthn();
  const { registrationInfo } = await verified<VerifiedRegistrationResponse>(() =>
    verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => takeChallenge(deps, challenge, member._id),
      expectedOrigin: site.origin,
      expectedRPID: site.host,
    }),
  );
  if (registrationInfo === undefined) throw unverified('its signature is wrong');
  const { id, publicKey, counter } = registrationInfo.credential;
  const createdAt = deps.clock();
  const passkey: Passkey = { id, publicKey: Buffer.from(publicKey).toString('base64url'), counter, createdAt };
  const passkeys = [...member.passkeys, passkey];
  return changeMember(deps, member, order, { action: 'passkey.added', passkeyId: id }, { passkeys });
}

/** Throws 404 if the member has no such passkey, and 409 if somebody else changed the member meanwhile. */
export async function removePasskey(
  deps: SessionsDeps,
  member: MemberDoc,
  id: string,
  order: StaffOrder,
): Promise<MemberDoc> {
  const passkeys = member.passkeys.filter((each) => each.id !== id);
  if (passkeys.length === member.passkeys.length) throw notFound();
  return changeMember(deps, member, order, { action: 'passkey.removed', passkeyId: id }, { passkeys });
}

/** What a browser needs to sign in with any passkey of this site. */
export async function askForSignIn(
  deps: SessionsDeps,
  site: PasskeySite,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await webAuthn();
  const options = await generateAuthenticationOptions({ rpID: site.host, userVerification: 'required' });
  await keepChallenge(deps, options.challenge, null);
  return options;
}

/** Throws 400 if no member has the passkey, it answers no open challenge, or its counter went back: a copied key. */
export async function signInWithPasskey(
  deps: SessionsDeps,
  site: PasskeySite,
  response: AuthenticationResponseJSON,
): Promise<OpenedSession> {
  return openMemberSession(deps, await verifiedHolder(deps, site, response));
}

/** Throws 400 as `signInWithPasskey`, and for a passkey of somebody else. */
export async function confirmWithPasskey(
  deps: SessionsDeps,
  site: PasskeySite,
  response: AuthenticationResponseJSON,
  member: MemberDoc,
): Promise<void> {
  const holder = await verifiedHolder(deps, site, response);
  if (holder._id !== member._id) throw unverified(`it is not one of ${member.name}`);
}

async function verifiedHolder(
  deps: SessionsDeps,
  site: PasskeySite,
  response: AuthenticationResponseJSON,
): Promise<MemberDoc> {
  const { member, passkey } = await holderOf(deps, response);
  const { verifyAuthenticationResponse } = await webAuthn();
  const { verified: isVerified, authenticationInfo } = await verified<VerifiedAuthenticationResponse>(() =>
    verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => takeChallenge(deps, challenge, null),
      expectedOrigin: site.origin,
      expectedRPID: site.host,
      credential: {
        id: passkey.id,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
      },
    }),
  );
  if (!isVerified) throw unverified('its signature is wrong');
  await noteCounter(deps, member, passkey, authenticationInfo.newCounter);
  return member;
}

async function holderOf(
  { store: { records } }: SessionsDeps,
  { id, response }: AuthenticationResponseJSON,
): Promise<{ readonly member: MemberDoc; readonly passkey: Passkey }> {
  const memberId = Buffer.from(response.userHandle ?? '', 'base64url').toString();
  const [member] = await records.get('members', [memberId]);
  const passkey = member?.passkeys.find((each) => each.id === id);
  if (member === undefined || passkey === undefined || member.removedAt !== null) {
    throw invalid('No member has this passkey; sign in with a link, and add a passkey again');
  }
  return { member, passkey };
}

async function noteCounter({ store: { records } }: SessionsDeps, member: MemberDoc, used: Passkey, counter: number) {
  if (counter === used.counter) return;
  const passkeys = member.passkeys.map((each) => (each.id === used.id ? { ...each, counter } : each));
  await records.change('members', member._id, { updatedAt: member.updatedAt }, { set: { passkeys } });
}

async function keepChallenge({ store: { records }, clock }: SessionsDeps, challenge: string, memberId: string | null) {
  const createdAt = clock();
  const expiresAt = new Date(createdAt.getTime() + CHALLENGE_MS);
  await records.insert('passkeyChallenges', [{ _id: challenge, memberId, createdAt, expiresAt }]);
}

/** True once: of simultaneous answers, one removes the challenge. */
async function takeChallenge(
  { store: { records }, clock }: SessionsDeps,
  challenge: string,
  memberId: string | null,
): Promise<boolean> {
  const [kept] = await records.get('passkeyChallenges', [challenge]);
  if (kept === undefined || kept.memberId !== memberId || kept.expiresAt <= clock()) return false;
  return (await records.remove('passkeyChallenges', [challenge])) === 1;
}

/** The library throws for everything that it cannot accept. */
async function verified<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify();
  } catch (error) {
    throw unverified(error instanceof Error ? error.message : String(error));
  }
}

function unverified(why: string): Fault {
  return invalid(`The passkey was not accepted: ${why}; try again`);
}
