import { type DiscountWords, discountWords } from '../../machines/rules/discount-words.ts';
import { locale, say } from '../i18n/say.ts';
import { money } from '../ui/decimal.ts';

/** "25% off the next 3 charges"; of one payment "25% off". */
export function discountText(discount: DiscountWords, ticker: string, isOnce = false): string {
  return discountWords({ ...discount, isOnce }, ticker, { say, money, tag: locale() });
}
