import { z } from 'zod';
import { requestHash } from '../../billing/request-hash.ts';
import { createdAnswer } from '../created.ts';
import { endpoint, none } from '../endpoint.ts';
import { optionalKey } from '../input/fields.ts';
import { exampleCustomer } from '../openapi/examples/customer.ts';
import { customerSchema, customerView } from '../views/customer.ts';
import { customerFields } from './fields.ts';

export const createCustomer = endpoint({
  summary: 'Create a customer',
  id: 'createCustomer',
  description: 'An empty object is a valid call. Emits `customer.created`.',
  params: none,
  query: none,
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
      idempotencyKey: 'signup-8812',
    },
    answer: { status: 201, body: exampleCustomer },
  },
  handle: async ({ body, caller }, { services }) => {
    const created = await services.customers.create(caller, {
      wallets: body.wallets ?? [],
      merchantReferenceId: body.merchantReferenceId ?? null,
      email: body.email ?? null,
      phone: body.phone ?? null,
      name: body.name ?? null,
      idempotencyKey: body.idempotencyKey ?? null,
      requestHash: requestHash(body),
    });
    return createdAnswer(created, customerView);
  },
});
