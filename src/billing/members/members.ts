import { conflict, notFound } from '../../errors/fault.ts';
import type { MemberDoc, MemberRole, StaffAction } from '../../store/collections.ts';
import { newId } from '../../store/ids.ts';
import { requireMerchant } from '../administration/account.ts';
import { keepEntries, OWN_DOCUMENTS_MAX, type StaffOrder, staffEntry } from '../administration/staff-journal.ts';
import { type Invitation, newInvitation } from './invitations.ts';
import { endSessionsOf, type SessionsDeps } from './sessions.ts';

/** The most people of a merchant. */
const MEMBERS_MAX = 200;

export interface Invited extends Invitation {
  readonly member: MemberDoc;
}

/**
 * Adds a person, with a link that signs them in once within a week. Throws 404, and 409 at 200 people. The journal of
 * the merchant has every change of a person before its function resolves (docs/rules.md, "Dashboard").
 */
export async function inviteMember(
  deps: SessionsDeps,
  merchantId: string,
  { name, role }: { readonly name: string; readonly role: MemberRole },
  order: StaffOrder,
): Promise<Invited> {
  const {
    clock,
    store: { records },
  } = deps;
  await requireMerchant(records, merchantId);
  const people = await records.count('members', { merchantId, removedAt: null }, MEMBERS_MAX);
  if (people >= MEMBERS_MAX) throw conflict(`Merchant has ${MEMBERS_MAX} people; remove one first`);
  const now = clock();
  const memberId = newId('mem', now);
  const { stored, ...invitation } = newInvitation(memberId, now);
  const details = { memberId, name, role };
  const member: MemberDoc = {
    ...{ _id: memberId, merchantId, name, role, invitation: stored, passkeys: [], removedAt: null },
    staffEntry: staffEntry(order, merchantId, now, { action: 'member.invited', details }),
    createdAt: now,
    updatedAt: now,
  };
  await records.insert('members', [member]);
  await keepEntries(records, [member.staffEntry]);
  return { member, ...invitation };
}

/** Replaces the open link of a person, for one who has lost it or all passkeys. Throws 404. */
export async function inviteMemberAgain(
  deps: SessionsDeps,
  merchantId: string,
  memberId: string,
  order: StaffOrder,
): Promise<Invited> {
  const member = await requireMember(deps, merchantId, memberId);
  const { stored, ...invitation } = newInvitation(memberId, deps.clock());
  const changed = await changeMember(deps, member, order, { action: 'member.invited' }, { invitation: stored });
  return { member: changed, ...invitation };
}

/** The people who were not removed, in the order of their invitations. */
export function listMembers({ store: { records } }: SessionsDeps, merchantId: string): Promise<MemberDoc[]> {
  return records.find('members', { where: { merchantId, removedAt: null }, limit: OWN_DOCUMENTS_MAX });
}

/** Throws 404, and 409 if no admin were left. */
export async function setMemberRole(
  deps: SessionsDeps,
  merchantId: string,
  memberId: string,
  role: MemberRole,
  order: StaffOrder,
): Promise<MemberDoc> {
  const member = await requireMember(deps, merchantId, memberId);
  if (member.role === 'admin' && role !== 'admin') await requireOtherAdmin(deps, member);
  const done = { action: 'member.changed', role: { from: member.role, to: role } } as const;
  return changeMember(deps, member, order, done, { role });
}

/** Ends all sessions of the person too. Throws 404, and 409 if no admin were left. */
export async function removeMember(
  deps: SessionsDeps,
  merchantId: string,
  memberId: string,
  order: StaffOrder,
): Promise<MemberDoc> {
  const member = await requireMember(deps, merchantId, memberId);
  if (member.role === 'admin') await requireOtherAdmin(deps, member);
  const gone = { removedAt: deps.clock(), invitation: null, passkeys: [] };
  const removed = await changeMember(deps, member, order, { action: 'member.removed' }, gone);
  await endSessionsOf(deps, memberId);
  return removed;
}

async function requireMember(
  { store: { records } }: SessionsDeps,
  merchantId: string,
  memberId: string,
): Promise<MemberDoc> {
  const [member] = await records.get('members', [memberId]);
  if (member === undefined || member.merchantId !== merchantId || member.removedAt !== null) throw notFound();
  return member;
}

/**
 * Two admins who remove each other in one moment can leave none: the operator then invites one (`npm run ops --
 * merchant invite`).
 */
async function requireOtherAdmin(deps: SessionsDeps, { _id, merchantId }: MemberDoc): Promise<void> {
  const people = await listMembers(deps, merchantId);
  if (people.some((other) => other._id !== _id && other.role === 'admin')) return;
  throw conflict('Your team needs one admin; make somebody else an admin first');
}

interface Done {
  readonly action: Extract<StaffAction, `member.${string}` | `passkey.${string}`>;
  readonly role?: { readonly from: MemberRole; readonly to: MemberRole };
  readonly passkeyId?: string;
}

/** Changes and journals a person. Throws 409 if somebody else removed or changed them meanwhile. */
export async function changeMember(
  { store: { records }, clock }: SessionsDeps,
  member: MemberDoc,
  order: StaffOrder,
  { action, ...facts }: Done,
  set: Partial<Pick<MemberDoc, 'role' | 'removedAt' | 'invitation' | 'passkeys'>>,
): Promise<MemberDoc> {
  await keepEntries(records, [member.staffEntry]);
  const now = clock();
  const details = { memberId: member._id, name: member.name, ...facts };
  const entry = staffEntry(order, member.merchantId, now, { action, details });
  const stored = await records.change(
    'members',
    member._id,
    { removedAt: null, 'staffEntry._id': member.staffEntry._id },
    { set: { ...set, staffEntry: entry, updatedAt: now }, push: { recentOps: [entry._id] } },
  );
  if (stored === null) throw conflict('Somebody else has changed this person just now; load the page again');
  await keepEntries(records, [entry]);
  return stored;
}
