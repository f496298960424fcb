/** The events of a subscription until its first charge has settled. */
export const FIRST_CHARGE = ['subscription.created', 'payment.succeeded', 'subscription.active'] as const;
