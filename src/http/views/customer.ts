import { z } from 'zod';
import type { CustomerDoc } from '../../store/collections.ts';
import { idSchema, moment } from './shared.ts';

/** Customer (reference, section 2). */
export const customerSchema = z.strictObject({
  id: idSchema('cust_'),
  wallets: z.array(z.strictObject({ chainFamily: z.enum(['evm', 'solana']), address: z.string() })),
  merchantReferenceId: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  name: z.string().nullable(),
  merchantId: idSchema('mrc_'),
  isSandbox: z.boolean(),
  idempotencyKey: z.string().nullable(),
  createdAt: moment,
  updatedAt: moment,
});

export function customerView(customer: CustomerDoc): z.output<typeof customerSchema> {
  return {
    id: customer._id,
    wallets: customer.wallets.map(({ chainFamily, address }) => ({ chainFamily, address })),
    merchantReferenceId: customer.merchantReferenceId,
    email: customer.email,
    phone: customer.phone,
    name: customer.name,
    merchantId: customer.merchantId,
    isSandbox: customer.mode === 'test',
    idempotencyKey: customer.idempotencyKey,
    createdAt: customer.createdAt.toISOString(),
    updatedAt: customer.updatedAt.toISOString(),
  };
}
