import { z } from 'zod';
import { type FailureReason, failureReason, type LetterKind } from '../../machines/effects.ts';
import { discountWords, withCode } from '../../machines/rules/discount-words.ts';
import { FAILURE_TEXTS } from '../../machines/rules/failure-texts.ts';
import { priceWords } from '../../machines/rules/price-words.ts';
import type { Terms } from '../../machines/subscription/context.ts';
import { nextAttemptAt } from '../../machines/subscription/next-charge.ts';
import { unknownCase } from '../../machines/unknown-case.ts';
import type { OwnSubscription } from '../billing/portal/own-subscription.ts';
import type { OwnPayment } from '../billing/portal/portal.ts';
import type { Catalog } from '../chains/catalog.ts';
import { formatAmount } from '../model/amounts.ts';
import { paymentContextOf, settledAtOf } from '../model/payment.ts';
import { subscriptionAttributes, subscriptionContextOf } from '../model/subscription.ts';
import type { PageLanguage, ShellText } from '../pages/language.ts';
import { paymentView, subscriptionView } from '../portal/views.ts';
import type { LetterDoc, MerchantDoc } from '../store/collections.ts';

export interface Link {
  readonly text: string;
  readonly url: string;
}

export type Fact = readonly [name: string, value: string];

/** What a letter says, in the language of its reader: plain texts, not escaped. */
export interface Content {
  readonly subject: string;
  readonly texts: readonly string[];
  readonly facts: readonly Fact[];
  /** The one thing to do; null: nothing. */
  readonly action: Link | null;
}

/** A letter to a customer. */
export type PayerLetter = LetterDoc & { readonly letter: LetterKind };

/** Everything that a letter is about, as of now. */
export interface About {
  readonly letter: Pick<PayerLetter, 'letter' | 'data'>;
  readonly merchant: MerchantDoc;
  readonly subscription: OwnSubscription | null;
  readonly payment: OwnPayment | null;
  /** `approve`: where the payer approves again; null: no approval is missing. `receipt` null: there is none. */
  readonly links: { readonly portal: string; readonly receipt: string | null; readonly approve: string | null };
  /** By the clock of the subscription. ISO 8601. */
  readonly now: string;
}

const text = z.string().nullable().default(null);
/** Of the event that a letter is about. */
const dataSchema = z.object({ reason: text, refundId: text, chargeAt: text });

/** The reason of a failure that the event names; null: none that a charge fails for. */
export function reasonOf({ data }: Pick<LetterDoc, 'data'>): FailureReason | null {
  return failureReason.safeParse(dataSchema.parse(data).reason).data ?? null;
}

/** A reader can stop these letters: they are about nothing that is owed. */
export function isOptional(letter: LetterDoc['letter']): boolean {
  return letter === 'renewal' || letter === 'weekly_summary';
}

/** The letter; null: what it would say is no longer so. Pure. */
export function contentOf(about: About, catalog: Catalog, language: PageLanguage): Content | null {
  const { letter } = about.letter;
  const { payment, subscription } = about;
  if (letter === 'receipt' || letter === 'refunded') return payment && ofPayment(about, payment, catalog, language);
  return subscription && ofSubscription(letter, about, subscription, catalog, language);
}

/** What a letter about a refund does not repeat. */
const NOTHING = { discount: null, credit: null, quantity: null, unitsUsed: null };

