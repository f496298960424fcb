import { z } from 'zod';
import { answer, endpoint, none } from '../endpoint.ts';
import { page } from '../input/fields.ts';
import { customerSchema, customerView } from '../views/customer.ts';
import { pageEcho } from '../views/shared.ts';

export const listCustomers = endpoint({
  summary: 'List customers, newest first, or find one by wallet',
  params: none,
  query: z.object({ walletAddress: z.string().optional(), ...page }),
  body: none,
  responses: { 200: z.strictObject({ customers: z.array(customerSchema), ...pageEcho }) },
  errors: [],
  handle: async ({ query, caller }, { services }) => {
    const { walletAddress = null, limit, start } = query;
    const customers = await services.customers.list(caller, { walletAddress, limit, start });
    return answer(200, { customers: customers.map(customerView), limit, start });
  },
});
