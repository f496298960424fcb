import { z } from 'zod';
import { TAX_RATE } from '../../machines/rules/tax.ts';
import { setInvoicing } from '../billing/administration/invoicing.ts';
import { CURRENCIES } from '../billing/offers/rates.ts';
import { answer } from '../http/endpoint.ts';
import { countryField, oneOf, text } from '../http/input/fields.ts';
import type { MerchantDoc } from '../store/collections.ts';
import { dashboardEndpoint, orderOf } from './endpoint.ts';
import { type Invoicing, invoicingSchema } from './wire.ts';

export const getInvoicing = dashboardEndpoint({
  summary: 'Get how invoices are made',
  responses: { 200: invoicingSchema },
  handle: async ({ caller }) => answer(200, invoicingView(caller.session.merchant)),
});

const rate = z.string().regex(TAX_RATE, 'must be a percentage such as "19" or "8.875", with at most 4 places');

export const updateInvoicing = dashboardEndpoint({
  summary: 'Set how invoices are made, from now on: they begin when this is set first',
  body: z.object({
    country: countryField,
    taxId: text(50).nullable(),
    currency: oneOf(CURRENCIES),
    isTaxIncluded: z.boolean(),
    taxRate: rate,
    taxRates: z.record(countryField, rate),
  }),
  responses: { 200: invoicingSchema },
  handle: async ({ body, caller }, deps) =>
    answer(200, invoicingView(await setInvoicing(deps, caller.session.merchant._id, body, orderOf(caller)))),
});

/** What the form shows before invoices begin. */
const NONE = { country: '', taxId: null, currency: 'USD', isTaxIncluded: true, taxRate: '0', taxRates: {} };

function invoicingView({ invoicing }: MerchantDoc): Invoicing {
  if (invoicing === undefined) return { ...NONE, since: null };
  return { ...invoicing, since: invoicing.since.toISOString() };
}