/** A receipt, or a refund of a payment. */
function ofPayment(about: About, payment: OwnPayment, catalog: Catalog, language: PageLanguage): Content | null {
  const { say, money, time, day } = language;
  const { refundId } = dataSchema.parse(about.letter.data);
  const { refunds = [] } = paymentContextOf(payment.doc);
  const { id, amount, ticker, network, periodStart, periodEnd, txHash, ...view } = paymentView(payment, catalog);
  const refund = refunds.find((each) => each.id === refundId);
  const given = view.refunds.find(({ txHash: hash }) => hash === refund?.transfer?.transaction);
  if (payment.doc.status !== 'settled' || (refundId !== null && given === undefined)) return null;
  const name = given === undefined ? 'receipt' : 'refunded';
  const { discount, credit, quantity, unitsUsed } = given === undefined ? view : NOTHING;
  const moved = money(given?.amount ?? amount, ticker);
  const names = { merchant: about.merchant.name, amount: moved, wallet: refund?.receiver ?? '' };
  const period = periodStart && periodEnd && say('receipt.period_of', { from: day(periodStart), to: day(periodEnd) });
  return {
    subject: say(`letter.${name}_subject`, names),
    texts: [
      say(`letter.${name}_text`, names),
      ...(name === 'receipt' && about.merchant.invoicing !== undefined ? [say('invoice.later')] : []),
    ],
    facts: factsOf(
      [
        ['receipt.for', payment.offerName],
        ['quantity.title', quantity === null ? null : String(quantity)],
        ['usage.used', unitsUsed === null ? null : say('usage.units', { units: unitsUsed })],
        ['discount.title', discount && withCode(money(discount.amount, ticker), discount)],
        ['change.credit', credit && money(credit, ticker)],
        ['common.amount', moved],
        ['receipt.date', time(given?.at ?? settledAtOf(payment.doc))],
        ['receipt.paid_with', network === null ? ticker : say('common.token_on_network', { ticker, network })],
        ['receipt.period', period],
        ['receipt.transaction', given?.txHash ?? txHash],
        ['receipt.number', id],
      ],
      language,
    ),
    action: about.links.receipt === null ? null : { text: say('receipt.open'), url: about.links.receipt },
  };
}

type OfSubscription = Exclude<LetterKind, 'receipt' | 'refunded'>;

/** The names of the texts, but for `changed`. */
const NAMES = {
  renewal: 'renewal',
  at_risk: 'risk',
  charge_failed: 'failed',
  ended: 'ended',
} as const satisfies { readonly [L in Exclude<OfSubscription, 'changed'>]: string };

/** The event decides which text follows: a pause began, a pause ended, or the terms changed. */
function changeIn(data: LetterDoc['data']): 'paused' | 'resumed' | 'changed' {
  if ('pausedUntil' in data) return 'paused';
  return 'currentPeriodEnd' in data ? 'resumed' : 'changed';
}

function ofSubscription(
  letter: OfSubscription,
  { letter: about, merchant, links, now }: About,
  own: OwnSubscription,
  catalog: Catalog,
  language: PageLanguage,
): Content | null {
  const { say, day, chargeDay } = language;
  const { chargeAt } = dataSchema.parse(about.data);
  const { offerName: offer } = subscriptionAttributes.parse(own.doc.attributes);
  const terms = own.next?.terms ?? own.terms;
  const { discount, nextCharge, price, ticker } = subscriptionView(own, catalog);
  const names = {
    ...{ merchant: merchant.name, offer, amount: tokenText(terms, catalog, language) },
    wallet: subscriptionContextOf(own.doc).payerWallet ?? '',
    date: chargeAt === null ? '' : chargeDay(chargeAt),
    price: priceWords(language).recurringPrice(nextCharge?.price ?? price),
  };
  const isAhead = own.next !== null && chargeAt !== null && chargeAt > now;
  const change = changeIn(about.data);
  const more = moreOf(letter, own, { isAhead, reason: reasonOf(about), names, change }, language);
  if (more === null) return null;
  const next = own.next?.at ? chargeDay(own.next.at) : null;
  const name = letter === 'changed' ? change : NAMES[letter];
  // Beside a pause without an end, amount and token would say that it is charged.
  const isCharged = own.next !== null && (name !== 'paused' || next !== null);
  return {
    subject: say(`letter.${name}_subject`, names),
    texts: name === 'paused' || name === 'resumed' ? more : [say(`letter.${name}_text`, names), ...more],
    facts: factsOf(
      [
        ['discount.title', own.next && discount && withCode(discountWords(discount, ticker, language), discount)],
        ['common.amount', isCharged ? names.amount : null],
        ['receipt.next_charge', next],
        ['receipt.paid_with', isCharged ? networkText(terms, own, catalog, language) : null],
        ['receipt.date', own.ended && day(own.ended.at)],
      ],
      language,
    ),
    action:
      links.approve === null
        ? { text: say('purchase.open_portal'), url: links.portal }
        : { text: say('pay.approve_again'), url: links.approve },
  };
}

