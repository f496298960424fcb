import { useId, useState } from 'preact/hooks';
import { typedDecimal, wrongDecimal } from '../../ui/decimal.ts';
import { FieldError } from '../../ui/field-error.tsx';
import type { Wrong } from '../../ui/field-fault.ts';
import { Fields, type FormField, useValues } from '../../ui/fields.tsx';
import type { BillingInterval, Chain, PricingOptionInput } from '../merchant-api.ts';

const FIAT = ['USD', 'EUR', 'GBP'] as const;
const INTERVALS: readonly BillingInterval[] = ['day', 'week', 'month', 'year'];

const NEW_PRICE = {
  label: '',
  amount: '',
  currency: 'USD',
  type: 'recurring',
  interval: 'month',
  intervalCount: '1',
  trialDays: '',
  maxCycles: '',
  model: 'fixed',
  minQuantity: '',
  maxQuantity: '',
  quantityChangedBy: 'merchant',
};

type Field = FormField<keyof typeof NEW_PRICE>;

/** A comma is taken as a decimal point, and the page says how it reads the number. */
function readAs(typed: string): string | undefined {
  const read = typed.includes(',') ? typedDecimal(typed) : null;
  return read === null ? undefined : `Read as ${read}`;
}

const LABEL: readonly Field[] = [
  { name: 'label', label: 'Label', hint: 'Shown at checkout, beside the price. May be empty.' },
];

function isRecurring({ type }: { readonly type?: string }): boolean {
  return type === 'recurring';
}

function isPerUnit({ type, model }: { readonly type?: string; readonly model?: string }): boolean {
  return type === 'recurring' && model === 'per_unit';
}

function priceFields(currencies: readonly string[], amount: string): readonly Field[] {
  const whole = { inputMode: 'numeric', check: wrongWhole, isShown: isRecurring } as const;
  const units = { ...whole, isShown: isPerUnit };
  return [
    {
      ...{ name: 'amount', label: 'Amount', inputMode: 'decimal', placeholder: '9.90', required: true },
      ...{ check: wrongDecimal, hint: readAs(amount) },
    },
    { name: 'currency', label: 'Currency', options: currencies.map((each) => [each, each]) },
    {
      name: 'type',
      label: 'Billing',
      options: [
        ['recurring', 'Recurring'],
        ['one_time', 'One-time'],
      ],
    },
    { name: 'intervalCount', label: 'Every', ...whole },
    { name: 'interval', label: 'Interval', options: INTERVALS.map((each) => [each, each]), isShown: isRecurring },
    { name: 'trialDays', label: 'Trial days', placeholder: 'None', ...whole },
    { name: 'maxCycles', label: 'Most payments', placeholder: 'No limit', ...whole },
    {
      name: 'model',
      label: 'Each charge is',
      isShown: isRecurring,
      options: [
        ['fixed', 'the amount'],
        ['per_unit', 'the amount for each unit, such as a seat'],
      ],
    },
    { name: 'minQuantity', label: 'Least units', placeholder: '1', ...units },
    {
      ...{ name: 'maxQuantity', label: 'Most units', placeholder: '100', required: true, ...units },
      hint: 'Payers sign for so many, so that a later change needs no signature.',
    },
    {
      name: 'quantityChangedBy',
      label: 'Who sets the quantity',
      isShown: isPerUnit,
      options: [
        ['merchant', 'You'],
        ['customer', 'You and the payer'],
      ],
      hint: 'A payer chooses it at the checkout, and changes it in the portal.',
    },
  ];
}

/** A price as it is typed. */
export function usePriceDraft() {
  const { values: texts, onChange } = useValues(NEW_PRICE);
  const [acceptedTokens, setTokens] = useState<readonly string[]>([]);
  return { texts, onChange, acceptedTokens, setTokens, input: () => pricingInput(texts, acceptedTokens) };
}

type PriceDraft = ReturnType<typeof usePriceDraft>;

