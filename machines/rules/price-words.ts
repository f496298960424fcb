import { distinctNames } from './distinct-names.ts';
import { type MeteredPrice, meteredTerms } from './metered-terms.ts';

type Interval = 'day' | 'week' | 'month' | 'year';

/** Amounts are decimal strings. */
interface Charge {
  readonly amount: string;
  readonly currency: string;
  readonly units: { readonly quantity: number } | null;
  readonly metered: MeteredPrice | null;
}

interface RecurringPrice extends Charge {
  readonly interval: Interval;
  readonly intervalCount: number;
}

/** A price as it is on sale. */
interface OnSale extends Charge {
  readonly billing: {
    readonly type: 'recurring' | 'one_time';
    readonly interval: Interval | null;
    readonly intervalCount: number | null;
  };
  readonly units: { readonly quantity: number; readonly changedBy: 'merchant' | 'customer' } | null;
}

interface Conditions {
  readonly metered: MeteredPrice | null;
  readonly trialDays: number | null;
  readonly maxCycles: number | null;
}

interface Named extends OnSale, Conditions {
  readonly label: string | null;
}

interface Language {
  readonly say: (
    key:
      | `rhythm.${Interval}`
      | `price.${'recurring' | 'units' | 'per_unit' | 'metered' | 'at_most' | 'included' | 'tier' | 'threshold'}`
      | `price.${'cap_carry' | 'cap_refuse' | 'trial' | 'ends' | 'trial_and_end'}`
      | `checkout.${'once' | 'subscription' | 'name_with'}`,
    values?: { readonly [name: string]: string | number },
  ) => string;
  readonly money: (amount: string, currency: string) => string;
}

/** Prices in words, as pages, receipts and letters show them. */
export function priceWords({ say, money }: Language) {
  /** "every month", "every 3 months". */
  const rhythm = (interval: Interval, count: number) => say(`rhythm.${interval}`, { count });
  /** "at most 50.00 USDC". */
  const atMost = ({ capAmount, currency }: Pick<MeteredPrice, 'capAmount' | 'currency'>) =>
    say('price.at_most', { amount: money(capAmount, currency) });
  /** "9.90 USD"; of a price per unit "3 × 5.00 USD", of a metered one "at most 50.00 USDC". */
  const chargeText = ({ amount, currency, units, metered }: Charge) => {
    if (metered !== null) return atMost(metered);
    const price = money(amount, currency);
    return units === null ? price : say('price.units', { quantity: units.quantity, price });
  };
  /** "9.90 USD every month"; "3 × 5.00 USD every month"; "0.01 USD per unit used, charged every month". */
  const recurringPrice = ({ interval, intervalCount, ...charge }: RecurringPrice) => {
    const { metered } = charge;
    const every = rhythm(interval, intervalCount);
    if (metered === null) return say('price.recurring', { price: chargeText(charge), rhythm: every });
    // The price of the first unit that is not included.
    return say('price.metered', { price: money(metered.tiers[0]?.amount ?? '0', metered.currency), rhythm: every });
  };
  const rhythmOf = ({ billing: { type, interval, intervalCount } }: Pick<OnSale, 'billing'>) =>
    type === 'one_time' || interval === null ? '' : rhythm(interval, intervalCount ?? 1);
  /** "9.90 USD every month"; for a one-time option only the price, where the payer chooses the units that of one. */
  const priceOf = (option: OnSale) => {
    const { amount, currency, billing, units } = option;
    const { type, interval, intervalCount } = billing;
    if (type === 'one_time' || interval === null) return chargeText(option);
    if (units?.changedBy !== 'customer')
      return recurringPrice({ ...option, interval, intervalCount: intervalCount ?? 1 });
    const price = say('price.per_unit', { price: money(amount, currency) });
    return say('price.recurring', { price, rhythm: rhythmOf(option) });
  };
  /** "the first 14 days free", "ends after 12 payments"; of a metered price its terms. */
  const conditionsOf = ({ trialDays, maxCycles, metered }: Conditions) => [
    ...(trialDays && metered === null ? [say('price.trial', { days: trialDays })] : []),
    ...(metered === null ? [] : meteredTerms(metered, say, money)),
    ...(maxCycles === null ? [] : [say('price.ends', { payments: maxCycles })]),
  ];
  /** "9.90 USD every month, the first 14 days free"; empty texts are left out. */
  const inOneLine = (texts: readonly string[]) =>
    texts.reduce((trial, end) => (trial && end ? say('price.trial_and_end', { trial, end }) : trial || end), '');
  const kindOf = ({ billing: { type } }: Named) => say(type === 'one_time' ? 'checkout.once' : 'checkout.subscription');
  /**
   * The names of an offer's options, each different: the merchant's label or the kind, with what tells options of one
   * name apart, or a number.
   */
  const namesOf = (options: readonly Named[]) =>
    distinctNames(
      options,
      (option) => option.label ?? kindOf(option),
      [rhythmOf, priceOf, (option) => inOneLine(conditionsOf(option)), (_option, index) => `${index + 1}`],
      (name, detail) => say('checkout.name_with', { name, detail }),
    );
  return { rhythm, atMost, chargeText, recurringPrice, priceOf, conditionsOf, inOneLine, namesOf };
}
