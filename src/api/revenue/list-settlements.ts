import { z } from 'zod';
import { moment } from '../../../machines/effects.ts';
import { inTokens } from '../../billing/revenue/revenue.ts';
import {
  addedTo,
  amountsOf,
  listSettlements as findSettlements,
  refundsOfMonth,
  type SettledRefund,
  type Settlement,
  type SettlementSum,
  settlementsOf,
  sumSettlements,
} from '../../billing/revenue/settlements.ts';
import type { Catalog } from '../../chains/catalog.ts';
import { csvRows } from '../../http/csv.ts';
import { answer, type Caller, endpoint } from '../../http/endpoint.ts';
import { page, pageOf } from '../../http/input/fields.ts';
import { computedAmount, idSchema, pageEcho, pageView, txHash } from '../../http/schemas.ts';
import { invoiceNumber, worthOf } from '../../model/invoice.ts';
import { dateIn, MONTH, monthIn, timeZoneOf } from '../../model/time-zones.ts';
import type { InvoiceDoc } from '../../store/collections.ts';
import { IDS, MOMENTS, TX_HASH } from '../openapi/examples/ids.ts';

const amounts = {
  gross: computedAmount.describe('What payers paid, in token units: the `amount` of a payment.'),
  fee: computedAmount.describe("The service's fee: the `platformAmount`."),
  net: computedAmount.describe('`gross` less `fee`: the `merchantAmount`. It includes what splits get.'),
};

const token = {
  token: z.string().describe('The ticker, such as `USDC`.'),
  network: z.string().describe('The name of the chain.'),
  tokenKey: z.string().describe('The token of the amounts.'),
};

const paidFor = {
  customerId: z.string().nullable().describe('The payer, if known.'),
  customerName: z
    .string()
    .nullable()
    .describe('The present name of the customer, else the e-mail address, else your own id of it; `null`: none.'),
  offerId: z.string().nullable().describe('The offer; `null` for a direct charge.'),
  offerName: z.string().nullable().describe('Its present name, also if it was deleted.'),
};

/** What the invoice says, or the credit note. */
const taxed = {
  excludingTax: computedAmount.nullable().describe('The amount without the tax; `null`: it has no such document.'),
  taxRate: z.string().nullable().describe('In percent.'),
  country: z.string().nullable().describe('Of the customer: it decides the tax. `null`: unknown.'),
};

/** For the books of a merchant that makes invoices. */
const booked = {
  currency: z.string().nullable().describe('That of your accounts; `null`: nobody gave a rate.'),
  rate: z.string().nullable().describe('What one token was worth when the payment settled.'),
  rateSource: z.string().nullable().describe('Who said so.'),
  value: z.string().nullable().describe('The amount in the currency, to the nearest hundredth.'),
  ...taxed,
};

const settlementSchema = z.strictObject({
  id: idSchema('pay_').describe('The payment.'),
  settledAt: moment.describe('When the service found the charge final.'),
  ...paidFor,
  ...amounts,
  ...token,
  transaction: txHash.describe('The transaction of the charge.'),
  invoice: z.string().nullable().describe('The number of its invoice; `null`: it has none.'),
  tax: computedAmount.nullable().describe('The tax in `gross`, in token units; `null`: it has no invoice.'),
  gas: computedAmount.describe('What the network took from you: nothing. The service pays the gas of charges.'),
  ...booked,
});

const given = { refunded: computedAmount.describe('What your wallet has given back, in token units.') };

const refundSchema = z.strictObject({
  id: z.string().describe('The refund: `ref_…`.'),
  paymentId: idSchema('pay_').describe('The payment. It may have settled in another month.'),
  settledAt: moment.describe('When the service found the transfer final.'),
  ...paidFor,
  ...given,
  ...token,
  transaction: txHash.describe('The transaction of the transfer.'),
  creditNote: z.string().nullable().describe('The number of its credit note; `null`: it has none.'),
  refundedTax: computedAmount.nullable().describe('The tax in `refunded`; `null`: it has no credit note.'),
  ...booked,
});

const sumSchema = z.strictObject({
  payments: z.int().describe('The number of payments.'),
  ...amounts,
  refunds: z.int().describe('The number of refunds.'),
  ...given,
  ...token,
});

