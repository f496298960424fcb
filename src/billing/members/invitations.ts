import { randomBytes } from 'node:crypto';
import { invalid } from '../../errors/fault.ts';
import { type OpenedSession, secretHash } from '../../model/secrets.ts';
import type { MemberDoc } from '../../store/collections.ts';
import { openMemberSession, type SessionsDeps } from './sessions.ts';

/** A week. */
const INVITATION_MS = 7 * 86_400_000;

const SECRET_BYTES = 32;

/** The token of a link that signs a member in once. It cannot be shown again, because only its hash is stored. */
export interface Invitation {
  readonly token: string;
  readonly expiresAt: Date;
}

export interface NewInvitation extends Invitation {
  readonly stored: NonNullable<MemberDoc['invitation']>;
}

export function newInvitation(memberId: string, now: Date): NewInvitation {
  const token = `${memberId}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const expiresAt = new Date(now.getTime() + INVITATION_MS);
  return { token, expiresAt, stored: { tokenHash: secretHash(token), expiresAt } };
}

/**
 * The address of an invitation. The token is in the fragment, which no server sees. `publicUrl`: as in `HttpConfig`.
 */
export function invitationUrl(token: string, publicUrl: string): string {
  return `${publicUrl}/dashboard#invitation=${token}`;
}

/** Signs a member in, and uses the link up. Throws 400 for a token that is unknown, used or expired. */
export async function openInvitation(deps: SessionsDeps, token: string): Promise<OpenedSession> {
  const now = deps.clock();
  const [memberId = ''] = token.split('.');
  // Of simultaneous requests, one finds the invitation.
  const member = await deps.store.records.change(
    'members',
    memberId,
    { removedAt: null, 'invitation.tokenHash': secretHash(token), 'invitation.expiresAt': { gt: now } },
    { set: { invitation: null, updatedAt: now } },
  );
  if (member === null) {
    throw invalid('The link is unknown, was used before, or has expired; ask an admin of your team for another one');
  }
  return openMemberSession(deps, member);
}
