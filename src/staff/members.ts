import { z } from 'zod';
import { moment } from '../../machines/effects.ts';
import { invitationUrl } from '../billing/members/invitations.ts';
import { answer } from '../http/endpoint.ts';
import { name } from '../http/input/fields.ts';
import { staffEndpoint } from './endpoint.ts';
import { ofMerchant, reason } from './fields.ts';

const role = z.enum(['viewer', 'member', 'admin']);

export const inviteMemberAsStaff = staffEndpoint({
  summary:
    "Invite a person to a merchant's dashboard; only this answer shows the link, which signs in once within a week",
  params: ofMerchant,
  body: z.object({ name: name(100), role, reason }),
  responses: { 201: z.strictObject({ id: z.string(), name: z.string(), role, url: z.string(), expiresAt: moment }) },
  errors: [404, 409],
  handle: async ({ params, body: { reason: why, ...person }, caller }, { services, config }) => {
    const order = { by: caller.by, reason: why };
    const { member, token, expiresAt } = await services.members.invite(params.merchantId, person, order);
    const url = invitationUrl(token, config.publicUrl);
    return answer(201, { id: member._id, ...person, url, expiresAt: expiresAt.toISOString() });
  },
});
