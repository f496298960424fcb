import type { MeteredOption } from './price-model.ts';

/** A metered price as pages and letters show it. Amounts are in `currency`. */
export interface MeteredPrice extends Omit<MeteredOption, 'kind' | 'includedUnits'> {
  readonly currency: string;
}

type Say<Text> = (
  key: 'price.included' | 'price.tier' | 'price.cap_carry' | 'price.cap_refuse' | 'price.threshold',
  values: { readonly [name: string]: string | number },
) => Text;

/** The included units, the prices of the others, the cap of a charge, and the threshold with the cap of 30 days. */
export function meteredTerms<Text>(
  { currency, tiers: [first, ...further], capAmount, aboveCap, thresholdAmount, windowCapAmount }: MeteredPrice,
  say: Say<Text>,
  money: (amount: string, currency: string) => string,
): Text[] {
  return [
    ...(first === undefined || first.above === 0 ? [] : [say('price.included', { units: first.above })]),
    ...further.map(({ above, amount }) => say('price.tier', { units: above, price: money(amount, currency) })),
    say(`price.cap_${aboveCap}`, { most: money(capAmount, currency) }),
    ...(thresholdAmount === undefined || windowCapAmount === undefined
      ? []
      : [say('price.threshold', { each: money(thresholdAmount, currency), most: money(windowCapAmount, currency) })]),
  ];
}
