import { customerSchema } from '../../views/customer.ts';
import { filled } from './filled.ts';
import { ADDRESSES, IDS, MOMENTS } from './ids.ts';

/** A payer with one EVM wallet. */
export const exampleCustomer = filled(customerSchema, {
  id: IDS.customer,
  wallets: [{ chainFamily: 'evm', address: ADDRESSES.payer }],
  merchantReferenceId: 'user-8812',
  email: 'ada@example.com',
  timeZone: 'Europe/Berlin',
  name: 'Ada Example',
  merchantId: IDS.merchant,
  isSandbox: true,
  idempotencyKey: '0b7f6c52-93f4-4a0e-8a64-5f1f3f5b2a90',
  createdAt: MOMENTS.created,
  updatedAt: MOMENTS.created,
});
