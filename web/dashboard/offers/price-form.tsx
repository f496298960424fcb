import { useId, useState } from 'preact/hooks';
import { tokenName } from '../../../machines/rules/token-name.ts';
import { Button } from '../../ui/button.tsx';
import { typedDecimal, wrongDecimal } from '../../ui/decimal.ts';
import { Field, FieldError } from '../../ui/field.tsx';
import type { Wrong } from '../../ui/field-fault.ts';
import { Fields, type FormField, useValues } from '../../ui/form.tsx';
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
  includedUnits: '',
  capAmount: '',
  aboveCap: 'carry',
  thresholdAmount: '',
  windowCapAmount: '',
};

type PriceField = FormField<keyof typeof NEW_PRICE>;

/** A comma is taken as a decimal point, and the page says how it reads the number. */
function readAs(typed: string): string | undefined {
  const read = typed.includes(',') ? typedDecimal(typed) : null;
  return read === null ? undefined : `Read as ${read}`;
}

const LABEL: readonly PriceField[] = [
  { name: 'label', label: 'Label', hint: 'Shown at checkout, beside the price. May be empty.' },
];

function isRecurring({ type }: { readonly type?: string }): boolean {
  return type === 'recurring';
}

function isOf(wanted: 'per_unit' | 'metered') {
  return ({ type, model }: { readonly type?: string; readonly model?: string }) =>
    type === 'recurring' && model === wanted;
}

const isPerUnit = isOf('per_unit');
const isMetered = isOf('metered');

function priceFields(currencies: readonly string[], texts: PriceDraft['texts']): readonly PriceField[] {
  const whole = { inputMode: 'numeric', check: wrongWhole, isShown: isRecurring } as const;
  const units = { ...whole, isShown: isPerUnit };
  const { amount, capAmount, thresholdAmount, windowCapAmount } = texts;
  const decimal = { inputMode: 'decimal', required: true, check: wrongDecimal } as const;
  return [
    {
      ...{ name: 'amount', label: isMetered(texts) ? 'Price of a unit' : 'Amount', ...decimal },
      ...{ placeholder: isMetered(texts) ? '0.01' : '9.90', hint: readAs(amount) },
    },
    { name: 'currency', label: 'Currency', options: currencies.map((each) => [each, each]) },
    { name: 'type', label: 'Billing', options: Object.entries({ recurring: 'Recurring', one_time: 'One-time' }) },
    { name: 'intervalCount', label: 'Every', ...whole },
    { name: 'interval', label: 'Interval', options: INTERVALS.map((each) => [each, each]), isShown: isRecurring },
    {
      ...{ name: 'trialDays', label: 'Trial days', placeholder: 'None', ...whole },
      isShown: (chosen) => isRecurring(chosen) && !isMetered(chosen),
    },
    { name: 'maxCycles', label: 'Most payments', placeholder: 'No limit', ...whole },
    {
      name: 'model',
      label: 'Each charge is',
      isShown: isRecurring,
      options: [
        ['fixed', 'the amount'],
        ['per_unit', 'the amount for each unit, such as a seat'],
        ['metered', 'what was used, by unit'],
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
      options: Object.entries({ merchant: 'You', customer: 'You and the payer' }),
      hint: 'A payer chooses it at the checkout, and changes it in the portal.',
    },
    { name: 'includedUnits', label: 'Included units', placeholder: 'None', ...whole, isShown: isMetered },
    {
      ...{ name: 'capAmount', label: 'Most of a charge', placeholder: '50.00', ...decimal, isShown: isMetered },
      hint: readAs(capAmount) ?? 'Payers sign for this amount. No charge is ever above it.',
    },
    {
      name: 'aboveCap',
      label: 'Use above it',
      isShown: isMetered,
      options: Object.entries({ carry: 'is charged later', refuse: 'is not accepted' }),
    },
    {
      ...{ name: 'thresholdAmount', label: 'Charge already at', placeholder: 'Only after each period', ...decimal },
      ...{ required: false, isShown: isMetered },
      hint: readAs(thresholdAmount) ?? 'As soon as the use costs so much, and the rest after each period.',
    },
    {
      ...{ name: 'windowCapAmount', label: 'Most in any 30 days', placeholder: '200.00', ...decimal },
      isShown: (chosen) => isMetered(chosen) && thresholdAmount.trim() !== '',
      hint: readAs(windowCapAmount) ?? 'Payers sign for this too. A charge above it waits until it fits.',
    },
  ];
}

/** A price as it is typed. */
export function usePriceDraft() {
  const { values: texts, onChange } = useValues(NEW_PRICE);
  const [acceptedTokens, setTokens] = useState<readonly string[]>([]);
  const [tiers, setTiers] = useState<readonly Tier[]>([]);
  const input = () => pricingInput({ texts, acceptedTokens, tiers });
  return { texts, onChange, acceptedTokens, setTokens, tiers, setTiers, input };
}

/** Another price of further units, as it is typed. */
interface Tier {
  readonly above: string;
  readonly amount: string;
}

type PriceDraft = ReturnType<typeof usePriceDraft>;
type Typed = Pick<PriceDraft, 'texts' | 'acceptedTokens' | 'tiers'>;

/** The price as the API takes it, which checks it. */
function pricingInput({ texts, acceptedTokens, tiers }: Typed): PricingOptionInput {
  const common = {
    label: textOrNull(texts.label),
    amount: decimalOf(texts.amount),
    currency: texts.currency,
    acceptedTokens: [...acceptedTokens],
  };
  if (texts.type === 'one_time') return { ...common, billing: { type: 'one_time' } };
  const interval = INTERVALS.find((each) => each === texts.interval) ?? 'month';
  return {
    ...common,
    billing: { type: 'recurring', interval, intervalCount: wholeOrNull(texts.intervalCount) },
    trialDays: isMetered(texts) ? null : wholeOrNull(texts.trialDays),
    maxCycles: wholeOrNull(texts.maxCycles),
    ...modelInput(texts, tiers),
  };
}

function decimalOf(typed: string): string {
  return typedDecimal(typed) ?? typed.trim();
}

function modelInput(texts: PriceDraft['texts'], tiers: readonly Tier[]): Partial<PricingOptionInput> {
  if (texts.model === 'fixed') return {};
  if (texts.model === 'metered')
    return {
      model: 'metered',
      includedUnits: wholeOrNull(texts.includedUnits),
      tiers: tiers.map(({ above, amount }) => ({ above: wholeOrNull(above) ?? 0, amount: decimalOf(amount) })),
      capAmount: decimalOf(texts.capAmount),
      aboveCap: texts.aboveCap === 'refuse' ? 'refuse' : 'carry',
      ...(texts.thresholdAmount.trim() === ''
        ? {}
        : { thresholdAmount: decimalOf(texts.thresholdAmount), windowCapAmount: decimalOf(texts.windowCapAmount) }),
    };
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

/** The fault of a whole number; null: nothing, or it is empty. */
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
        <Fields fields={priceFields(currencies, texts)} values={texts} onChange={onChange} />
      </div>
      {isMetered(texts) && <Tiers draft={draft} />}
      <TokenChoice draft={draft} chains={chains} />
    </>
  );
}

