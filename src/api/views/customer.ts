import { z } from 'zod';
import {
  chainFamily,
  createdAt,
  idSchema,
  isSandbox,
  merchantId,
  momentsOf,
  storedKey,
  updatedAt,
} from '../../http/schemas.ts';
import { orNull, pick } from '../../model/pick.ts';
import type { CustomerDoc } from '../../store/collections.ts';

export const customerWalletSchema = z.strictObject({
  chainFamily: chainFamily.describe('The kind of chains on which it pays.'),
  address: z.string().describe('The address; an EVM address has its checksum.'),
});

/** Customer (reference, section 2), with additive fields: `address`, `country`, `taxId`. */
export const customerSchema = z.strictObject({
  id: idSchema('cust_').describe('The customer.'),
  wallets: z.array(customerWalletSchema).describe('At most one per chain family; `[]` when there are none.'),
  merchantReferenceId: z.string().nullable().describe("The merchant's own name for the customer."),
  email: z.string().nullable().describe('As sent.'),
  phone: z.string().nullable().describe('As sent.'),
  name: z.string().nullable().describe('As sent.'),
  timeZone: z
    .string()
    .nullable()
    .describe('An IANA name, as sent or of the last browser in which it signed; `null`: none is known.'),
  address: z.string().nullable().describe('As sent, for invoices.'),
  country: z.string().nullable().describe('As sent: it decides the tax of invoices.'),
  taxId: z.string().nullable().describe('As sent, for invoices.'),
  merchantId,
  isSandbox,
  idempotencyKey: storedKey,
  createdAt,
  updatedAt,
});

export function customerView(customer: CustomerDoc): z.output<typeof customerSchema> {
  return {
    id: customer._id,
    wallets: customer.wallets.map(({ chainFamily, address }) => ({ chainFamily, address })),
    ...pick(customer, 'merchantReferenceId', 'email', 'phone', 'name', 'merchantId'),
    ...orNull(customer, 'timeZone', 'address', 'country', 'taxId'),
    isSandbox: customer.mode === 'test',
    idempotencyKey: customer.idempotencyKey,
    ...momentsOf(customer),
  };
}
