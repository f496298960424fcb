import type { Offer, PricingOption } from '../merchant-api.ts';
import { priceText } from './price-text.ts';

const RULES = {
  none: 'Customers change nothing',
  credit: 'At once, with a credit for unused time',
  now: 'At once, without a credit',
  period_end: 'With the next period',
} as const;

function ruleOf({ planChanges }: Offer): keyof typeof RULES {
  if (planChanges === null) return 'none';
  return planChanges.when === 'period_end' ? 'period_end' : planChanges.proration === 'credit' ? 'credit' : 'now';
}

/** "At once, with a credit for unused time: 10 USD every month, 99 USD every year". */
export function planChangesText(offer: Offer): string {
  const rule = RULES[ruleOf(offer)];
  if (offer.planChanges === null) return rule;
  return `${rule}: ${optionsOf(offer).filter(isOffered(offer)).map(priceText).join(', ')}`;
}

function optionsOf({ pricing }: Offer): PricingOption[] {
  return pricing.filter(({ active, billing }) => active && billing.type === 'recurring');
}

function isOffered({ planChanges }: Offer) {
  return ({ id }: PricingOption) => planChanges?.priceIds?.includes(id) ?? true;
}

type Texts = { readonly [name: string]: string | undefined };

/** What is asked about an offer, by `askFor`; `save` gets the body of its PATCH. */
export function planChangesQuestion(offer: Offer, save: (body: Pick<Offer, 'planChanges'>) => Promise<void>) {
  const options = optionsOf(offer);
  const isOn = ({ rule }: Texts) => rule !== 'none';
  const first: Readonly<Record<string, string>> = {
    rule: ruleOf(offer),
    ...Object.fromEntries(options.map((option) => [option.id, isOffered(offer)(option) ? 'yes' : 'no'])),
  };
  return {
    title: 'Plan changes',
    action: 'Save',
    text: 'What customers may change to in the portal. Less money, or a shorter period, always begins with the next one.',
    fields: [
      { name: 'rule', label: 'A change to more money begins', options: Object.entries(RULES) },
      ...options.map((option) => ({
        name: option.id,
        label: `To ${[option.label, priceText(option)].filter(Boolean).join(': ')}`,
        options: Object.entries({ yes: 'Yes', no: 'No' }),
        isShown: isOn,
      })),
    ],
    first,
    done: 'Saved.',
    run: (texts: Texts) => save({ planChanges: isOn(texts) ? rulesIn(texts, options) : null }),
  };
}

function rulesIn(texts: Texts, options: readonly PricingOption[]): Offer['planChanges'] {
  const chosen = options.map(({ id }) => id).filter((id) => texts[id] === 'yes');
  return {
    priceIds: chosen.length === options.length ? null : chosen,
    when: texts['rule'] === 'period_end' ? 'period_end' : 'now',
    proration: texts['rule'] === 'credit' ? 'credit' : 'none',
  };
}
