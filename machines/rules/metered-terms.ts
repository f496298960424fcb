import type { MeteredOption } from './price-model.ts';

/** A metered price as pages and letters show it. Amounts are in `currency`. */
export interface MeteredPrice extends Pick<MeteredOption, 'tiers' | 'capAmount' | 'aboveCap'> {
  readonly currency: string;
}

type Say<Text> = (
  key: 'price.included' | 'price.tier' | 'price.cap_carry' | 'price.cap_refuse',
  values: { readonly [name: string]: string | number },
) => Text;

/** The included units, the prices of the other units, and the cap of a charge. */
export function meteredTerms<Text>(
  { currency, tiers: [first, ...further], capAmount, aboveCap }: MeteredPrice,
  say: Say<Text>,
  money: (amount: string, currency: string) => string,
): Text[] {
  return [
    ...(first === undefined || first.above === 0 ? [] : [say('price.included', { units: first.above })]),
    ...further.map(({ above, amount }) => say('price.tier', { units: above, price: money(amount, currency) })),
    say(`price.cap_${aboveCap}`, { most: money(capAmount, currency) }),
  ];
}
