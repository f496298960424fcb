import type { Offer } from '../merchant-api.ts';

const RULES = {
  merchant_moves: 'You alone; the rest of the paid period follows after the pause',
  merchant_keeps: 'You alone; the paid period ends on its day',
  customer_moves: 'You and customers; the rest of the paid period follows after the pause',
  customer_keeps: 'You and customers; the paid period ends on its day',
} as const;

function ruleOf({ pause }: Offer): keyof typeof RULES {
  return `${pause?.byCustomer ? 'customer' : 'merchant'}_${pause?.periodEnd ?? 'moves'}`;
}

export function pausesText(offer: Offer): string {
  return RULES[ruleOf(offer)];
}

/** What is asked about an offer, by `askFor`; `save` gets the body of its PATCH. */
export function pausesQuestion(offer: Offer, save: (body: Pick<Offer, 'pause'>) => Promise<void>) {
  const first: { readonly rule: string } = { rule: ruleOf(offer) };
  return {
    title: 'Pauses',
    action: 'Save',
    text: 'Nothing falls due during a pause. One that is longer than the paid period is followed by a charge at once.',
    fields: [{ name: 'rule', label: 'Who pauses', options: Object.entries(RULES) }] as const,
    first,
    done: 'Saved.',
    run: ({ rule }: { readonly rule: string }) =>
      save({
        pause: { byCustomer: rule.startsWith('customer'), periodEnd: rule.endsWith('keeps') ? 'keeps' : 'moves' },
      }),
  };
}
