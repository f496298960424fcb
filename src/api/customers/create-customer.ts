import { z } from 'zod';
import { createCustomer as create } from '../../billing/customers/customers.ts';
import { createdAnswer } from '../../http/created.ts';
import { endpoint } from '../../http/endpoint.ts';
import { optionalKey } from '../../http/input/fields.ts';
import { requestHash, sameAddress } from '../../model/request-hash.ts';
import { exampleCustomer } from '../openapi/examples/customer.ts';
import { customerSchema, customerView } from '../views/customer.ts';
import { customerFields, withWalletAddress } from './fields.ts';

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
      merchantReferenceId: body.merchantReferenceId ?? null,
      email: body.email ?? null,
      phone: body.phone ?? null,
      name: body.name ?? null,
      idempotencyKey: body.idempotencyKey ?? null,
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