/** Units above a number may have another price. */
function Tiers({ draft: { tiers, setTiers } }: { readonly draft: PriceDraft }) {
  const change = (at: number, part: Partial<Tier>) =>
    setTiers(tiers.map((tier, index) => (index === at ? { ...tier, ...part } : tier)));
  return (
    <fieldset class="stack-tight" name="tiers">
      <legend>
        <strong>Prices of further units</strong>
      </legend>
      <FieldError name="tiers" />
      {tiers.map(({ above, amount }, at) => (
        <div key={String(at)} class="grid fields">
          <Field
            {...{ label: `Units above, line ${at + 1}`, inputMode: 'numeric', placeholder: '1000', required: true }}
            {...{ value: above, check: wrongWhole }}
            onInput={(text) => change(at, { above: text })}
          />
          <Field
            {...{ label: `Price of each, line ${at + 1}`, inputMode: 'decimal', placeholder: '0.008', required: true }}
            {...{ value: amount, check: wrongDecimal, hint: readAs(amount) }}
            onInput={(text) => change(at, { amount: text })}
          />
        </div>
      ))}
      <div class="row">
        <Button size="small" onClick={() => setTiers([...tiers, { above: '', amount: '' }])}>
          Add a line
        </Button>
        {tiers.length > 0 && (
          <Button size="small" onClick={() => setTiers(tiers.slice(0, -1))}>
            Remove the last line
          </Button>
        )}
      </div>
    </fieldset>
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
      {chain.tokens.map((token) => (
        <label key={token.key} class="check">
          <input
            type="checkbox"
            checked={acceptedTokens.includes(token.key)}
            onChange={(event) => toggle(token.key, event.currentTarget.checked)}
          />
          {tokenName(chain.tokens, token)}
        </label>
      ))}
    </fieldset>
  );
}
