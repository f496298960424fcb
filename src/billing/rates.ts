import { z } from 'zod';
import { Fault } from '../errors/fault.ts';
import type { Log } from '../observability/log.ts';
import { AMOUNT_PATTERN, type Decimal, parseDecimal } from './amounts.ts';

/** Where exchange rates come from. */
export interface Rates {
  /** US dollars for one unit of `currency`. Throws 503 when there is no rate younger than 10 minutes. */
  usdPer(currency: string): Promise<Decimal>;
}

/** What the embedded default prices with: made for trying things out, not for money. */
export const STATIC_RATES: RateTable = { EUR: '1.08', GBP: '1.27', USDC: '1', USDT: '1' };

/** Currency → US dollars per unit, as a decimal string. */
export type RateTable = { readonly [currency: string]: string };

/** A table without age. */
export function staticRates(table: RateTable): Rates {
  return { usdPer: async (currency) => rateIn(table, currency) };
}

const TIMEOUT_MS = 3_000;
/** Older than this, a rate is no rate (docs/rules.md, "Money"). */
const AGE_MAX_MS = 10 * 60_000;
/** Younger than this, the last answer does without a new one. */
const REFRESH_MS = 60_000;

const decimalOrNumber = z.union([z.string(), z.number().transform(String)]);
const answer = z.object({
  /** Currency → US dollars per unit. */
  rates: z.record(z.string(), decimalOrNumber),
  /** When these rates held; left out: when they were answered. */
  asOf: z.iso.datetime({ offset: true }).optional(),
});

export interface HttpRatesDeps {
  /** Answers GET with `{"rates": {"EUR": "1.0834", …}, "asOf"?: "…"}`: US dollars per unit. It may hold credentials: never logged. */
  readonly url: string;
  readonly clock: () => Date;
  readonly log: Log;
}

interface Answered {
  readonly table: RateTable;
  readonly at: number;
}

/** Rates from a URL (`RATES_URL`): 3 s time-out, the youngest answer used for as long as it is fresh enough. */
export function httpRates(deps: HttpRatesDeps): Rates {
  let last: Answered | null = null;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | null = null;
  const source = sourceAt(deps.url);
  const ask = async (): Promise<void> => {
    try {
      const answered = await fetchRates(source, deps.clock);
      if (last === null || answered.at >= last.at) last = answered;
      askedAt = deps.clock().getTime();
    } catch (error) {
      deps.log.warn({ err: error }, 'exchange rates: no answer');
    }
  };
  return {
    usdPer: async (currency) => {
      if (deps.clock().getTime() - askedAt > REFRESH_MS) {
        asking ??= ask().finally(() => {
          asking = null;
        });
        await asking;
      }
      if (last === null || deps.clock().getTime() - last.at > AGE_MAX_MS) throw unavailable(currency);
      return rateIn(last.table, currency);
    },
  };
}

interface Source {
  readonly url: URL;
  readonly headers: { readonly [name: string]: string };
}

/** fetch takes no URL with credentials, and its refusal repeats them: they go in a header. */
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
  // A source whose clock is ahead cannot make its rates last any longer.
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
