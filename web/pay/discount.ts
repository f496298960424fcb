import { type DiscountWords, discountWords } from '../../machines/rules/discount-words.ts';
import { locale, say } from '../i18n/say.ts';
import { money } from '../ui/decimal.ts';

/** "25% off the next 3 charges". */
export function discountText(discount: DiscountWords, ticker: string): string {
  return discountWords(discount, ticker, { say, money, tag: locale() });
}
