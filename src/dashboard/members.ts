import { z } from 'zod';
import { invitationUrl } from '../billing/members/invitations.ts';
import {
  listMembers as findMembers,
  type Invited,
  inviteMember as invite,
  inviteMemberAgain as inviteAgain,
  removeMember as remove,
  setMemberRole,
} from '../billing/members/members.ts';
import type { HttpConfig } from '../http/deps.ts';
import { answer } from '../http/endpoint.ts';
import { name } from '../http/input/fields.ts';
import { dashboardEndpoint, orderOf } from './endpoint.ts';
import { memberView } from './views.ts';
import { invitedSchema, memberRole, memberSchema, membersSchema } from './wire.ts';

const params = z.object({ memberId: z.string() });

export const listMembers = dashboardEndpoint({
  summary: 'List the people of the merchant',
  responses: { 200: membersSchema },
  handle: async ({ caller }, deps) => {
    const members = await findMembers(deps, caller.session.merchant._id);
    return answer(200, { members: members.map(memberView) });
  },
});

export const inviteMember = dashboardEndpoint({
  summary: 'Invite a person; only this answer shows the link, which signs in once within a week',
  body: z.object({ name: name(100), role: memberRole }),
  responses: { 201: invitedSchema },
  handle: async ({ body, caller }, deps) => {
    const { merchant } = caller.session;
    return answer(201, invitedView(await invite(deps, merchant._id, body, orderOf(caller)), deps.config));
  },
});

export const inviteMemberAgain = dashboardEndpoint({
  summary: 'Make another link for a person; the one before it is of no use then',
  params,
  responses: { 201: invitedSchema },
  handle: async ({ params: { memberId }, caller }, deps) => {
    const { merchant } = caller.session;
    const invited = await inviteAgain(deps, merchant._id, memberId, orderOf(caller));
    return answer(201, invitedView(invited, deps.config));
  },
});

export const updateMember = dashboardEndpoint({
  summary: 'Set the role of a person; an admin stays',
  params,
  body: z.object({ role: memberRole }),
  responses: { 200: memberSchema },
  handle: async ({ params: { memberId }, body: { role }, caller }, deps) => {
    const { merchant } = caller.session;
    return answer(200, memberView(await setMemberRole(deps, merchant._id, memberId, role, orderOf(caller))));
  },
});

export const removeMember = dashboardEndpoint({
  summary: 'Remove a person and end their sessions; an admin stays',
  params,
  responses: { 200: memberSchema },
  handle: async ({ params: { memberId }, caller }, deps) => {
    const { merchant } = caller.session;
    return answer(200, memberView(await remove(deps, merchant._id, memberId, orderOf(caller))));
  },
});

function invitedView({ member, token, expiresAt }: Invited, { publicUrl }: HttpConfig): z.output<typeof invitedSchema> {
  return { member: memberView(member), url: invitationUrl(token, publicUrl), expiresAt: expiresAt.toISOString() };
}
