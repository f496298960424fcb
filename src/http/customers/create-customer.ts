import { z } from 'zod';
import { requestHash } from '../../billing/request-hash.ts';
import { createdAnswer } from '../created.ts';
import { endpoint, none } from '../endpoint.ts';
import { idempotencyKey } from '../input/fields.ts';
import { customerSchema, customerView } from '../views/customer.ts';
import { customerFields } from './fields.ts';

export const createCustomer = endpoint({
  summary: 'Create a customer',
  params: none,
  query: none,
  body: z.object({ ...customerFields, idempotencyKey: idempotencyKey.nullish() }),
  responses: { 201: customerSchema, 200: customerSchema },
  errors: [409],
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
