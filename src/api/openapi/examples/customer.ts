import type { z } from 'zod';
import type { customerSchema } from '../../views/customer.ts';
import { ADDRESSES, IDS, MOMENTS } from './ids.ts';

/** A payer with one EVM wallet. */
export const exampleCustomer: z.output<typeof customerSchema> = {
  id: IDS.customer,
  wallets: [{ chainFamily: 'evm', address: ADDRESSES.payer }],
  merchantReferenceId: 'user-8812',
  email: 'ada@example.com',
  phone: null,
  timeZone: 'Europe/Berlin',
  name: 'Ada Example',
  ...{ address: null, country: null, taxId: null },
  merchantId: IDS.merchant,
  isSandbox: true,
  idempotencyKey: '0b7f6c52-93f4-4a0e-8a64-5f1f3f5b2a90',
  createdAt: MOMENTS.created,
  updatedAt: MOMENTS.created,
};
