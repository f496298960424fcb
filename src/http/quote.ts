import type { z } from 'zod';
import type { ChangeQuote } from '../billing/subscriptions/plan-changes.ts';
import type { Catalog } from '../chains/catalog.ts';
import { formatAmount } from '../model/amounts.ts';
import type { quoteSchema } from './schemas.ts';

/** Amounts in units of the token of the subscription's next terms. */
export function quoteView(quote: ChangeQuote, tokenKey: string, catalog: Catalog): z.output<typeof quoteSchema> {
  const { at, paidUntil, now, credit, later } = quote;
  const { decimals = 0 } = catalog.tokenByKey(tokenKey) ?? {};
  const inTokens = (units: bigint) => formatAmount(units, decimals);
  return { at, paidUntil, now: inTokens(now), credit: inTokens(credit), later: inTokens(later) };
}
