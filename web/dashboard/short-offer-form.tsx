import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { Select } from '../ui/select.tsx';
import { dashboardApi } from './dashboard-api.ts';
import type { Mode } from './route.ts';
import type { Offer, PricingOptionInput } from './shop-types.ts';
import { useAction } from './use-action.ts';

export interface ShortOfferFormProps {
  readonly mode: Mode;
  /** The tokens with a payout wallet: an offer takes all of them. */
  readonly tokenKeys: readonly string[];
  readonly onCreated: () => void;
}

/** An offer with one price in dollars. The page Offers has everything else. */
export function ShortOfferForm({ mode, tokenKeys, onCreated }: ShortOfferFormProps) {
  const [name, setName] = useState('');
  const [amount, setAmount] = useState('10.00');
  const [kind, setKind] = useState('month');
  const { isBusy, problem, act } = useAction();
  const create = async () => {
    const billing: PricingOptionInput['billing'] =
      kind === 'month' ? { type: 'recurring', interval: 'month' } : { type: 'one_time' };
    const body = { name, pricing: [{ amount: amount.trim(), acceptedTokens: tokenKeys, billing }] };
    await dashboardApi<Offer>(`/${mode}/offers`, { method: 'POST', body });
    onCreated();
  };
  return (
    <form
      class="stack form"
      onSubmit={(event) => {
        event.preventDefault();
        void act(create);
      }}
    >
      <Field label="Name of the product" required value={name} onInput={setName} placeholder="Coffee Club" />
      <Field label="Price in US dollars" required inputMode="decimal" value={amount} onInput={setAmount} />
      <Select
        label="Billing"
        value={kind}
        onChange={setKind}
        options={[
          ['month', 'Every month'],
          ['once', 'Once'],
        ]}
      />
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <div>
        <Button type="submit" variant="primary" busy={isBusy}>
          Create the offer
        </Button>
      </div>
    </form>
  );
}
