import { randomBytes } from 'node:crypto';
import { secretHash } from './api-keys.ts';

/** The secret keeps the session open until `expiresAt`. It cannot be shown again, because only its hash is stored. */
export interface OpenedSession {
  readonly secret: string;
  readonly expiresAt: Date;
}

/** Makes a session: the secret for its holder, and the document to store. */
export function newSession(createdAt: Date, lastsMs: number) {
  const secret = randomBytes(32).toString('base64url');
  const expiresAt = new Date(createdAt.getTime() + lastsMs);
  const opened: OpenedSession = { secret, expiresAt };
  return { opened, stored: { _id: secretHash(secret), createdAt, expiresAt } };
}
