import { z } from 'zod';
import type { ExchangeRate } from '../../../machines/payment/context.ts';
import { nearest } from '../../../machines/rules/tax.ts';
import { Fault } from '../../errors/fault.ts';
import { AMOUNT_PATTERN, type Decimal, formatAmount, parseDecimal } from '../../model/amounts.ts';
import type { Log } from '../../observability/log.ts';

/** A source of exchange rates. */
export interface Rates {
  /** US dollars for one unit of `currency`. Throws 503 if there is no rate younger than 10 minutes. */
  usdPer(currency: string): Promise<Decimal>;
  /** Who gives the rates, as an invoice names it. */
  readonly source: string;
}

/** The currencies of prices that are no token, and of the values of invoices. */
export const CURRENCIES = ['USD', 'EUR', 'GBP'] as const;

/** The rates of the embedded default: for trying things out, not for money. */
export const STATIC_RATES: RateTable = { EUR: '1.08', GBP: '1.27', USDC: '1', USDT: '1' };

/** Currency → US dollars per unit, as a decimal string. */
export type RateTable = { readonly [currency: string]: string };

/** Rates from a fixed table, which never expires. */
export function staticRates(table: RateTable): Rates {
  return { usdPer: async (currency) => rateIn(table, currency), source: 'fixed table, not a market' };
}

const TIMEOUT_MS = 3_000;
/** The age at which a rate expires (docs/rules.md, "Money"). */
const AGE_MAX_MS = 10 * 60_000;
/** The age up to which the last answer is used without a new request. */
const REFRESH_MS = 60_000;

const decimalOrNumber = z.union([z.string(), z.number().transform(String)]);
const answer = z.object({
  /** Currency → US dollars per unit. */
  rates: z.record(z.string(), decimalOrNumber),
  /** When these rates applied; absent: when they were answered. */
  asOf: z.iso.datetime({ offset: true }).optional(),
});

export interface HttpRatesDeps {
  /**
   * Answers GET with `{"rates": {"EUR": "1.0834", …}, "asOf"?: "…"}`: US dollars per unit. The URL may have
   * credentials, so it is never logged.
   */
  readonly url: string;
  readonly clock: () => Date;
  readonly log: Log;
}

interface Answered {
  readonly table: RateTable;
  readonly at: number;
}

/** Rates from a URL (`RATES_URL`), with a time-out of 3 s. Uses the newest answer until it expires. */
export function httpRates(deps: HttpRatesDeps): Rates {
  let last: Answered | null = null;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;
  const source = sourceAt(deps.url);
  const ask = async (): Promise<void> => {
    try {
      const answered = await fetchRates(source, deps.clock);
      if (last === null || answered.at >= last.at || last.at > deps.clock().getTime()) last = answered;
      fetchedAt = deps.clock().getTime();
    } catch (error) {
      deps.log.warn(
        { err: error },
        'the source of exchange rates does not answer; the last rates apply until they are 10 minutes old',
      );
    }
  };
  return {
    source: source.url.host,
    usdPer: async (currency) => {
      if (Math.abs(deps.clock().getTime() - fetchedAt) > REFRESH_MS) {
        asking ??= ask().finally(() => {
          asking = null;
        });
        await asking;
      }
      if (last === null || Math.abs(deps.clock().getTime() - last.at) > AGE_MAX_MS) throw unavailable(currency);
      return rateIn(last.table, currency);
    },
  };
}

/** The decimal places of a rate between two currencies. */
const RATE_PLACES = 12;

/**
 * What one unit of a token is worth in a currency now; null: the source does not give both. That a token is pegged to
 * the dollar is no rate.
 */
export async function rateOf(rates: Rates, ticker: string, currency: string, now: Date): Promise<ExchangeRate | null> {
  try {
    const one = await rates.usdPer(ticker);
    const per = currency === 'USD' ? { digits: 1n, scale: 0 } : await rates.usdPer(currency);
    const units = nearest(one.digits * 10n ** BigInt(per.scale + RATE_PLACES), per.digits * 10n ** BigInt(one.scale));
    return { currency, rate: formatAmount(units, RATE_PLACES), source: rates.source, at: now.toISOString() };
  } catch (error) {
    if (error instanceof Fault && error.code === 'rate_unavailable') return null;
    throw error;
  }
}

interface Source {
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
}

/** `fetch` refuses a URL with credentials, and its error repeats them, so they go in a header. */
function sourceAt(text: string): Source {
  const url = new URL(text);
  const { username, password } = url;
  if (username === '' && password === '') return { url, headers: { accept: 'application/json' } };
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  url.username = '';
  url.password = '';
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { url, headers: { accept: 'application/json', authorization } };
}

async function fetchRates({ url, headers }: Source, clock: () => Date): Promise<Answered> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), headers });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the exchange rate source answered ${response.status}; 200 was expected`);
  }
  const { rates, asOf } = answer.parse(await response.json());
  const answeredAt = clock().getTime();
  // A source whose clock is ahead cannot extend the life of its rates.
  return { table: rates, at: asOf === undefined ? answeredAt : Math.min(answeredAt, Date.parse(asOf)) };
}

function rateIn(table: RateTable, currency: string): Decimal {
  const text = Object.hasOwn(table, currency) ? table[currency] : undefined;
  if (text === undefined || !AMOUNT_PATTERN.test(text)) throw unavailable(currency);
  const rate = parseDecimal(text, currency);
  if (rate.digits === 0n) throw unavailable(currency);
  return rate;
}

function unavailable(currency: string): Fault {
  return new Fault('rate_unavailable', `The exchange rate of ${currency} is unavailable; retry shortly`);
}
