import { type Discount, lessDiscount } from '../../../machines/rules/discount.ts';
import { capOf, type Metered } from '../../../machines/rules/price-model.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import { formatAmount } from '../../model/amounts.ts';
import type { Purchase, PurchaseTerms, Rhythm } from './purchase.ts';
import type { TokenOnChain } from './token-on-chain.ts';

/** The agreement in one line: merchant, terms and operator. Text of merchants is sanitized. */
export function statementOf({ tenant, merchantName, terms, isMigration, isAtOnce, token }: Purchase): string {
  const merchant = inOneLine(merchantName);
  const price = priceOf(terms, token);
  const what = inOneLine(terms.offerName);
  const test = tenant.mode === 'test' ? ' This is a test: no real money moves.' : '';
  const through = `through the operator ${token.operator} and no other`;
  const less = terms.discount === undefined ? '' : lessOf(terms.discount, terms, token);
  if (terms.recurring === null) return `I pay ${merchant} ${price} once for ${what}${less}, ${through}.${test}`;
  // A metered price charges after each period, the first one too: that is no trial.
  const rhythm = rhythmOf({ ...terms.recurring, ...(terms.model?.kind === 'metered' ? { trialDays: null } : {}) });
  const begin = isAtOnce ? ' from now on' : '';
  const lead = isMigration ? `I accept new terms of ${what}${begin}: I let ${merchant}` : `I let ${merchant}`;
  const purpose = isMigration ? '' : ` for ${what}`;
  return `${lead} charge this account ${price} ${rhythm}${purpose}${less}, ${through}, until it is canceled.${test}`;
}

/** `, the next 3 charges less 25 percent (coupon WELCOME)`; of a purchase `, less 25 percent: 7.50 USDC` */
function lessOf(discount: Discount, { recurring, amount }: PurchaseTerms, { requested }: TokenOnChain): string {
  const { off, cyclesLeft: cycles, code } = discount;
  const part = off.kind === 'percent' ? `${off.bps / 100} percent` : `${off.shown} ${requested.ticker}`;
  const coupon = code === null ? '' : ` (coupon ${code})`;
  const left = lessDiscount(discount, { tokenKey: requested.key, amount });
  if (recurring === null)
    return `, less ${part}${coupon}: ${formatAmount(left, requested.decimals)} ${requested.ticker}`;
  const charges = cycles === 1 ? 'the next charge' : cycles === null ? 'each charge' : `the next ${cycles} charges`;
  return `, ${charges} less ${part}${coupon}`;
}

function priceOf(terms: PurchaseTerms, { requested, playing }: TokenOnChain): string {
  const { priceAmount, priceCurrency, model } = terms;
  const tokens = (units: bigint) => `${formatAmount(units, requested.decimals)} ${requested.ticker}`;
  const inTokens = `${tokens(BigInt(terms.amount))} on ${inOneLine(playing.label)}`;
  const price = inOneLine(`${priceAmount} ${priceCurrency}`);
  if (model === undefined) return priceCurrency === requested.ticker ? inTokens : `${price}, as ${inTokens},`;
  switch (model.kind) {
    case 'per_unit': {
      const most = `at most ${tokens(capOf(terms))} a charge (${model.maxQuantity} units)`;
      return `${model.quantity} x ${price}, as ${inTokens}, and for another quantity ${most},`;
    }
    case 'metered': {
      const charge = `at most ${tokens(capOf(terms))} on ${inOneLine(playing.label)} a charge`;
      return `by use: ${tiersOf(model, tokens)}, ${charge}${thresholdOf(model, tokens)}`;
    }
    default:
      return unknownCase(model, 'model');
  }
}

/** ` and 60.00 USDC in any 30 days, each time that 5.00 USDC are used and`; without a threshold a comma. */
function thresholdOf({ thresholdAmount, windowCapAmount }: Metered, tokens: (units: bigint) => string): string {
  if (thresholdAmount === undefined || windowCapAmount === undefined) return ',';
  const [each, most] = [tokens(BigInt(thresholdAmount)), tokens(BigInt(windowCapAmount))];
  return ` and ${most} in any 30 days, each time that ${each} are used and`;
}

/** `0.00 USDC a unit up to 100, then 0.01 USDC a unit` */
function tiersOf({ tiers }: Metered, tokens: (units: bigint) => string): string {
  return tiers
    .map(({ unitAmount }, index) => {
      const next = tiers[index + 1];
      return `${tokens(BigInt(unitAmount))} a unit${next === undefined ? '' : ` up to ${next.above}`}`;
    })
    .join(', then ');
}

function rhythmOf({ interval, maxCycles, trialDays }: Rhythm): string {
  const every = interval.count === 1 ? `every ${interval.unit}` : `every ${interval.count} ${interval.unit}s`;
  const most = maxCycles === null ? '' : ` (at most ${maxCycles} times)`;
  const trial = trialDays === null || trialDays === 0 ? '' : ` after a trial of ${trialDays} days`;
  return `${every}${most}${trial}`;
}

/**
 * Matches all but letters and digits of every script and the other characters that EIP-4361 allows in a statement: no
 * line break.
 */
const HARMLESS = /[^\p{L}\p{M}\p{N} :/?#[\]@!$&'()*+,;=._~-]/gu;
const NAME_LENGTH_MAX = 100;

function inOneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll(HARMLESS, '').trim();
  return line.length <= NAME_LENGTH_MAX ? line : `${[...line].slice(0, NAME_LENGTH_MAX).join('')}...`;
}
