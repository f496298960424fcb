import type { LetterStop } from '../../machines/letter.ts';
import { letterSettingsOf } from '../billing/administration/letter-settings.ts';
import { suppress, suppressionsOf } from '../billing/letters/suppressions.ts';
import { ownSubscription } from '../billing/portal/own-subscription.ts';
import type { ReceiptLinks } from '../billing/receipts/links.ts';
import { offerNameOf } from '../billing/receipts/offer-name.ts';
import { authorizationUrlOf, issueAuthorization } from '../billing/subscriptions/authorizations.ts';
import type { Catalog } from '../chains/catalog.ts';
import { actorTime } from '../engine/projection.ts';
import { brandingView } from '../http/branding.ts';
import { isLive } from '../model/subscription.ts';
import { timeZoneOf } from '../model/time-zones.ts';
import type { BuiltPages } from '../pages/built-pages.ts';
import { inZone, languageIn } from '../pages/language.ts';
import type { LetterDoc, MerchantDoc } from '../store/collections.ts';
import type { ActorDoc } from '../store/documents.ts';
import type { Store } from '../store/port.ts';
import { tenantStore } from '../store/tenant.ts';
import { type About, contentOf, isOptional, reasonOf } from './content.ts';
import { rendered } from './render.ts';
import type { Mail } from './smtp.ts';

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

/** The letter as it is sent now, from what is stored now, or why it is not sent. Throws if the pages are not built. */
export async function mailOf(deps: MailDeps, letter: LetterDoc): Promise<Prepared> {
  const { store, clock, pages, publicUrl } = deps;
  const [customer, [merchant]] = await Promise.all([
    tenantStore(store, letter).record('customers', letter.customerId),
    store.records.get('merchants', [letter.merchantId]),
  ]);
  const to = customer?.email ?? null;
  if (customer === null || to === null || merchant === undefined) return { stop: 'no_address' };
  const isReminder = isOptional(letter.letter);
  const stops = await suppressionsOf(store.records, letter, to);
  const stopping = stops.find(({ stop }) => stop !== 'unsubscribed' || isReminder);
  if (stopping !== undefined) return { stop: stopping.stop };
  if (clock().getTime() - letter.createdAt.getTime() > RECENT_MS) return { stop: 'overtaken' };
  const build = await pages.current();
  if (build === null) throw new Error('the texts of letters are with the pages, which are not built');
  const { replyTo, language: usual } = letterSettingsOf(merchant);
  const spoken = languageIn(customer.language ?? usual ?? '', build.texts);
  const language = inZone(spoken, timeZoneOf(customer, merchant));
  const inLanguage = `?lang=${language.tag}`;
  const about = await aboutOf(deps, letter, merchant, inLanguage);
  const content = contentOf(about, deps.catalog, language);
  if (content === null) return { stop: 'overtaken' };
  const { say } = language;
  const unsubscribe = isReminder
    ? `${publicUrl}/letters${await deps.receipts.secretPathOf(letter._id)}${inLanguage}`
    : null;
  const { logoPath, accentColor } = brandingView(merchant);
  const { portal } = about.links;
  const frame = {
    merchantName: merchant.name,
    logoUrl: logoPath && `${publicUrl}${logoPath}`,
    accentColor,
    banner: letter.mode === 'test' ? say('banner.test_mode') : null,
    notes: [
      ...(content.action?.url === portal
        ? []
        : [{ text: say('letter.portal_hint'), link: { text: portal, url: portal } }]),
      {
        text: say('letter.why', { merchant: merchant.name }),
        link: unsubscribe === null ? null : { text: say('letter.unsubscribe'), url: unsubscribe },
      },
    ],
  };
  return {
    messageId: `${letter._id}@${deps.from.slice(deps.from.lastIndexOf('@') + 1)}`,
    fromName: merchant.name,
    to,
    replyTo,
    ...rendered(content, frame, language),
    headers: {
      'Auto-Submitted': 'auto-generated',
      ...(unsubscribe === null
        ? {}
        : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    refused: (answer) => suppress(store.records, 'bounced', to, { by: 'mail server', reason: answer, now: clock() }),
  };
}

async function aboutOf(deps: MailDeps, letter: LetterDoc, merchant: MerchantDoc, inLanguage: string): Promise<About> {
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

function needsApproval(letter: LetterDoc, subscription: ActorDoc | null): subscription is ActorDoc {
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
