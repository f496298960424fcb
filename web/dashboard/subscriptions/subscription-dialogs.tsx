import { useState } from 'preact/hooks';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { post } from '../dashboard-api.ts';
import type { Advanced, Migration, Offer, Subscription, SubscriptionStatusView } from '../merchant-api.ts';
import { wholeOrNull, wrongWhole } from '../offers/price-form.tsx';
import type { Mode } from '../route.ts';
import { useChains } from '../shared/currencies.ts';
import { Moment } from '../shared/facts.tsx';
import { PriceChoice, usePriceChoice } from './price-choice.tsx';

export interface SubscriptionActionsProps {
  readonly mode: Mode;
  readonly view: SubscriptionStatusView;
  readonly terms: Subscription | null;
  readonly offer: Offer | null;
  readonly reload: () => void;
}

type DialogProps = SubscriptionActionsProps & { readonly onClose: () => void };

export function CancelSubscription({ mode, view, reload, onClose }: DialogProps) {
  const { id, currentPeriodEnd, cancelAt } = view;
  const canWait = currentPeriodEnd !== null && cancelAt === null;
  const [when, setWhen] = useState(canWait ? 'end' : 'now');
  const cancel = async () => {
    await post(`/${mode}/subscriptions/${id}/cancel`, { atPeriodEnd: when === 'end' });
    toast('Done.', 'good');
    reload();
  };
  return (
    <ActionDialog title="Cancel the subscription" action="Cancel it" isDanger run={cancel} onClose={onClose}>
      {canWait && (
        <Select
          label="When"
          value={when}
          onChange={setWhen}
          options={[
            ['end', 'At the end of the period'],
            ['now', 'Now'],
          ]}
        />
      )}
      <p>
        {when === 'end' && currentPeriodEnd !== null ? (
          <>
            It ends on <Moment at={currentPeriodEnd} />. Until then you can resume it.
          </>
        ) : (
          'It ends now, for good. A charge that has been started may still settle.'
        )}
      </p>
    </ActionDialog>
  );
}

/** The payer has to authorize the new price at a link. */
export function MigrateSubscription(props: DialogProps & { readonly onLink: (url: string) => void }) {
  const { mode, view, terms, offer, reload, onLink, onClose } = props;
  const chains = useChains(mode);
  const prices =
    offer?.pricing.filter(
      ({ id, active, billing }) => active && billing.type === 'recurring' && id !== terms?.offerPriceId,
    ) ?? [];
  const choice = usePriceChoice(prices, view.tokenKey);
  const migrate = async () => {
    if (choice.chosen === null) throw new Error('Add another recurring price to the offer first');
    onLink((await post<Migration>(`/${mode}/subscriptions/${view.id}/migrate`, choice.chosen)).authorizationUrl);
    reload();
  };
  return (
    <ActionDialog title="Change the price" action="Make the link" run={migrate} onClose={onClose}>
      <p>The subscription keeps its present price until the payer authorizes the new one at a link.</p>
      <PriceChoice choice={choice} chains={chains}>
        The offer has no other recurring price. Add one on its page.
      </PriceChoice>
    </ActionDialog>
  );
}

/** From the next cycle on; the payer has signed for the most. */
export function ChangeQuantity({ mode, view, terms, offer, reload, onClose }: DialogProps) {
  const [quantity, setQuantity] = useState(String(view.quantity ?? ''));
  const option = offer?.pricing.find(({ id }) => id === terms?.offerPriceId);
  const change = async () => {
    await post(`/${mode}/subscriptions/${view.id}/quantity`, { quantity: wholeOrNull(quantity) });
    toast('The next charge is for the new quantity.', 'good');
    reload();
  };
  return (
    <ActionDialog title="Change the quantity" action="Change it" run={change} onClose={onClose}>
      <p>It counts from the next charge on. What is paid stays as it is, and the payer does not sign again.</p>
      <Field
        label="Quantity"
        name="quantity"
        inputMode="numeric"
        required
        check={wrongWhole}
        hint={option && `From ${option.minQuantity} to ${option.maxQuantity}. Now ${view.quantity}.`}
        value={quantity}
        onInput={setQuantity}
      />
    </ActionDialog>
  );
}

const GOALS = [
  ['next', 'To its next due moment'],
  ['days', 'By a number of days'],
  ['active', 'Until it is active'],
  ['past_due', 'Until it is past due'],
  ['canceled', 'Until it is canceled'],
] as const;

/** Only in the sandbox, where each subscription has a clock of its own. */
export function AdvanceSubscription(props: DialogProps & { readonly onAdvanced: (advanced: Advanced) => void }) {
  const { mode, view, reload, onAdvanced, onClose } = props;
  const [goal, setGoal] = useState('next');
  const [days, setDays] = useState('31');
  const advance = async () => {
    const body = { subscriptionId: view.id, ...goalOf(goal, days) };
    onAdvanced(await post<Advanced>(`/${mode}/sandbox/advance`, body));
    reload();
  };
  return (
    <ActionDialog title="Advance the clock" action="Advance" run={advance} onClose={onClose}>
      <p>Only the clock of this subscription moves, and only forward. All charges that fall due are made.</p>
      <Select label="How far" value={goal} onChange={setGoal} options={GOALS} />
      {goal === 'days' && (
        <Field
          label="Days"
          name="days"
          inputMode="numeric"
          required
          check={wrongWhole}
          value={days}
          onInput={setDays}
        />
      )}
    </ActionDialog>
  );
}

function goalOf(goal: string, days: string): object {
  switch (goal) {
    case 'next':
      return {};
    case 'days':
      return { days: wholeOrNull(days) };
    default:
      return { status: goal };
  }
}
