import { type MessageKey, say } from '../i18n/say.ts';

/** Refusals of the service, by a part of the English message. A test compares these with the sources of the service. */
export type Faults = readonly (readonly [part: string, key: MessageKey])[];

/** The refusals that a payer can meet. Any other one is a fault of a page, and is shown in English. */
export const FAULTS: Faults = [
  ['too many payments by transfer', 'problem.too_many_transfers'],
  ['too many one-time payments', 'problem.too_many_payments'],
  ['The offer is inactive', 'problem.offer_inactive'],
  ['The offer has expired', 'problem.offer_expired'],
  ['The offer is sold out', 'problem.offer_sold_out'],
  ['This code is not valid', 'coupon.unknown'],
  ['This coupon has expired', 'coupon.expired'],
  ['This coupon has ended', 'coupon.expired'],
  ['This coupon has been used up', 'coupon.used_up'],
  ['This coupon is for another offer', 'coupon.other_offer'],
  ['This coupon is for payments in another token', 'coupon.other_token'],
  ['This coupon is for new customers only', 'coupon.new_customers'],
  ['This coupon is for a new subscription only', 'coupon.new_subscription'],
  ['This coupon takes off too much', 'coupon.too_much'],
  ['This coupon is for payments from a wallet', 'coupon.needs_wallet'],
  ['priceId is a retired pricing option', 'problem.option_retired'],
  ['message has expired', 'problem.text_expired'],
  ['message was used before', 'problem.text_expired'],
  ['message was overtaken', 'problem.terms_changed'],
  ['message names terms that have changed', 'problem.terms_changed'],
  ['signature must be by the wallet in address', 'problem.wrong_signature'],
  ['permit needs a wallet that can pay the charge', 'wallet_error.too_little'],
  ['permit', 'problem.permit_refused'],
  ['No paid period is running', 'problem.nothing_to_end'],
  ['No end of this subscription is scheduled', 'problem.nothing_to_keep'],
  ['This subscription has ended', 'problem.has_ended'],
  ['This merchant is suspended', 'problem.merchant_suspended'],
  ['The new terms apply already', 'problem.new_terms_apply'],
  ['Another wallet pays this subscription', 'problem.another_payer'],
  ['until must be', 'problem.pause_until'],
  ['needs it to be paid first', 'problem.charge_first'],
  ['needs a paid period', 'problem.charge_first'],
  ['needs it to be resumed first', 'problem.not_now'],
  ['needs that to be taken back first', 'problem.not_now'],
  ['needs it to begin first', 'problem.not_now'],
  ['The merchant does not offer this change any more', 'problem.option_retired'],
  ['The merchant has paused this subscription', 'pause.by_merchant'],
  ['; ask there', 'problem.not_now'],
];

export const REFUND_ADDRESS_FAULTS: Faults = [
  ['refundWallet must be a', 'problem.refund_address_wrong'],
  ['refundWallet must not be the deposit address', 'problem.refund_address_own'],
];

/** The refusal in the language of the page; null: it is not among these. */
export function sayFault(faults: Faults, message: string): string | null {
  const [, key] = faults.find(([part]) => message.includes(part)) ?? [];
  return key === undefined ? null : say(key);
}