/** `record` tells payments from refunds and sums, so that a spreadsheet can filter. */
const NAMES = ['record', ...Object.keys(settlementSchema.shape), ...Object.keys(refundSchema.shape)];
/** The last ones were added last: who reads the file by position finds the others where they were. */
const COLUMNS = [...new Set([...NAMES.filter((name) => !(name in taxed)), ...NAMES])];

const EXAMPLE = {
  ...{ taxRate: '19', country: 'DE', currency: 'EUR', rate: '0.925754930191', rateSource: 'rates.example.com' },
};

/** The most refunds in JSON. */
const REFUNDS_SHOWN = 1_000;

export const listSettlements = endpoint({
  summary: 'List the payments and refunds that settled in a month, with their sums',
  id: 'listSettlements',
  description:
    'For the accountant: the payments of a month by the moment at which they settled, the oldest first, the refunds by your ' +
    'wallets likewise, and the sums of each token. A refund changes nothing in the month of its payment. The month runs in the time zone of your account (PATCH /account; UTC by default). The names are the present ones. A sum of 10,000 payments or more is up to 0.2 ms old for each of them.\n\n' +
    'With `Accept: text/csv` the answer is the whole month however long it is, and `limit`, `start` and `startingAfter` do not count.',
  query: z.object({
    month: z
      .string()
      .regex(MONTH, 'must be a month such as 2030-01')
      .optional()
      .describe('The month, such as `2030-01`; default: the present one.'),
    ...page,
  }),
  responses: {
    200: z.strictObject({
      month: z.string().describe('The requested month, or the present one.'),
      timeZone: z.string().describe('In which the month runs: that of your account.'),
      sums: z.array(sumSchema).describe('Of the whole month, one for each token.'),
      settlements: z.array(settlementSchema).describe('One page, the oldest first.'),
      refunds: z
        .array(refundSchema)
        .describe(`Of the whole month, the oldest first; after ${REFUNDS_SHOWN} the rest is in the CSV alone.`),
      ...pageEcho,
    }),
  },
  csv: {
    list: 'settlements',
    columns: COLUMNS,
    prose:
      'The whole month with `Accept: text/csv`. `record` is `payment`, then `refund`, and at the end `sum`: the sum of the payments and of the refunds above in one token, also of their taxes. The gas of a refund was paid by your wallet, and stands in its transaction.',
  },
  example: {
    query: { month: '2026-01' },
    answer: {
      status: 200,
      body: {
        month: '2026-01',
        timeZone: 'Europe/Berlin',
        sums: [
          {
            ...{ payments: 1, gross: '9.90', fee: '0.099', net: '9.801', refunds: 1, refunded: '5.00' },
            ...{ token: 'USDC', network: 'Base', tokenKey: 'usdc-base' },
          },
        ],
        settlements: [
          {
            ...{ id: IDS.payment, settledAt: MOMENTS.settled },
            ...{ customerId: IDS.customer, customerName: 'Mia', offerId: IDS.offer, offerName: 'Pro' },
            ...{ gross: '9.90', fee: '0.099', net: '9.801' },
            ...{ token: 'USDC', network: 'Base', tokenKey: 'usdc-base', transaction: TX_HASH },
            ...{ invoice: '2026-0001', tax: '1.580672', gas: '0.00' },
            ...{ excludingTax: '8.319328', ...EXAMPLE, value: '9.16' },
          },
        ],
        refunds: [
          {
            ...{ id: IDS.refund, paymentId: IDS.payment, settledAt: MOMENTS.settled },
            ...{
              customerId: IDS.customer,
              customerName: 'Mia',
              offerId: IDS.offer,
              offerName: 'Pro',
              refunded: '5.00',
            },
            ...{ token: 'USDC', network: 'Base', tokenKey: 'usdc-base', transaction: TX_HASH },
            ...{ creditNote: '2026-0002', refundedTax: '0.798319' },
            ...{ excludingTax: '4.201681', ...EXAMPLE, value: '4.63' },
          },
        ],
        ...{ limit: 20, start: 0, hasMore: false },
      },
    },
  },
  handle: async ({ query, caller, now }, deps) => {
    const page = pageOf(query);
    const month = monthOf(query, caller, now);
    const [found, refunds] = await Promise.all([
      findSettlements(deps, caller, month, page),
      refundsOfMonth(deps, caller, month),
    ]);
    const sums = await sumSettlements(deps, caller, month, refunds);
    return answer(200, {
      month: monthNamed(query, caller, now),
      timeZone: timeZoneOf(caller.merchant),
      sums: sums.map((each) => sumView(each, deps.catalog)),
      settlements: found.items.map((each) => settlementView(each, deps.catalog)),
      refunds: refunds.slice(0, REFUNDS_SHOWN).map((each) => refundView(each, deps.catalog)),
      ...pageView(page, found),
    });
  },
  csvParts: async function* ({ query, caller, now }, deps) {
    const month = monthOf(query, caller, now);
    const rows = (record: 'payment' | 'refund' | 'sum', items: readonly object[]) =>
      csvRows(
        items.map((item) => ({ record, ...item })),
        COLUMNS,
      );
    yield csvRows([Object.fromEntries(COLUMNS.map((name) => [name, name]))], COLUMNS);
    let sums: readonly SettlementSum[] = [];
    for await (const part of settlementsOf(deps, caller, month)) {
      sums = addedTo(sums, part);
      yield rows(
        'payment',
        part.map((each) => settlementView(each, deps.catalog)),
      );
    }
    const refunds = await refundsOfMonth(deps, caller, month);
    yield rows(
      'refund',
      refunds.map((each) => refundView(each, deps.catalog)),
    );
    yield rows(
      'sum',
      addedTo(sums, refunds).map((each) => ({ ...sumView(each, deps.catalog), ...taxesOf(each, deps.catalog) })),
    );
  },
});

