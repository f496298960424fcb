import { z } from 'zod';
import { readerOf, deleteCustomer as remove, updateCustomer as update } from '../../billing/customers/changes.ts';
import {
  countCustomers,
  createCustomer as create,
  listCustomers as findCustomers,
  requireCustomer,
} from '../../billing/customers/customers.ts';
import { answer, createdAnswer, endpoint } from '../../http/endpoint.ts';
import { created, optionalKey, page, pageOf, totalsWanted } from '../../http/input/fields.ts';
import { deletedSchema, deletedView, pageEcho, pageView, totalsSchema } from '../../http/schemas.ts';
import { orNull } from '../../model/pick.ts';
import { requestHash, sameAddress } from '../../model/request-hash.ts';
import { exampleCustomer } from '../openapi/examples/customer.ts';
import { ADDRESSES, IDS } from '../openapi/examples/ids.ts';
import { customerSchema, customerView } from '../views/customer.ts';
import { customerFields, customerParams, updateBody, updateInput, withWalletAddress } from './fields.ts';

export const createCustomer = endpoint({
  summary: 'Create a customer',
  id: 'createCustomer',
  description: 'An empty object is a valid call. Emits `customer.created`.',
  body: z.object({ ...customerFields, idempotencyKey: optionalKey }),
  responses: { 201: customerSchema, 200: customerSchema },
  errors: [409],
  notes: {
    409: 'Another customer has one of the wallets.',
  },
  messages: { 400: 'email must be an e-mail address', 409: 'A customer with this wallet address already exists' },
  example: {
    body: {
      wallets: exampleCustomer.wallets,
      merchantReferenceId: 'user-8812',
      email: 'ada@example.com',
      name: 'Ada Example',
      idempotencyKey: '0b7f6c52-93f4-4a0e-8a64-5f1f3f5b2a90',
    },
    answer: { status: 201, body: exampleCustomer },
  },
  handle: async ({ body, caller }, deps) => {
    const fields = {
      wallets: withWalletAddress(body.wallets ?? [], body.walletAddress),
      ...orNull(body, 'merchantReferenceId', 'email', 'phone', 'name', 'idempotencyKey'),
      ...readerOf({ timeZone: body.timeZone ?? undefined }),
      // Absent where not sent, so that a repeat of an older request has the same hash.
      ...(body.address ? { address: body.address } : {}),
      ...(body.country ? { country: body.country } : {}),
      ...(body.taxId ? { taxId: body.taxId } : {}),
    };
    const wallets = fields.wallets
      .map(({ chainFamily, address }) => `${chainFamily}:${sameAddress(address)}`)
      .toSorted();
    const created = await create(deps, caller, {
      ...fields,
      requestHash: requestHash({ ...fields, wallets }),
    });
    return createdAnswer(created, customerView);
  },
});

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
    totals: totalsWanted,
    ...page,
  }),
  responses: {
    200: z.strictObject({
      customers: z.array(customerSchema).describe('One page, newest first.'),
      ...pageEcho,
      totals: totalsSchema,
    }),
  },
  csv: { list: 'customers', columns: Object.keys(customerSchema.shape) },
  example: {
    query: { walletAddress: ADDRESSES.payer, limit: '20', start: '0' },
    answer: { status: 200, body: { customers: [exampleCustomer], limit: 20, start: 0, hasMore: false } },
  },
  handle: async ({ query, caller }, deps) => {
    const page = pageOf(query);
    const found = await findCustomers(deps, caller, { ...query, ...page });
    return answer(200, {
      customers: found.items.map(customerView),
      ...pageView(page, found),
      ...(query.totals ? { totals: await countCustomers(deps, caller, query) } : {}),
    });
  },
});

export const getCustomer = endpoint({
  summary: 'Read a customer',
  id: 'getCustomer',
  params: customerParams,
  responses: { 200: customerSchema },
  errors: [404],
  example: { params: { customerId: IDS.customer }, answer: { status: 200, body: exampleCustomer } },
  handle: async ({ params, caller }, deps) =>
    answer(200, customerView(await requireCustomer(deps.store, caller, params.customerId))),
});

export const updateCustomer = endpoint({
  summary: 'Update a customer; a missing field does not change, null clears',
  id: 'updateCustomer',
  description:
    'Wallets are merged per chain family: an entry replaces the wallet of its family, one with `address: null` removes it, and `wallets: null` removes all. A wallet that a live subscription bills can be neither removed nor replaced (409). The first wallet of a family is billed by the live subscriptions of that family that have none yet. Emits `customer.updated`.',
  params: customerParams,
  body: updateBody,
  responses: { 200: customerSchema },
  errors: [404, 409],
  notes: {
    400: 'Not valid, a field that cannot be updated, or nothing to update.',
    409: 'Another customer has the wallet, or a live subscription bills the wallet to remove or replace.',
  },
  messages: {
    400: 'body must have at least one field that can be updated',
    409: 'A customer with this wallet address already exists',
  },
  example: {
    params: { customerId: IDS.customer },
    body: { email: 'ada@new.example.com', phone: null },
    answer: { status: 200, body: { ...exampleCustomer, email: 'ada@new.example.com' } },
  },
  handle: async ({ params, body, caller }, deps) => {
    const customer = await update(deps, caller, params.customerId, updateInput(body));
    return answer(200, customerView(customer));
  },
});

export const deleteCustomer = endpoint({
  summary: 'Delete a customer and cancel its live subscriptions, for good',
  id: 'deleteCustomer',
  description:
    'Frees the wallets for another customer, clears email, phone and name, and cancels every live subscription (one `subscription.canceled` each, without a `reason`). Payments are kept. Emits `customer.deleted`.',
  params: customerParams,
  responses: { 200: deletedSchema },
  errors: [404],
  example: { params: { customerId: IDS.customer }, answer: { status: 200, body: { id: IDS.customer, deleted: true } } },
  handle: async ({ params, caller }, deps) => {
    const customer = await remove(deps, caller, params.customerId);
    return answer(200, deletedView(customer._id));
  },
});
