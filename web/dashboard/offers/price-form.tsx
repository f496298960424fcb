import { useId, useState } from 'preact/hooks';
import { Fields, type FormField } from '../../ui/fields.tsx';
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
};

type Field = FormField<keyof typeof NEW_PRICE>;

const LABEL: readonly Field[] = [
  { name: 'label', label: 'Label', hint: 'Shown at checkout, beside the price. May be empty.' },
];

function priceFields(currencies: readonly string[]): readonly Field[] {
  return [
    { name: 'amount', label: 'Amount', inputMode: 'decimal', placeholder: '9.90', required: true },
    { name: 'currency', label: 'Currency', options: currencies.map((each) => [each, each]) },
    {
      name: 'type',
      label: 'Billing',
      options: [
        ['recurring', 'Recurring'],
        ['one_time', 'One-time'],
      ],
    },
  ];
}

const RECURRING: readonly Field[] = [
  { name: 'intervalCount', label: 'Every', inputMode: 'numeric' },
  { name: 'interval', label: 'Interval', options: INTERVALS.map((each) => [each, each]) },
  { name: 'trialDays', label: 'Trial days', inputMode: 'numeric', placeholder: 'None' },
  { name: 'maxCycles', label: 'Most payments', inputMode: 'numeric', placeholder: 'No limit' },
];

/** A price as it is typed. `input` throws if a whole number is none. */
export function usePriceDraft() {
  const [texts, setTexts] = useState(NEW_PRICE);
  const [acceptedTokens, setTokens] = useState<readonly string[]>([]);
  const onChange = (name: Field['name'], text: string) => setTexts((before) => ({ ...before, [name]: text }));
  return { texts, onChange, acceptedTokens, setTokens, input: () => pricingInput(texts, acceptedTokens) };
}

type PriceDraft = ReturnType<typeof usePriceDraft>;

/** The price as the API takes it, which checks it. */
function pricingInput(texts: PriceDraft['texts'], acceptedTokens: readonly string[]): PricingOptionInput {
  const common = {
    label: textOrNull(texts.label),
    amount: texts.amount.trim(),
    currency: texts.currency,
    acceptedTokens: [...acceptedTokens],
  };
  if (texts.type === 'one_time') return { ...common, billing: { type: 'one_time' } };
  const interval = INTERVALS.find((each) => each === texts.interval) ?? 'month';
  return {
    ...common,
    billing: { type: 'recurring', interval, intervalCount: wholeOrNull('Every', texts.intervalCount) },
    trialDays: wholeOrNull('Trial days', texts.trialDays),
    maxCycles: wholeOrNull('Most payments', texts.maxCycles),
  };
}

/** An empty field means none. */
export function textOrNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

/** Throws if the text is not a whole number; null if it is empty. */
export function wholeOrNull(label: string, text: string): number | null {
  const typed = text.trim();
  if (typed === '') return null;
  if (!/^\d{1,9}$/.test(typed)) throw new Error(`${label}: enter a whole number`);
  return Number(typed);
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
      <div class="fields">
        <Fields fields={priceFields(currencies)} values={texts} onChange={onChange} />
      </div>
      {texts.type === 'recurring' && (
        <div class="fields">
          <Fields fields={RECURRING} values={texts} onChange={onChange} />
        </div>
      )}
      <TokenChoice draft={draft} chains={chains} />
    </>
  );
}

/** Chains on which this installation cannot charge now come last, closed: an offer may name their tokens too. */
function TokenChoice({ draft, chains }: PriceFieldsProps) {
  const others = chains.filter((chain) => !chain.enabled);
  const tokensOf = (chain: Chain) => <ChainTokens key={chain.chainId} draft={draft} chain={chain} />;
  return (
    <div class="stack-tight">
      <strong>Accepted tokens</strong>
      {chains.filter((chain) => chain.enabled).map(tokensOf)}
      {others.length > 0 && (
        <details>
          <summary>Chains that are not enabled on this installation</summary>
          {others.map(tokensOf)}
        </details>
      )}
    </div>
  );
}

function ChainTokens({ draft, chain }: { readonly draft: PriceDraft; readonly chain: Chain }) {
  const id = useId();
  const { acceptedTokens, setTokens } = draft;
  const toggle = (key: string, isAccepted: boolean) =>
    setTokens(isAccepted ? [...acceptedTokens, key] : acceptedTokens.filter((each) => each !== key));
  return (
    <fieldset class="tokens" aria-labelledby={id}>
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
