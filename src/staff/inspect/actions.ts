import type { ActionView, ActorKind, EventVerdict } from '../wire.ts';

interface Declared {
  readonly name: string;
  readonly label: string;
  readonly event: string;
  readonly assuming?: string;
  readonly verb: string;
  readonly body?: { readonly [name: string]: boolean };
  readonly what: string;
}

const ACTIONS: { readonly [K in ActorKind]: readonly Declared[] } = {
  subscription: [
    {
      name: 'retry',
      label: 'Retry the charge',
      event: 'retry.requested',
      verb: 'retry',
      what: 'The service attempts the charge of the open cycle now. The attempt counts like any other.',
    },
    {
      name: 'resume',
      label: 'Resume',
      event: 'resume.requested',
      verb: 'resume',
      what: 'The service clears a scheduled cancel. If a charge is due and possible, it is made now.',
    },
    {
      name: 'cancel-at-period-end',
      label: 'Cancel at the end of the period',
      event: 'cancel.requested',
      assuming: 'at the end of the period',
      verb: 'cancel',
      body: { atPeriodEnd: true },
      what: 'The subscription ends with the paid period, and is not charged again. Without a paid period, it ends now.',
    },
    {
      name: 'cancel',
      label: 'Cancel now',
      event: 'cancel.requested',
      assuming: 'now',
      verb: 'cancel',
      body: { atPeriodEnd: false },
      what: 'The subscription ends now, for good. If a charge has started, it runs to its end.',
    },
  ],
  payment: [
    {
      name: 'cancel',
      label: 'Cancel the payment',
      event: 'cancel.requested',
      verb: 'cancel',
      what: 'The service withdraws the payment before it is charged.',
    },
  ],
  delivery: [
    {
      name: 'redeliver',
      label: 'Deliver once more',
      event: 'redelivery.requested',
      verb: 'redeliver',
      what: 'The service delivers the event now, to the present URL, with six new attempts.',
    },
  ],
};

const PLURALS: { readonly [K in ActorKind]: string } = {
  subscription: 'subscriptions',
  payment: 'payments',
  delivery: 'deliveries',
};

/** The actions on an actor; for each that its machine would refuse now, the reason. */
export function actionsOn(
  kind: ActorKind,
  id: string,
  verdicts: readonly EventVerdict[],
  takesNoEvent: boolean,
): ActionView[] {
  return ACTIONS[kind].map(({ name, label, event, assuming, verb, body = {}, what }) => {
    const verdict = verdicts.find(
      (each) => each.type === event && (assuming === undefined || each.assuming === assuming),
    );
    const isAllowed = !takesNoEvent && verdict !== undefined && verdict.verdict !== 'refuses';
    const why = takesNoEvent
      ? 'it accepts no event, because it is quarantined or its machine cannot run it'
      : (verdict?.why ?? null);
    return {
      name,
      label,
      path: `/${PLURALS[kind]}/${id}/${verb}`,
      body,
      what,
      isAllowed,
      why: isAllowed ? null : why,
      terms: null,
    };
  });
}
