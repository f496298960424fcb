import type { Coupons, Offer, SubscriptionStatusView } from '../merchant-api.ts';
import { wholeOrNull, wrongWhole } from '../offers/price-form.tsx';
import { momentText } from '../shared/moment.tsx';

type Option = Offer['pricing'][number];

/** Only in the sandbox, where each subscription has a clock of its own. */
export const ADVANCE = {
  title: 'Advance the clock',
  action: 'Advance',
  text: 'Only the clock of this subscription moves, and only forward. All charges that fall due are made.',
  fields: [
    {
      name: 'goal',
      label: 'How far',
      options: [
        ['next', 'To its next due moment'],
        ['days', 'By a number of days'],
        ['active', 'Until it is active'],
        ['past_due', 'Until it is past due'],
        ['canceled', 'Until it is canceled'],
      ],
    },
    {
      name: 'days',
      label: 'Days',
      inputMode: 'numeric',
      required: true,
      check: wrongWhole,
      isShown: ({ goal }: { readonly goal?: string }) => goal === 'days',
    },
  ],
  first: { goal: 'next', days: '31' },
} as const;

export function goalOf(goal: string, days: string): object {
  switch (goal) {
    case 'next':
      return {};
    case 'days':
      return { days: wholeOrNull(days) };
    default:
      return { status: goal };
  }
}

const USED =
  ' The use until now is charged, within the limits that the payer has signed. If they allow no charge yet, the charge waits for its day.';

/** At once, or as long as one is to come, at the end of the paid period. */
export function cancelingOf({ currentPeriodEnd: end, cancelAt, model }: SubscriptionStatusView) {
  const common = { title: 'Cancel the subscription', action: 'Cancel it', isDanger: true };
  const used = model === 'metered' ? USED : '';
  const now = `Now is for good. A charge that has been started may still settle.${used}`;
  if (end === null || cancelAt !== null) return { ...common, text: now, fields: [], first: { when: 'now' } };
  const text = `At the end of the period, ${momentText(end)}, it ends by itself: until then you can resume it. ${now}`;
  return { ...common, text, fields: [WHEN], first: { when: 'end' } };
}

const WHEN = {
  name: 'when',
  label: 'When',
  options: Object.entries({ end: 'At the end of the period', now: 'Now' }),
} as const;

export const CHARGE = {
  title: 'Charge this subscription now?',
  action: 'Charge now',
  text: 'The sandbox makes the charge of the next period at once, due or not.',
};

export const TAKE_BACK = {
  title: 'Take the change back?',
  action: 'Take it back',
  text: 'The present price goes on, and the link to the new one ends.',
};

export const REMOVE_DISCOUNT = {
  title: 'Take the discount off?',
  action: 'Take it off',
  text: 'The next charge is the full price. What is paid stays as it is.',
};

export const RETRY = {
  title: 'Try the charge again?',
  action: 'Try again now',
  text: 'The payer is charged now if the wallet has approved and holds enough.',
};

/** What a pause does to the paid period, before it begins. */
export function pausingOf({ isPaused, pausedUntil }: SubscriptionStatusView, offer: Offer | null) {
  const isKept = offer?.pause?.periodEnd === 'keeps';
  const paid = isKept ? 'The paid period ends on its day.' : 'What is left of the paid period follows afterwards.';
  return {
    title: isPaused ? 'Change the pause' : 'Pause the subscription',
    action: isPaused ? 'Change it' : 'Pause it',
    text: `Nothing falls due during a pause. ${paid} A pause that outlasts the period is followed by a charge at once.`,
    fields: [{ name: 'until', label: 'Until', type: 'date', hint: 'Empty: until somebody resumes it.' }] as const,
    first: { until: pausedUntil === null ? '' : new Date(pausedUntil).toLocaleDateString('sv-SE') },
  };
}

/** The beginning of a day of the reader. */
export function momentOfDay(day: string): string {
  return new Date(`${day}T00:00`).toISOString();
}

export const UNPAUSE = {
  title: 'End the pause?',
  action: 'Resume it',
  text: 'The next charge follows on its day, or at once if that has passed.',
};

export const RESUME = {
  title: 'Resume the subscription?',
  action: 'Resume it',
  text: 'A planned end is taken back. If a charge is due, the payer is charged now.',
};

/** The payer has signed for the most. */
export function quantityOf({ quantity }: SubscriptionStatusView, option: Option | undefined) {
  const hint = option && `From ${option.minQuantity} to ${option.maxQuantity}. Now ${quantity}.`;
  return {
    title: 'Change the quantity',
    action: 'Change it',
    text: 'It counts from the next charge on. What is paid stays as it is, and the payer does not sign again.',
    fields: [{ name: 'quantity', label: 'Quantity', inputMode: 'numeric', required: true, check: wrongWhole, hint }],
    first: { quantity: `${quantity ?? ''}` },
    done: 'The next charge is for the new quantity.',
  } as const;
}

export function discountOf({ coupons }: Coupons) {
  return {
    title: 'Set a discount',
    action: 'Set it',
    text: 'It counts from the next charge on, in place of any other. The payer does not sign again.',
    fields: [{ name: 'couponId', label: 'Coupon', options: coupons.map(({ id, code }) => [id, code ?? id] as const) }],
    first: { couponId: coupons[0]?.id ?? '' },
    done: 'The next charge has the discount.',
  } as const;
}
