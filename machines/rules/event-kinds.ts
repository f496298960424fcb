/** The ten kinds of the reference, section 6. */
export const LISTED_EVENTS = [
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'subscription.created',
  'subscription.active',
  'subscription.canceled',
  'payment.succeeded',
  'payment.failed',
  'payment.canceled',
  'wallet.updated',
] as const;

/** Sent only to endpoints that asked for them (docs/rules.md, "Webhooks": `extraEvents`). */
export const EXTRA_EVENTS = [
  'subscription.trialing',
  'subscription.past_due',
  'subscription.recovered',
  'subscription.at_risk',
  'subscription.migrated',
  'subscription.blocked',
  'subscription.quantity_changed',
  'subscription.usage_threshold',
  'subscription.paused',
  'subscription.resumed',
  'payment.pulled',
  'payment.refunded',
  'payment.refund_reversed',
] as const;
