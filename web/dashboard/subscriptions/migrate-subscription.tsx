import { useState } from 'preact/hooks';
import { ActionDialog } from '../../ui/action-dialog.tsx';
import { Select } from '../../ui/select.tsx';
import { post } from '../dashboard-api.ts';
import type { Migration, Offer, Subscription, SubscriptionStatusView } from '../merchant-api.ts';
import type { Mode } from '../route.ts';
import { useChains } from '../shared/use-chains.ts';
import { PriceChoice, usePriceChoice } from './price-choice.tsx';

export interface MigrateSubscriptionProps {
  readonly mode: Mode;
  readonly view: SubscriptionStatusView;
  readonly terms: Subscription | null;
  readonly offer: Offer | null;
  readonly onLink: (url: string) => void;
  readonly onClose: () => void;
}

const BEGINS = {
  period_end: { label: 'With the next period', body: {} },
  credit: {
    label: 'Once it is authorized, with a credit for unused time',
    body: { when: 'now', proration: 'credit' },
  },
  now: { label: 'Once it is authorized, without a credit', body: { when: 'now' } },
} as const;
type Begin = keyof typeof BEGINS;
const BEGIN_NAMES = ['period_end', 'credit', 'now'] as const;

/** The payer has to authorize the new price at a link. */
export function MigrateSubscription({ mode, view, terms, offer, onLink, onClose }: MigrateSubscriptionProps) {
  const chains = useChains(mode);
  const prices =
    offer?.pricing.filter(
      ({ id, active, billing }) => active && billing.type === 'recurring' && id !== terms?.offerPriceId,
    ) ?? [];
  const choice = usePriceChoice(prices, view.tokenKey);
  const [begin, setBegin] = useState<Begin>('period_end');
  const migrate = async () => {
    if (choice.chosen === null) throw new Error('Add another recurring price to the offer first');
    const body = { ...choice.chosen, ...BEGINS[begin].body };
    onLink((await post<Migration>(`/${mode}/subscriptions/${view.id}/migrate`, body)).authorizationUrl);
  };
  return (
    <ActionDialog title="Change the price" action="Make the link" run={migrate} onClose={onClose}>
      <p>The subscription keeps its present price until the payer authorizes the new one at a link.</p>
      <PriceChoice choice={choice} chains={chains}>
        The offer has no other recurring price. Add one on its page.
      </PriceChoice>
      {view.status === 'active' && (
        <Select
          label="It begins"
          value={begin}
          onChange={(text) => setBegin(BEGIN_NAMES.find((name) => name === text) ?? begin)}
          options={BEGIN_NAMES.map((name) => [name, BEGINS[name].label])}
        />
      )}
    </ActionDialog>
  );
}