/** In the merchant's zone. Without a name: the present one. */
interface MonthQuery {
  readonly month?: string | undefined;
}

/** Such as `2030-01`. */
function monthNamed({ month }: MonthQuery, { merchant }: Caller, now: Date): string {
  return month ?? dateIn(timeZoneOf(merchant), now).slice(0, 7);
}

function monthOf(query: MonthQuery, caller: Caller, now: Date) {
  return monthIn(timeZoneOf(caller.merchant), monthNamed(query, caller, now));
}

/** `moved` is the paid or refunded amount, and `doc` the invoice or credit note of it. */
function bookedOf(
  { tokenKey, rate }: Pick<Settlement, 'tokenKey' | 'rate'>,
  moved: bigint,
  doc: InvoiceDoc | null,
  catalog: Catalog,
) {
  return {
    excludingTax: doc && inTokens(catalog, tokenKey, BigInt(doc.net)),
    ...{ taxRate: doc?.taxRate ?? null, country: doc?.customer.country ?? null },
    ...{ currency: rate?.currency ?? null, rate: rate?.rate ?? null, rateSource: rate?.source ?? null },
    value: rate && worthOf(moved, catalog.tokenByKey(tokenKey)?.decimals ?? 0, rate.rate),
  };
}

function settlementView(
  { settledAt, invoice, ...each }: Settlement,
  catalog: Catalog,
): z.output<typeof settlementSchema> {
  const { tokenKey, gross } = each;
  return {
    ...each,
    ...{ settledAt: settledAt.toISOString(), ...amountsOf(catalog, each), gas: '0.00' },
    ...{ invoice: invoice && invoiceNumber(invoice), tax: invoice && inTokens(catalog, tokenKey, BigInt(invoice.tax)) },
    ...bookedOf(each, gross, invoice, catalog),
  };
}

function sumView({ tax: _, refundedTax: __, ...sum }: SettlementSum, catalog: Catalog): z.output<typeof sumSchema> {
  return { ...sum, ...amountsOf(catalog, sum), refunded: inTokens(catalog, sum.tokenKey, sum.refunded) };
}

function taxesOf({ tokenKey, tax, refundedTax }: SettlementSum, catalog: Catalog) {
  return { tax: inTokens(catalog, tokenKey, tax), refundedTax: inTokens(catalog, tokenKey, refundedTax), gas: '0.00' };
}

function refundView(
  { settledAt, creditNote, ...each }: SettledRefund,
  catalog: Catalog,
): z.output<typeof refundSchema> {
  const { tokenKey, refunded } = each;
  return {
    ...each,
    ...{ settledAt: settledAt.toISOString(), refunded: inTokens(catalog, tokenKey, refunded) },
    creditNote: creditNote && invoiceNumber(creditNote),
    refundedTax: creditNote && inTokens(catalog, tokenKey, BigInt(creditNote.tax)),
    ...bookedOf(each, refunded, creditNote, catalog),
  };
}
