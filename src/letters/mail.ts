import { z } from 'zod';
import type { LetterStop } from '../../machines/letter.ts';
import { addDays } from '../../machines/rules/period.ts';
import { letterSettingsOf } from '../billing/administration/letter-settings.ts';
import { suppress, suppressionsOf } from '../billing/letters/suppressions.ts';
import { ownSubscription } from '../billing/portal/own-subscription.ts';
import type { ReceiptLinks } from '../billing/receipts/links.ts';
import { offerNameOf } from '../billing/receipts/offer-name.ts';
import { weeklyOf } from '../billing/revenue/weekly.ts';
import { authorizationUrlOf, issueAuthorization } from '../billing/subscriptions/authorizations.ts';
import type { Catalog } from '../chains/catalog.ts';
import { actorTime } from '../engine/projection.ts';
import { brandingView } from '../http/branding.ts';
import { isLive } from '../model/subscription.ts';
import { daysFrom, timeZoneOf } from '../model/time-zones.ts';
import type { BuiltPages } from '../pages/built-pages.ts';
import { inZone, languageIn, type PageLanguage } from '../pages/language.ts';
import type { LetterDoc, MerchantDoc } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { tenantStore } from '../store/tenant.ts';
import { type About, contentOf, isOptional, type PayerLetter, reasonOf } from './content.ts';
import { rendered } from './render.ts';
import type { Mail } from './smtp.ts';
import { weeklyContent } from './weekly-content.ts';

export interface MailDeps {
  readonly store: Store;
  readonly clock: () => Date;
  readonly catalog: Catalog;
  readonly receipts: ReceiptLinks;
  /** The texts are with them. */
  readonly pages: { current(): Promise<Pick<BuiltPages, 'texts'> | null> };
  /** `PUBLIC_URL`. */
  readonly publicUrl: string;
  /** The sender's address. */
  readonly from: string;
}

/** A letter that is older tells its reader nothing new: the mail server was away for too long. */
const RECENT_MS = 7 * 86_400_000;

/** `refused`: to be called if the mail server refuses the address. */
type Prepared = (Mail & { readonly refused: (answer: string) => Promise<void> }) | { readonly stop: LetterStop };

/** The letter by the documents of now, or why it is not sent. Throws if the pages are not built. */
export async function mailOf(deps: MailDeps, letter: LetterDoc): Promise<Prepared> {
  const { store, clock, pages, publicUrl } = deps;
  const { letter: kind, customerId } = letter;
  const isToMerchant = kind === 'weekly_summary';
  const [customer, [merchant]] = await Promise.all([
    customerId === null ? null : tenantStore(store, letter).record('customers', customerId),
    store.records.get('merchants', [letter.merchantId]),
  ]);
  const to = (isToMerchant ? merchant?.letters?.summaryTo : customer?.email) ?? null;
  if (to === null || merchant === undefined) return { stop: 'no_address' };
  const canStop = isOptional(kind);
  const stops = await suppressionsOf(store.records, letter, to);
  const stopping = stops.find(({ stop }) => stop === 'bounced' || (!isToMerchant && (stop === 'merchant' || canStop)));
  if (stopping !== undefined) return { stop: stopping.stop };
  if (clock().getTime() - letter.createdAt.getTime() > RECENT_MS) return { stop: 'overtaken' };
  const build = await pages.current();
  if (build === null) throw new Error('the texts of letters are with the pages, which are not built');
  const { replyTo, language: usual } = letterSettingsOf(merchant);
  const spoken = languageIn(customer?.language ?? usual ?? '', build.texts);
  const language = inZone(spoken, timeZoneOf(customer ?? {}, merchant));
  const inLanguage = `?lang=${language.tag}`;
  const words = isToMerchant
    ? { content: await summaryOf(deps, letter, merchant, language), notes: [] }
    : await wordsOf(deps, { ...letter, letter: kind }, merchant, language);
  if (words.content === null) return { stop: 'overtaken' };
  const { say } = language;
  const unsubscribe = canStop
    ? `${publicUrl}/letters${await deps.receipts.secretPathOf(letter._id)}${inLanguage}`
    : null;
  const { logoPath, accentColor } = brandingView(merchant);
  const [why, stop] = isToMerchant
    ? (['letter.weekly_why', 'letter.weekly_stop'] as const)
    : (['letter.why', 'letter.unsubscribe'] as const);
  const frame = {
    merchantName: merchant.name,
    logoUrl: logoPath && `${publicUrl}${logoPath}`,
    accentColor,
    banner: letter.mode === 'test' ? say('banner.test_mode') : null,
    notes: [
      ...words.notes,
      {
        text: say(why, { merchant: merchant.name }),
        link: unsubscribe === null ? null : { text: say(stop), url: unsubscribe },
      },
    ],
  };
  return {
    messageId: `${letter._id}@${deps.from.slice(deps.from.lastIndexOf('@') + 1)}`,
    fromName: merchant.name,
    to,
    replyTo: isToMerchant ? null : replyTo,
    ...rendered(words.content, frame, language),
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribe === null
        ? {}
        : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    refused: (answer) => suppress(store.records, 'bounced', to, { by: 'mail server', reason: answer, now: clock() }),
  };
}

