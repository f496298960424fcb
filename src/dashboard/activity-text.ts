import type { JsonObject } from '../../machines/json.ts';
import { unknownCase } from '../../machines/unknown-case.ts';
import type { Catalog } from '../chains/catalog.ts';
import type { StaffAction } from '../store/collections.ts';
import { tokenText } from './token-text.ts';

/** What a journaled action did, for the owner of a shop: "Removed the payout wallet of USDC on Base". */
export function activityText(catalog: Catalog, action: StaffAction, details: JsonObject): string {
  const fact = (name: string): string => textOf(details[name]);
  const token = tokenText(catalog, fact('tokenKey'));
  switch (action) {
    case 'call.made':
      return wordsOf(fact('call'));
    case 'member.invited':
      return `Made a link for ${fact('name')}`;
    case 'member.changed':
      return `Changed the role of ${fact('name')} ${changeText(details['role'])}`;
    case 'member.removed':
      return `Removed ${fact('name')}`;
    case 'passkey.added':
      return `Added a passkey of ${fact('name')}`;
    case 'passkey.removed':
      return `Removed a passkey of ${fact('name')}`;
    case 'key.issued':
      return `Issued the API key …${fact('hint')}`;
    case 'key.revoked':
      return `Revoked the API key …${fact('hint')}`;
    case 'wallet.set':
      return `Set the payout wallet of ${token} to ${fact('newWallet')}${confirmedText(fact('confirmedBy'))}`;
    case 'wallet.removed':
      return `Removed the payout wallet of ${token}`;
    case 'branding.changed':
      return 'Changed the branding';
    case 'embed_origins.changed':
      return 'Changed the sites of the embedded checkout';
    case 'letters.changed':
      return 'Changed the letters';
    case 'invoicing.changed':
      return 'Changed the invoices';
    case 'merchant.suspended':
      return 'Suspended the account';
    case 'merchant.reinstated':
      return 'Reinstated the account';
    case 'merchant.changed':
      return 'Changed the fee or the limits of the account';
    case 'delivery.redelivered':
      return 'Delivered an event again';
    case 'deposit.sent':
      return 'Sent a held deposit';
    case 'actor.released':
    case 'actor.restored':
      return 'Repaired a document';
    case 'refund.acknowledged':
      return 'Noted a transfer to a payer that belongs to no refund';
    default:
      return unknownCase(action, 'action');
  }
}

function confirmedText(confirmedBy: string): string {
  if (confirmedBy === '') return '';
  return `, confirmed with a ${confirmedBy === 'passkey' ? 'passkey' : 'fresh sign-in'}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** "from member to admin". */
function changeText(change: unknown): string {
  if (typeof change !== 'object' || change === null || !('from' in change) || !('to' in change)) return '';
  return `from ${textOf(change.from)} to ${textOf(change.to)}`;
}

/** An operation of the API in words: `cancelSubscription` is "Canceled subscription". */
function wordsOf(call: string): string {
  const [verb = '', ...others] = call.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
  const past = PAST[verb] ?? `${verb}${verb.endsWith('e') ? '' : 'e'}d`;
  return [past.charAt(0).toUpperCase() + past.slice(1), ...others].join(' ');
}

/** The words that do not get "ed". */
const PAST: { readonly [verb: string]: string } = {
  cancel: 'canceled',
  make: 'made',
  retry: 'retried',
  sandbox: 'sandbox:',
  set: 'set',
};
