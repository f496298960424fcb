import { z } from 'zod';
import { listCustomers as findCustomers } from '../../billing/customers/customers.ts';
import { answer, endpoint } from '../../http/endpoint.ts';
import { created, page, pageOf } from '../../http/input/fields.ts';
import { pageEcho, pageView } from '../../http/schemas.ts';
import { exampleCustomer } from '../openapi/examples/customer.ts';
import { ADDRESSES } from '../openapi/examples/ids.ts';
import { customerSchema, customerView } from '../views/customer.ts';

export const listCustomers = endpoint({
  summary: 'List customers, newest first, or find them by wallet, e-mail address or your id',
  id: 'listCustomers',
  description: 'Deleted customers are not listed.',
  query: z.object({
    walletAddress: z
      .string()
      .optional()
      .describe('Only the customer with this wallet; EVM addresses compare without regard to case.'),
    email: z.string().optional().describe('Only customers with exactly this e-mail address.'),
    merchantReferenceId: z.string().optional().describe('Only customers with this id of yours.'),
    created,
    ...page,
  }),
  responses: {
    200: z.strictObject({ customers: z.array(customerSchema).describe('One page, newest first.'), ...pageEcho }),
  },
  csv: { list: 'customers', columns: Object.keys(customerSchema.shape) },
  example: {
    query: { walletAddress: ADDRESSES.payer, limit: '20', start: '0' },
    answer: { status: 200, body: { customers: [exampleCustomer], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const found = await findCustomers(deps, caller, { ...query, ...page });
    return answer(200, { customers: found.items.map(customerView), ...pageView(page, found) });
  },
});
