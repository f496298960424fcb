import type { DeliveryEvent } from '../../../machines/delivery/events.ts';
import type { PaymentEvent } from '../../../machines/payment/events.ts';
import type { SubscriptionEvent } from '../../../machines/subscription/events.ts';
import type { ActorKind } from '../../store/documents.ts';

const SUBSCRIPTION: Readonly<Record<SubscriptionEvent['type'], string>> = {
  'actor.created': 'the subscription was made',
  'cycle.due': 'the next charge is due',
  'deferral.lifted': 'what held the charge back seems to be gone',
  'allowance.seen': 'the allowance of the payer was checked',
  'risk.due': 'it is time for the check before the charge',
  'risk.seen': 'the check before the charge has ended',
  'payer.linked': 'a wallet of the customer was linked',
  'payer.authorized': 'a wallet has signed that it pays',
  'cancel.requested': 'somebody asked to cancel it',
  'retry.requested': 'somebody asked to charge again now',
  'resume.requested': 'somebody asked to resume it',
  'variables.replaced': 'the merchant replaced its variables',
  'migration.requested': 'the merchant asked to move it to another price',
  'migration.signed': 'a wallet has signed the other price',
  'migration.seen': 'the allowance for the other price was checked',
  'clock.moved': 'the sandbox moved its clock',
  'failure.forced': 'the sandbox asked that charges fail',
  'charge.pulled': 'a block contains the charge',
  'charge.settled': 'the charge has settled',
  'charge.failed': 'the attempt to charge has failed',
  'charge.withdrawn': 'the open charge was taken back',
  'charge.reorged': 'the chain has dropped the block of a settled charge',
  'charge.blocked': 'the charge cannot be made, and the payer is not the cause',
};

const PAYMENT: Readonly<Record<PaymentEvent['type'], string>> = {
  'actor.created': 'the payment was made',
  'charge.opened': 'a further attempt was opened',
  'charge.withdrawn': 'its subscription took the charge back',
  'charge.scheduled': 'its subscription set the time of the next attempt',
  'cancel.requested': 'somebody asked to cancel it',
  'deposit.seen': 'the deposit address was checked',
  'deposit.expired': 'the time for the deposit has run out',
  'pause.over': 'its pause is over',
  'pause.lifted': 'what stopped the charge may be gone',
  'charge.started': 'a sender has taken the charge for signing',
  'charge.released': 'its transaction was reverted as a whole, and the charge waits for a sender again',
  'charge.refused': 'the chain has refused to pull from the payer',
  'charge.undeliverable': 'a share could not be delivered',
  'charge.mined': 'a block contains the charge',
  'charge.final': 'the block of the charge is deep enough',
  'charge.reorged': 'the chain has dropped the block of the charge',
  'charge.moved': 'another block contains the charge now',
  'charge.blocked': 'the charge could not be submitted to the chain',
};

const DELIVERY: Readonly<Record<DeliveryEvent['type'], string>> = {
  'actor.created': 'the delivery was made',
  'turn.came': 'the first attempt of the event before it has ended',
  'delivery.due': 'an attempt is due',
  'attempt.ended': 'an attempt has ended',
  'redelivery.requested': 'somebody asked to deliver it again',
};

const WORDS: Readonly<Record<ActorKind, { readonly [event: string]: string }>> = {
  subscription: SUBSCRIPTION,
  payment: PAYMENT,
  delivery: DELIVERY,
};

/** What an event of a machine means, in words that continue "because". */
export function eventInWords(kind: ActorKind, event: string): string {
  return WORDS[kind][event] ?? event;
}