/** The price as the API takes it, which checks it. */
function pricingInput(texts: PriceDraft['texts'], acceptedTokens: readonly string[]): PricingOptionInput {
  const common = {
    label: textOrNull(texts.label),
    amount: typedDecimal(texts.amount) ?? texts.amount.trim(),
    currency: texts.currency,
    acceptedTokens: [...acceptedTokens],
  };
  if (texts.type === 'one_time') return { ...common, billing: { type: 'one_time' } };
  const interval = INTERVALS.find((each) => each === texts.interval) ?? 'month';
  return {
    ...common,
    billing: { type: 'recurring', interval, intervalCount: wholeOrNull(texts.intervalCount) },
    trialDays: wholeOrNull(texts.trialDays),
    maxCycles: wholeOrNull(texts.maxCycles),
    ...modelInput(texts),
  };
}

function modelInput(texts: PriceDraft['texts']): Partial<PricingOptionInput> {
  if (texts.model === 'fixed') return {};
  return {
    model: 'per_unit',
    minQuantity: wholeOrNull(texts.minQuantity),
    maxQuantity: wholeOrNull(texts.maxQuantity),
    quantityChangedBy: texts.quantityChangedBy === 'customer' ? 'customer' : 'merchant',
  };
}

/** An empty field means none. */
export function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

const WHOLE = /^\d{1,9}$/;

/** What is wrong with a whole number; null: nothing, or it is empty. */
export function wrongWhole(typed: string): Wrong | null {
  const text = typed.trim();
  return text === '' || WHOLE.test(text) ? null : { text: 'Enter a whole number.', isPartial: false };
}

/** A checked whole number; null if it is empty. */
export function wholeOrNull(typed: string): number | null {
  return typed.trim() === '' ? null : Number(typed.trim());
}

export interface PriceFieldsProps {
  readonly draft: PriceDraft;
  readonly chains: readonly Chain[];
}

export function PriceFields({ draft, chains }: PriceFieldsProps) {
  const { texts, onChange } = draft;
  const tickers = chains.flatMap(({ tokens }) => tokens.map(({ ticker }) => ticker));
  const currencies = [...new Set([...FIAT, ...tickers])];
  return (
    <>
      <Fields fields={LABEL} values={texts} onChange={onChange} />
      <div class="grid fields">
        <Fields fields={priceFields(currencies, texts.amount)} values={texts} onChange={onChange} />
      </div>
      <TokenChoice draft={draft} chains={chains} />
    </>
  );
}

/** Chains on which this installation cannot charge now come last, closed: an offer may name their tokens too. */
function TokenChoice({ draft, chains }: PriceFieldsProps) {
  const others = chains.filter((chain) => !chain.enabled);
  const tokensOf = (chain: Chain) => <ChainTokens key={chain.chainId} draft={draft} chain={chain} />;
  return (
    <fieldset class="stack-tight" name="acceptedTokens">
      <legend>
        <strong>Accepted tokens</strong>
      </legend>
      <FieldError name="acceptedTokens" />
      {chains.filter((chain) => chain.enabled).map(tokensOf)}
      {others.length > 0 && (
        <details>
          <summary>Chains that are not enabled on this installation</summary>
          {others.map(tokensOf)}
        </details>
      )}
    </fieldset>
  );
}

function ChainTokens({ draft, chain }: { readonly draft: PriceDraft; readonly chain: Chain }) {
  const id = useId();
  const { acceptedTokens, setTokens } = draft;
  const toggle = (key: string, isAccepted: boolean) =>
    setTokens(isAccepted ? [...acceptedTokens, key] : acceptedTokens.filter((each) => each !== key));
  return (
    <fieldset class="row tokens" aria-labelledby={id}>
      <legend id={id}>{chain.label}</legend>
      {chain.tokens.map(({ key, ticker }) => (
        <label key={key} class="check">
          <input
            type="checkbox"
            checked={acceptedTokens.includes(key)}
            onChange={(event) => toggle(key, event.currentTarget.checked)}
          />
          {ticker}
        </label>
      ))}
    </fieldset>
  );
}
