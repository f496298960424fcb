import { useState } from 'preact/hooks';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast.tsx';
import { dashboardApi } from '../dashboard-api.ts';
import type { Advanced, Migration, Offer, Subscription, SubscriptionStatusView } from '../merchant-api.ts';
import { wholeOrNull } from '../offers/price-draft.ts';
import type { Mode } from '../route.ts';
import { ActionDialog } from '../shared/action-dialog.tsx';
import { useChains } from '../shared/currencies.ts';
import { Moment } from '../shared/facts.tsx';
import { PriceChoice, tokenChoices } from './price-choice.tsx';

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
    const body = { atPeriodEnd: when === 'end' };
    await dashboardApi(`/${mode}/subscriptions/${id}/cancel`, { method: 'POST', body });
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
  const [priceId, setPriceId] = useState('');
  const [chosenToken, setChosenToken] = useState('');
  const price = prices.find(({ id }) => id === priceId) ?? prices[0];
  const tokens = price === undefined ? [] : tokenChoices(price);
  const present = tokens.includes(view.tokenKey) ? view.tokenKey : '';
  const tokenKey = chosenToken || present;
  const choose = (id: string, key: string) => {
    setPriceId(id);
    setChosenToken(key);
  };
  const migrate = async () => {
    if (price === undefined) throw new Error('Add another recurring price to the offer first');
    const body = { priceId: price.id, tokenKey: tokenKey || tokens[0] };
    const path = `/${mode}/subscriptions/${view.id}/migrate` as const;
    const { authorizationUrl } = await dashboardApi<Migration>(path, { method: 'POST', body });
    onLink(authorizationUrl);
    reload();
  };
  return (
    <ActionDialog title="Change the price" action="Make the link" run={migrate} onClose={onClose}>
      <p>The subscription keeps its present price until the payer authorizes the new one at a link.</p>
      {price === undefined ? (
        <p class="soft">The offer has no other recurring price. Add one on its page.</p>
      ) : (
        <PriceChoice prices={prices} price={price} chains={chains} tokenKey={tokenKey} onChange={choose} />
      )}
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
    onAdvanced(await dashboardApi<Advanced>(`/${mode}/sandbox/advance`, { method: 'POST', body }));
    reload();
  };
  return (
    <ActionDialog title="Advance the clock" action="Advance" run={advance} onClose={onClose}>
      <p>Only the clock of this subscription moves, and only forward. All charges that fall due are made.</p>
      <Select label="How far" value={goal} onChange={setGoal} options={GOALS} />
      {goal === 'days' && <Field label="Days" inputMode="numeric" required value={days} onInput={setDays} />}
    </ActionDialog>
  );
}

function goalOf(goal: string, days: string): object {
  switch (goal) {
    case 'next':
      return {};
    case 'days':
      return { days: wholeOrNull('Days', days) };
    default:
      return { status: goal };
  }
}
