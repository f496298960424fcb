import { newSession, type OpenedSession, secretHash } from '../../model/secrets.ts';
import type { MemberDoc, MerchantDoc } from '../../store/collections.ts';
import type { RecordsDeps } from '../deps.ts';

/** Twelve hours: a working day. */
const SESSION_MS = 12 * 3_600_000;

/** How long a proof of the person counts: a sign-in, or a later answer of a passkey. */
const PROOF_MS = 10 * 60_000;

export type SessionsDeps = RecordsDeps;

/** A session that is open now. */
export interface MemberSession {
  readonly member: MemberDoc;
  readonly merchant: MerchantDoc;
  readonly expiresAt: Date;
  /** Until when the last proof of the person counts. */
  readonly provenUntil: Date;
}

export async function openMemberSession(
  { store: { records }, clock }: SessionsDeps,
  { _id: memberId }: Pick<MemberDoc, '_id'>,
): Promise<OpenedSession> {
  const { opened, stored } = newSession(clock(), SESSION_MS);
  const [verdict] = await records.insert('memberSessions', [{ ...stored, memberId }]);
  if (!verdict?.inserted) throw new Error('a session of the dashboard could not be stored');
  return opened;
}

/** null: the secret is unknown or has expired, or its member was removed. */
export async function findMemberSession(
  { store: { records }, clock }: SessionsDeps,
  secret: string,
): Promise<MemberSession | null> {
  const [session] = await records.get('memberSessions', [secretHash(secret)]);
  const now = clock();
  if (session === undefined || session.expiresAt <= now) return null;
  const [found] = await records.getWith('members', [session.memberId], 'merchantId', 'merchants');
  if (found === undefined || found.named === null || found.doc.removedAt !== null) return null;
  const { createdAt, provenAt = createdAt, expiresAt } = session;
  // One that is further ahead is of a clock that was ahead, and proves nothing.
  const isProof = provenAt.getTime() < now.getTime() + PROOF_MS;
  const provenUntil = new Date(isProof ? provenAt.getTime() + PROOF_MS : 0);
  return { member: found.doc, merchant: found.named, expiresAt, provenUntil };
}

/** Notes that the member has just proven in this session who they are. */
export async function renewProof({ store: { records }, clock }: SessionsDeps, secret: string): Promise<void> {
  await records.change('memberSessions', secretHash(secret), {}, { set: { provenAt: clock() } });
}

export async function endMemberSession({ store: { records } }: SessionsDeps, secret: string): Promise<void> {
  await records.remove('memberSessions', [secretHash(secret)]);
}

/** The most sessions that are ended in one read. */
const SESSIONS_MAX = 1_000;

/** Signs a member out everywhere. */
export async function endSessionsOf({ store: { records } }: SessionsDeps, memberId: string): Promise<void> {
  const sessions = await records.find('memberSessions', { where: { memberId }, limit: SESSIONS_MAX });
  await records.remove(
    'memberSessions',
    sessions.map(({ _id }) => _id),
  );
}
