import { z } from 'zod';
import {
  reinstateMerchant as reinstate,
  requireMerchant,
  SETTINGS,
  setAccount,
  suspendMerchant as suspend,
} from '../billing/administration/account.ts';
import {
  accountOf,
  createMerchant as create,
  listMerchants as findMerchants,
  issueKey as issue,
  revokeKey as revoke,
} from '../billing/administration/merchants.ts';
import { readStaffJournal, type StaffOrder } from '../billing/administration/staff-journal.ts';
import { removeWallet as remove, setWallet as set } from '../billing/administration/wallets.ts';
import { invitationUrl } from '../billing/members/invitations.ts';
import { inviteMember } from '../billing/members/members.ts';
import { wakeReinstated } from '../billing/subscriptions/deferred.ts';
import { invalid } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { answer } from '../http/endpoint.ts';
import { allFixed, integer, name, oneOf, page, pageOf, text } from '../http/input/fields.ts';
import { mode, pageEcho, pageView } from '../http/schemas.ts';
import { FEE_BPS_MAX } from '../model/fees.ts';
import type { MerchantDoc } from '../store/collections.ts';
import { ofMerchant, orderOf, reason, staffEndpoint } from './endpoint.ts';
import { accountView, entryView, keyView, merchantView, staffWalletView } from './views.ts';
import {
  accountSchema,
  entrySchema,
  invitationSchema,
  keySchema,
  merchantSchema,
  newKeySchema,
  newMerchantSchema,
  staffWalletSchema,
} from './wire.ts';

export const createMerchant = staffEndpoint({
  summary: 'Create a merchant; only this answer shows its keys',
  body: z.object({ name: name(200) }),
  responses: { 201: newMerchantSchema },
  handle: async ({ body }, deps) => {
    const { merchant, testKey, liveKey } = await create(deps, body);
    return answer(201, { id: merchant._id, testKey, liveKey });
  },
});

export const listMerchants = staffEndpoint({
  summary: 'List merchants, newest first',
  query: z.object({ status: oneOf(['active', 'suspended']).optional(), ...page }),
  responses: { 200: z.strictObject({ merchants: z.array(merchantSchema), ...pageEcho }) },
  handle: async ({ query }, deps) => {
    const page = pageOf(query);
    const found = await findMerchants(deps, { status: query.status, ...page });
    return answer(200, { merchants: found.items.map(merchantView), ...pageView(page, found) });
  },
});

export const getMerchant = staffEndpoint({
  summary: 'Read a merchant with its keys, limits, fee, webhook settings and payout wallets; no secret is shown',
  params: ofMerchant,
  responses: { 200: accountSchema },
  errors: [404],
  handle: async ({ params }, deps) => answer(200, accountView(await accountOf(deps, params.merchantId))),
});

const LIMIT_FACTOR_MAX = 10_000;
const budget = integer(0, 1_000_000).optional();

export const updateMerchant = staffEndpoint({
  summary: "Set a merchant's limits, budgets of a day, or fee",
  params: ofMerchant,
  body: z.object({
    limitFactor: integer(1, LIMIT_FACTOR_MAX).optional(),
    feeBps: integer(0, FEE_BPS_MAX).optional(),
    signUpsPerDay: budget,
    newWalletsPerDay: budget,
    announcementsPerDay: budget,
    reason,
    ...allFixed('id', 'name', 'status', 'keys', 'webhooks', 'wallets', 'createdAt', 'updatedAt'),
  }),
  responses: { 200: merchantSchema },
  errors: [404],
  handle: async (call, deps) => {
    if (SETTINGS.every((name) => call.body[name] === undefined)) {
      throw invalid(`body must have a field to update: ${SETTINGS.join(', ')}`);
    }
    const changed = await setAccount(deps, call.params.merchantId, call.body, orderOf(call));
    return answer(200, merchantView(changed));
  },
});

