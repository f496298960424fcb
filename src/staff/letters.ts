import { z } from 'zod';
import { release, suppress } from '../billing/letters/suppressions.ts';
import { answer } from '../http/endpoint.ts';
import { text } from '../http/input/fields.ts';
import { lettersView, requireResent } from '../letters/views.ts';
import { reason, staffEndpoint } from './endpoint.ts';
import { lettersSchema } from './wire.ts';

export const listLetters = staffEndpoint({
  summary:
    'List the newest letters about a subscription, a payment or a customer, or to a merchant, and what stops further ones',
  query: z.object({ about: text(100) }),
  responses: { 200: lettersSchema },
  handle: async ({ query }, deps) => answer(200, await lettersView(deps.store, null, query.about)),
});

export const resendLetter = staffEndpoint({
  summary: 'Send a letter again that has failed or was stopped',
  body: z.object({ letterId: text(100), reason }),
  responses: { 200: z.strictObject({ isQueued: z.boolean() }) },
  handle: async ({ body: { letterId, reason: why }, caller }, deps) => {
    const [letter = null] = await deps.store.records.get('letters', [letterId]);
    await requireResent(deps, letter);
    deps.log.info({ by: caller.by, reason: why, letter: letterId }, 'a letter is sent again');
    return answer(200, { isQueued: true });
  },
});

const body = z.object({ address: text(254), reason });
const responses = { 200: z.strictObject({ isSuppressed: z.boolean() }) };

export const reportBounce = staffEndpoint({
  summary: 'Report that letters to an address come back: no merchant sends it further ones',
  body,
  responses,
  handle: async ({ body: { address, reason: why }, caller, now }, { store, log }) => {
    await suppress(store.records, 'bounced', address, { by: caller.by, reason: why, now });
    log.info({ by: caller.by, reason: why }, 'an address gets no further letters, because they bounce');
    return answer(200, { isSuppressed: true });
  },
});

export const releaseAddress = staffEndpoint({
  summary: 'Send letters to an address again whose letters came back',
  body,
  responses,
  handle: async ({ body: { address, reason: why }, caller }, { store, log }) => {
    const wasSuppressed = await release(store.records, 'bounced', address);
    log.info({ by: caller.by, reason: why, wasSuppressed }, 'an address gets letters again');
    return answer(200, { isSuppressed: false });
  },
});