/** What a letter to a customer says, and how to get to the portal if that is not in it. */
async function wordsOf(deps: MailDeps, letter: PayerLetter, merchant: MerchantDoc, language: PageLanguage) {
  const about = await aboutOf(deps, letter, merchant, `?lang=${language.tag}`);
  const content = contentOf(about, deps.catalog, language);
  const { portal } = about.links;
  const hint = { text: language.say('letter.portal_hint'), link: { text: portal, url: portal } };
  return { content, notes: content?.action?.url === portal ? [] : [hint] };
}

const ofSummary = z.object({ monday: z.string() });

async function summaryOf(
  deps: MailDeps,
  { data, ...letter }: LetterDoc,
  merchant: MerchantDoc,
  language: PageLanguage,
) {
  const { monday } = ofSummary.parse(data);
  const zone = timeZoneOf(merchant);
  const { gte, lt } = daysFrom(zone, addDays(monday, -7), 7);
  const week = { merchant: merchant.name, from: new Date(gte), to: new Date(Date.parse(lt) - 1), zone };
  const dashboard = `${deps.publicUrl}/dashboard#/live/home`;
  return weeklyContent(await weeklyOf(deps, letter, zone, monday), { ...week, dashboard }, deps.catalog, language);
}

async function aboutOf(deps: MailDeps, letter: PayerLetter, merchant: MerchantDoc, inLanguage: string): Promise<About> {
  const { store, clock, publicUrl } = deps;
  const own = tenantStore(store, letter);
  const [subscription, payment] = await Promise.all([
    letter.resourceId.startsWith('sub_') ? own.actor('subscription', letter.resourceId) : null,
    letter.paymentId === null ? null : own.actor('payment', letter.paymentId),
  ]);
  const receipt = payment?.status === 'settled' ? await deps.receipts.pathOf(payment._id) : null;
  const offerName = payment && (await offerNameOf(store, payment));
  return {
    letter,
    merchant,
    subscription: subscription && ownSubscription(subscription, merchant, clock()),
    payment: payment && { doc: payment, merchant, offerName, hasProof: false, receiptPath: receipt },
    links: {
      portal: `${publicUrl}/portal${inLanguage}`,
      receipt: receipt && `${publicUrl}${receipt}${inLanguage}`,
      approve: needsApproval(letter, subscription) ? await approvalLink(deps, subscription, inLanguage) : null,
    },
    now: actorTime(clock(), subscription?.clockOffsetMs ?? 0),
  };
}

function needsApproval(letter: PayerLetter, subscription: ActorDoc | null): subscription is ActorDoc {
  const isAboutCharge = letter.letter === 'charge_failed' || letter.letter === 'at_risk';
  return (
    isAboutCharge && subscription !== null && isLive(subscription) && reasonOf(letter) === 'insufficient_allowance'
  );
}

/** Only the present payer's wallet can sign there, so a forwarded letter lets nobody else in. */
async function approvalLink(deps: MailDeps, subscription: ActorDoc, inLanguage: string): Promise<string> {
  const token = await issueAuthorization(deps, subscription, { kind: 'subscription' });
  return `${authorizationUrlOf(token, deps.publicUrl)}${inLanguage}`;
}