/** A command that changes whether a merchant is active. */
function statusChange(
  summary: string,
  change: (deps: HttpDeps, merchantId: string, order: StaffOrder) => Promise<MerchantDoc>,
) {
  return staffEndpoint({
    summary,
    params: ofMerchant,
    body: z.object({ reason }),
    responses: { 200: merchantSchema },
    errors: [404, 409],
    handle: async (call, deps) => answer(200, merchantView(await change(deps, call.params.merchantId, orderOf(call)))),
  });
}

export const suspendMerchant = statusChange(
  'Suspend a merchant: its keys get 401, its checkout 404, and no new pull begins',
  suspend,
);

export const reinstateMerchant = statusChange(
  'Reinstate a suspended merchant: charges that were not attempted meanwhile are made now',
  async (deps, merchantId, order) => {
    const merchant = await reinstate(deps, merchantId, order);
    void wakeReinstated(deps, merchant._id);
    return merchant;
  },
);

export const listJournal = staffEndpoint({
  summary: 'List the actions of staff on a merchant, newest first',
  params: ofMerchant,
  query: z.object(page),
  responses: { 200: z.strictObject({ entries: z.array(entrySchema), ...pageEcho }) },
  errors: [404],
  handle: async ({ params, query }, deps) => {
    const page = pageOf(query);
    await requireMerchant(deps.store.records, params.merchantId);
    const found = await readStaffJournal(deps.store, params.merchantId, page);
    return answer(200, { entries: found.items.map(entryView), ...pageView(page, found) });
  },
});

export const inviteMemberAsStaff = staffEndpoint({
  summary:
    "Invite a person to a merchant's dashboard; only this answer shows the link, which signs in once within a week",
  params: ofMerchant,
  body: z.object({ name: name(100), role: invitationSchema.shape.role, reason }),
  responses: { 201: invitationSchema },
  errors: [404, 409],
  handle: async (call, deps) => {
    const { reason: _, ...person } = call.body;
    const { member, token, expiresAt } = await inviteMember(deps, call.params.merchantId, person, orderOf(call));
    const url = invitationUrl(token, deps.config.publicUrl);
    return answer(201, { id: member._id, ...person, url, expiresAt: expiresAt.toISOString() });
  },
});

export const issueKey = staffEndpoint({
  summary: 'Issue a key of one environment; only this answer shows it',
  params: ofMerchant,
  body: z.object({ mode, reason }),
  responses: { 201: newKeySchema },
  errors: [404, 409],
  handle: async (call, deps) => {
    const { key, doc } = await issue(deps, call.params.merchantId, call.body.mode, orderOf(call));
    return answer(201, { ...keyView(doc), key });
  },
});

export const revokeKey = staffEndpoint({
  summary: 'Revoke a key, named by the id that its merchant shows for it: it gets 401 from now on',
  params: z.object({ ...ofMerchant.shape, keyId: z.string() }),
  body: z.object({ reason }),
  responses: { 200: keySchema },
  errors: [404, 409],
  handle: async (call, deps) => {
    const { merchantId, keyId } = call.params;
    return answer(200, keyView(await revoke(deps, merchantId, keyId, orderOf(call))));
  },
});

export const setWallet = staffEndpoint({
  summary: 'Register the payout wallet of a token for a merchant, or replace its address',
  params: ofMerchant,
  body: z.object({ mode, tokenKey: text(100), receiverWallet: text(100), reason }),
  responses: { 201: staffWalletSchema, 200: staffWalletSchema },
  errors: [404],
  handle: async (call, deps) => {
    const { reason: _, ...input } = call.body;
    const { wallet, isNew } = await set(deps, call.params.merchantId, input, orderOf(call));
    return answer(isNew ? 201 : 200, staffWalletView(wallet));
  },
});

export const removeWallet = staffEndpoint({
  summary: 'Remove the address of a payout wallet: payouts fall back, and the merchant can delete the row',
  params: z.object({ ...ofMerchant.shape, walletId: z.string() }),
  body: z.object({ reason }),
  responses: { 200: staffWalletSchema },
  errors: [404, 409],
  handle: async (call, deps) => {
    const { merchantId, walletId } = call.params;
    return answer(200, staffWalletView(await remove(deps, merchantId, walletId, orderOf(call))));
  },
});
