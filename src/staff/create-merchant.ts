import { z } from 'zod';
import { answer, none, staffEndpoint } from '../http/endpoint.ts';
import { name } from '../http/input/fields.ts';

export const createMerchant = staffEndpoint({
  summary: 'Create a merchant; its keys are shown here and never again',
  params: none,
  query: none,
  body: z.object({ name: name(200) }),
  responses: { 201: z.strictObject({ id: z.string(), testKey: z.string(), liveKey: z.string() }) },
  errors: [],
  handle: async ({ body }, { services }) => {
    const { merchant, testKey, liveKey } = await services.merchants.create(body);
    return answer(201, { id: merchant._id, testKey, liveKey });
  },
});
