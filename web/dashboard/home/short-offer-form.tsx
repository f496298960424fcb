import { useState } from 'preact/hooks';
import { ActionForm } from '../../ui/action-form.tsx';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { dashboardApi } from '../dashboard-api.ts';
import type { Offer, PricingOptionInput } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

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
  const create = async () => {
    const billing: PricingOptionInput['billing'] =
      kind === 'month' ? { type: 'recurring', interval: 'month' } : { type: 'one_time' };
    const body = { name, pricing: [{ amount: amount.trim(), acceptedTokens: tokenKeys, billing }] };
    await dashboardApi<Offer>(`/${mode}/offers`, { method: 'POST', body });
    onCreated();
  };
  return (
    <ActionForm action="Create the offer" run={create}>
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
    </ActionForm>
  );
}
