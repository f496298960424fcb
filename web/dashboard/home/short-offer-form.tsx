import { ActionForm } from '../../ui/action-form.tsx';
import { typedDecimal, wrongDecimal } from '../../ui/decimal.ts';
import { Fields, useValues } from '../../ui/fields.tsx';
import { post } from '../dashboard-api.ts';
import type { PricingOptionInput } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

const FIELDS = [
  { name: 'name', label: 'Name of the product', required: true, placeholder: 'Coffee Club' },
  { name: 'amount', label: 'Price in US dollars', required: true, inputMode: 'decimal', check: wrongDecimal },
  {
    name: 'kind',
    label: 'Billing',
    options: [
      ['month', 'Every month'],
      ['once', 'Once'],
    ],
  },
] as const;

export interface ShortOfferFormProps {
  readonly mode: Mode;
  /** The tokens with a payout wallet: an offer takes all of them. */
  readonly tokenKeys: readonly string[];
  readonly onCreated: () => void;
}

/** An offer with one price in dollars. The page Offers has everything else. */
export function ShortOfferForm({ mode, tokenKeys, onCreated }: ShortOfferFormProps) {
  const { values, onChange } = useValues({ name: '', amount: '10.00', kind: 'month' });
  const create = async () => {
    const { name, amount, kind } = values;
    const billing: PricingOptionInput['billing'] =
      kind === 'month' ? { type: 'recurring', interval: 'month' } : { type: 'one_time' };
    await post(`/${mode}/offers`, {
      name,
      pricing: [{ amount: typedDecimal(amount) ?? amount, acceptedTokens: tokenKeys, billing }],
    });
    onCreated();
  };
  return (
    <ActionForm action="Create the offer" run={create}>
      <Fields fields={FIELDS} values={values} onChange={onChange} />
    </ActionForm>
  );
}
