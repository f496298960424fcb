import type { Effect, LetterKind, WebhookEvent } from '../../../machines/effects.ts';
import { chargeDueAt } from '../../../machines/subscription/next-charge.ts';
import type { SentBy } from '../../engine/types.ts';
import { paymentAttributes } from '../../model/payment.ts';
import { subscriptionAttributes, subscriptionContextOf } from '../../model/subscription.ts';
import type { LetterSettings } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';

/** The events whose payer gets a letter. */
const LETTER_OF: { readonly [E in WebhookEvent]?: LetterKind } = {
  'payment.succeeded': 'receipt',
  'payment.failed': 'charge_failed',
  'payment.refunded': 'refunded',
  'subscription.at_risk': 'at_risk',
  'subscription.migrated': 'changed',
  'subscription.quantity_changed': 'changed',
  'subscription.paused': 'changed',
  'subscription.resumed': 'changed',
  'subscription.canceled': 'ended',
};

const DAY_MS = 86_400_000;

/**
 * The letters about a change (docs/rules.md, "Letters"). `effects`: what the machine has decided, also events that the
 * merchant has not opted in to. Pure.
 */
export function letterEffects(
  before: ActorDoc,
  after: ActorDoc,
  effects: readonly Effect[],
  settings: LetterSettings,
  by: SentBy,
): Effect[] {
  const customerId = customerOf(after);
  if (customerId === null) return [];
  const events = effects.filter((effect) => effect.type === 'webhook.emit');
  const hasEnded = events.some(({ event }) => event === 'subscription.canceled');
  const letters = events.flatMap(({ event, data }): Effect[] => {
    const letter = LETTER_OF[event];
    if (letter === undefined) return [];
    // A payer who pauses or resumes it is there.
    if (by === 'payer' && (event === 'subscription.paused' || event === 'subscription.resumed')) return [];
    // The payer of a one-off is there when it fails. A last failure is in the letter about the end.
    if (letter === 'charge_failed' && (after.kind === 'payment' || hasEnded)) return [];
    return [{ type: 'letter.write', letter, customerId, data }];
  });
  const chargeAt = remindedCharge(before, effects, settings);
  const data = { subscriptionId: after._id, chargeAt };
  return chargeAt === null ? letters : [...letters, { type: 'letter.write', letter: 'renewal', customerId, data }];
}

/** The charge to remind the payer of now: on the day of a check ahead that the merchant has chosen. */
function remindedCharge(before: ActorDoc, effects: readonly Effect[], { reminderDays }: LetterSettings): string | null {
  if (!effects.some((effect) => effect.type === 'allowance.watch' && effect.interest === 'risk')) return null;
  const context = subscriptionContextOf(before);
  const [chargeAt, { lookAt }] = [chargeDueAt(context), context.risk];
  if (chargeAt === null || lookAt === null) return null;
  return Math.round((Date.parse(chargeAt) - Date.parse(lookAt)) / DAY_MS) === reminderDays ? chargeAt : null;
}

function customerOf({ kind, attributes }: ActorDoc): string | null {
  return kind === 'subscription'
    ? subscriptionAttributes.parse(attributes).customerId
    : paymentAttributes.parse(attributes).customerId;
}
