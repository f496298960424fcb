import { z } from 'zod';
import { RISK_DAYS } from '../../machines/rules/risk.ts';
import { chosenOf, letterSettingsOf, setLetters } from '../billing/administration/letter-settings.ts';
import { requireCustomer } from '../billing/customers/customers.ts';
import { release, suppress } from '../billing/letters/suppressions.ts';
import { conflict } from '../errors/fault.ts';
import type { HttpDeps } from '../http/deps.ts';
import { answer } from '../http/endpoint.ts';
import { contactFields, languageField, text } from '../http/input/fields.ts';
import { mode } from '../http/schemas.ts';
import { lettersView, requireResent } from '../letters/views.ts';
import { lettersSchema } from '../staff/wire.ts';
import type { MerchantDoc } from '../store/collections.ts';
import { tenantStore } from '../store/tenant.ts';
import { noteCall } from './activity.ts';
import { dashboardEndpoint, orderOf } from './endpoint.ts';
import { type LetterSettings, letterSettingsSchema } from './wire.ts';

export const getLetterSettings = dashboardEndpoint({
  summary: 'Get whether the merchant sends letters to its customers, and how',
  responses: { 200: letterSettingsSchema },
  handle: async ({ caller }, deps) => answer(200, settingsView(caller.session.merchant, deps)),
});

export const updateLetterSettings = dashboardEndpoint({
  summary:
    'Change the letters to customers: by mode, where answers go, the days before a charge of the reminder, and the usual language; and where the weekly summary goes',
  body: z.object({
    live: z.boolean().optional(),
    test: z.boolean().optional(),
    replyTo: contactFields.email,
    reminderDays: z.literal(RISK_DAYS, `must be one of ${RISK_DAYS.join(', ')}, or null`).nullish(),
    language: languageField,
    summaryTo: contactFields.email,
  }),
  responses: { 200: letterSettingsSchema },
  handle: async ({ body, caller }, deps) => {
    const stored = await setLetters(deps, caller.session.merchant._id, body, orderOf(caller));
    return answer(200, settingsView(stored, deps));
  },
});

export const listOwnLetters = dashboardEndpoint({
  summary:
    'List the newest letters about a subscription, a payment or a customer, or to the merchant, and what stops further ones',
  query: z.object({ mode, about: text(100) }),
  responses: { 200: lettersSchema },
  handle: async ({ query, caller }, deps) => {
    const tenant = { merchantId: caller.session.merchant._id, mode: query.mode };
    return answer(200, await lettersView(deps.store, tenant, query.about));
  },
});

export const stopOwnLetters = dashboardEndpoint({
  summary: 'Send a customer no letters, or letters again',
  body: z.object({ mode, customerId: text(100), isStopped: z.boolean() }),
  responses: { 200: lettersSchema },
  handle: async ({ body: { mode: of, customerId, isStopped }, caller, now }, deps) => {
    const tenant = { merchantId: caller.session.merchant._id, mode: of };
    const { email } = await requireCustomer(deps.store, tenant, customerId);
    if (email === null) throw conflict('The customer has no e-mail address, so there is nothing to stop');
    const { records } = deps.store;
    if (isStopped) await suppress(records, 'merchant', email, { ...orderOf(caller), now }, tenant);
    else await release(records, 'merchant', email, tenant);
    await noteCall(deps, caller, {
      call: isStopped ? 'stopLetters' : 'allowLetters',
      mode: of,
      resourceId: customerId,
    });
    return answer(200, await lettersView(deps.store, tenant, customerId));
  },
});

export const resendOwnLetter = dashboardEndpoint({
  summary: 'Send a letter again that has failed or was stopped',
  body: z.object({ mode, letterId: text(100) }),
  responses: { 200: lettersSchema },
  handle: async ({ body, caller }, deps) => {
    const tenant = { merchantId: caller.session.merchant._id, mode: body.mode };
    const letter = await tenantStore(deps.store, tenant).record('letters', body.letterId);
    const { resourceId } = await requireResent(deps, letter);
    await noteCall(deps, caller, { call: 'resendLetter', mode: body.mode, resourceId });
    return answer(200, await lettersView(deps.store, tenant, resourceId));
  },
});

function settingsView(merchant: MerchantDoc, { config }: Pick<HttpDeps, 'config'>): LetterSettings {
  const { language = null, summaryTo = null, ...settings } = chosenOf(letterSettingsOf(merchant));
  return { ...settings, language, summaryTo, hasMailServer: config.sendsLetters ?? false };
}
