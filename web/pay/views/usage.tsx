import type { MeteredPrice } from '../../../machines/rules/metered-terms.ts';
import type { Usage as PeriodUsage } from '../../../src/portal/wire.ts';
import { locale, say } from '../../i18n/say.ts';
import { money } from '../../ui/decimal.ts';
import { Notice } from '../../ui/notice.tsx';
import { Facts } from '../../ui/panel.tsx';
import { isLess, restOf, sumOf } from '../../ui/sum.ts';
import { dateOf } from '../words.ts';

export interface UsageProps {
  readonly usage: Omit<PeriodUsage, 'subscriptionId' | 'tokenKey'>;
  readonly aboveCap: MeteredPrice['aboveCap'];
  readonly ticker: string;
}

/** What a metered subscription has used since its last charge, what it costs, and the part of the most of a charge. */
export function Usage({ usage, aboveCap, ticker }: UsageProps) {
  const { from, units, amount, carriedAmount, chargeAmount, capAmount, level, thresholdAmount, waitsUntil } = usage;
  const percent = new Intl.NumberFormat(locale(), { style: 'percent' }).format(Math.min(level, 100) / 100);
  const charge = { amount: money(chargeAmount, ticker), most: money(capAmount, ticker), percent };
  const later = restOf(sumOf([amount, carriedAmount]), [chargeAmount]);
  const moneyOrNull = (sum: string) => (isLess('0', sum) ? money(sum, ticker) : null);
  return (
    <>
      <Facts
        facts={[
          [say('usage.used'), say('usage.since', { used: say('usage.units', { units }), date: dateOf(from) })],
          [say('usage.price'), money(amount, ticker)],
          [say('usage.carried'), moneyOrNull(carriedAmount)],
          [say('usage.charge'), <strong>{say('usage.of_most', charge)}</strong>],
          [say('usage.later'), moneyOrNull(later)],
          [say('usage.threshold'), thresholdAmount === null ? null : money(thresholdAmount, ticker)],
        ]}
      />
      {waitsUntil !== null && <Notice>{say('usage.waits', { date: dateOf(waitsUntil) })}</Notice>}
      {level >= 100 && <Notice tone="warn">{say(`usage.full_${aboveCap}`)}</Notice>}
    </>
  );
}