interface Why {
  /** The charge that it is about is still to come. */
  readonly isAhead: boolean;
  readonly reason: FailureReason | null;
  readonly names: { readonly [name: string]: string };
  readonly change: ReturnType<typeof changeIn>;
}

/** The sentences after the first one; null: the letter is no longer true. */
function moreOf(
  letter: OfSubscription,
  { doc, ended, pause }: OwnSubscription,
  { isAhead, reason, names, change }: Why,
  { say, day, chargeDay }: PageLanguage,
): string[] | null {
  const context = subscriptionContextOf(doc);
  const { short } = context.risk;
  switch (letter) {
    case 'renewal':
      return isAhead ? [] : null;
    case 'at_risk':
      if (!isAhead || short === null) return null;
      return [say(short === 'insufficient_balance' ? 'letter.risk_balance' : 'letter.risk_allowance', names)];
    case 'charge_failed': {
      if (ended !== null || reason === null || !context.open?.failingSince) return null;
      const next = nextAttemptAt(context);
      return [
        say(FAILURE_TEXTS[reason]),
        ...(reason === 'insufficient_balance' ? [say('letter.by_itself', names)] : []),
        ...(next === null ? [] : [say('letter.next_try', { date: chargeDay(next) })]),
      ];
    }
    case 'changed':
      if (ended !== null || (change !== 'changed' && (change === 'paused') !== (pause !== null))) return null;
      if (pause === null || change !== 'paused') return [];
      return [pause.until === null ? say('pause.by_merchant') : say('pause.until', { date: day(pause.until) })];
    case 'ended': {
      const why = ended === null ? null : WHY_ENDED[ended.reason];
      return [...(why === null ? [] : [say(why)]), say('letter.ended_approval')];
    }
    default:
      return unknownCase(letter, 'letter');
  }
}

/** null: somebody asked for it. */
const WHY_ENDED: { readonly [R in NonNullable<OwnSubscription['ended']>['reason']]: ShellText | null } = {
  max_cycles_reached: 'portal.why_max_cycles',
  max_failed_cycles_reached: 'portal.why_failed',
  grace_expired: 'portal.why_failed',
  requested: null,
  customer_deleted: null,
};

/** Those that have a value. */
function factsOf(facts: readonly (readonly [ShellText, string | null])[], { say }: PageLanguage): Fact[] {
  return facts.flatMap(([name, value]) => (value === null ? [] : [[say(name), value] as const]));
}

/** The exact amount of a charge: "9.90 USDC"; of a metered one that is not open yet the most. */
function tokenText({ amount, tokenKey, model }: Terms, catalog: Catalog, { say, money }: PageLanguage): string {
  const token = catalog.tokenByKey(tokenKey);
  if (token === undefined) return amount;
  const text = money(formatAmount(BigInt(amount), token.decimals), token.ticker);
  const isMost = model?.kind === 'metered' && model.capAmount === amount;
  return isMost ? say('price.at_most', { amount: text }) : text;
}

/** The network on which the charge happens: in test mode the one that plays it. */
function networkText({ tokenKey }: Terms, { doc }: OwnSubscription, catalog: Catalog, { say }: PageLanguage): string {
  const ticker = catalog.tokenByKey(tokenKey)?.ticker ?? tokenKey;
  const answer = catalog.play(tokenKey, doc.mode);
  const network = answer.ok ? catalog.chain(answer.play.chainId)?.label : undefined;
  return network === undefined ? ticker : say('common.token_on_network', { ticker, network });
}
