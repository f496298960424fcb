import { useId } from 'preact/hooks';
import { Field } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import type { BillingInterval, Chain } from '../merchant-api.ts';
import type { PriceDraft } from './price-draft.ts';

const FIAT = ['USD', 'EUR', 'GBP'] as const;
const INTERVALS: readonly BillingInterval[] = ['day', 'week', 'month', 'year'];

export interface PriceFieldsProps {
  readonly draft: PriceDraft;
  readonly onChange: (change: Partial<PriceDraft>) => void;
  readonly chains: readonly Chain[];
}

/** The fields of a new price. */
export function PriceFields({ draft, onChange, chains }: PriceFieldsProps) {
  const tickers = chains.flatMap(({ tokens }) => tokens.map(({ ticker }) => ticker));
  const currencies = [...new Set([...FIAT, ...tickers])];
  return (
    <>
      <Field
        label="Label"
        hint="Shown at checkout, beside the price. May be empty."
        value={draft.label}
        onInput={(label) => onChange({ label })}
      />
      <div class="fields">
        <Field
          label="Amount"
          inputMode="decimal"
          placeholder="9.90"
          required
          value={draft.amount}
          onInput={(amount) => onChange({ amount })}
        />
        <Select
          label="Currency"
          value={draft.currency}
          onChange={(currency) => onChange({ currency })}
          options={currencies.map((each) => [each, each])}
        />
        <Select
          label="Billing"
          value={draft.type}
          onChange={(type) => onChange({ type: type === 'one_time' ? 'one_time' : 'recurring' })}
          options={[
            ['recurring', 'Recurring'],
            ['one_time', 'One-time'],
          ]}
        />
      </div>
      {draft.type === 'recurring' && <RecurringFields draft={draft} onChange={onChange} />}
      <TokenChoice draft={draft} onChange={onChange} chains={chains} />
    </>
  );
}

function RecurringFields({ draft, onChange }: Omit<PriceFieldsProps, 'chains'>) {
  return (
    <div class="fields">
      <Field
        label="Every"
        inputMode="numeric"
        value={draft.intervalCount}
        onInput={(intervalCount) => onChange({ intervalCount })}
      />
      <Select
        label="Interval"
        value={draft.interval}
        onChange={(value) => onChange({ interval: INTERVALS.find((each) => each === value) ?? 'month' })}
        options={INTERVALS.map((each) => [each, each])}
      />
      <Field
        label="Trial days"
        inputMode="numeric"
        placeholder="None"
        value={draft.trialDays}
        onInput={(trialDays) => onChange({ trialDays })}
      />
      <Field
        label="Most payments"
        inputMode="numeric"
        placeholder="No limit"
        value={draft.maxCycles}
        onInput={(maxCycles) => onChange({ maxCycles })}
      />
    </div>
  );
}

/** Chains on which this installation cannot charge now come last, closed: an offer may name their tokens too. */
function TokenChoice(props: PriceFieldsProps) {
  const enabled = props.chains.filter((chain) => chain.enabled);
  const others = props.chains.filter((chain) => !chain.enabled);
  return (
    <div class="stack-tight">
      <strong>Accepted tokens</strong>
      {enabled.map((chain) => (
        <ChainTokens key={chain.chainId} {...props} chain={chain} />
      ))}
      {others.length > 0 && (
        <details>
          <summary>Chains that are not enabled on this installation</summary>
          {others.map((chain) => (
            <ChainTokens key={chain.chainId} {...props} chain={chain} />
          ))}
        </details>
      )}
    </div>
  );
}

function ChainTokens({ draft, onChange, chain }: PriceFieldsProps & { readonly chain: Chain }) {
  const id = useId();
  const { acceptedTokens } = draft;
  const toggle = (key: string, isAccepted: boolean) =>
    onChange({
      acceptedTokens: isAccepted ? [...acceptedTokens, key] : acceptedTokens.filter((each) => each !== key),
    });
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
