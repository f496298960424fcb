import type { z } from 'zod';
import type { paymentInvoiceSchema } from '../../views/invoice.ts';
import { IDS, MOMENTS, TOKEN, TX_HASH } from './ids.ts';

/** Of 25.00 USDC with German tax. */
export const exampleInvoice: z.output<typeof paymentInvoiceSchema> = {
  paymentId: IDS.payment,
  merchantId: IDS.merchant,
  number: 'TEST-2026-0001',
  date: '2026-01-15',
  paidOn: '2026-01-15',
  period: null,
  seller: { name: 'Acme GmbH', address: 'Main Street 1\n10115 Berlin', country: 'DE', taxId: 'DE123456789' },
  customer: { name: 'Ada Example', address: null, country: 'DE', taxId: null },
  lines: [{ kind: 'sale', name: 'Pro', quantity: null, net: '21.008403', tax: '3.991597' }],
  tokenKey: TOKEN.tokenKey,
  taxRate: '19',
  isTaxIncluded: true,
  ...{ net: '21.008403', tax: '3.991597', total: '25.00' },
  value: {
    ...{ currency: 'EUR', rate: '0.925754930191', source: 'rates.example.com', at: MOMENTS.settled },
    ...{ total: '23.14', tax: '3.70' },
  },
  transaction: TX_HASH,
  creditNotes: [],
  createdAt: '2026-01-15T09:46:40.000Z',
  isSandbox: true,
};
