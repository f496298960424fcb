import { money } from '../../ui/decimal.ts';
import { cents } from '../../ui/sum.ts';

/** An amount with as many digits as people use of its currency; the title has all of them. */
export function Amount({ amount, currency }: { readonly amount: string; readonly currency: string }) {
  const shown = currency === 'USD' ? cents(amount) : amount;
  return (
    <span translate={false} title={shown === amount ? undefined : money(amount, currency)}>
      {money(shown, currency)}
    </span>
  );
}
