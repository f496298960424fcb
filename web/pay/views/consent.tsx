import type { Asked, Line, Sum } from '../../../src/checkout/wire.ts';
import { Field } from '../../ui/field.tsx';
import { Table } from '../../ui/table.tsx';
import { type Choice, chosenValue } from '../choice.ts';
import { MONEY_STAYS } from '../promise.ts';
import { plural } from '../words.ts';
import { RadioCard } from './radio-card.tsx';

export interface ConsentProps {
  readonly sum: Sum;
  readonly place: Pick<Asked, 'playing' | 'chainFamily' | 'ticker' | 'operator'>;
  readonly offerName: string;
  readonly merchantName: string;
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

/** The amount to approve, its receiver and its reason: the lines of the sum, and the choice of another amount. */
export function Consent({ sum, place, offerName, merchantName, choice, onChoose }: ConsentProps) {
  const { ticker, playing } = place;
  const nameOf = (line: Line, index: number) => line.offerName ?? (index === 0 ? offerName : 'Another subscription');
  const rows = sum.lines.map((line, index) => ({ ...line, key: String(index), name: nameOf(line, index) }));
  return (
    <section class="stack" aria-labelledby="consent-title" data-part="consent">
      <h2 id="consent-title">What you approve</h2>
      <p>
        <strong>{merchantName}</strong> may charge this wallet up to the amount below when charges fall due.{' '}
        {MONEY_STAYS}
      </p>
      <Table
        caption="The parts of the amount"
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          {
            title: 'For',
            cell: ({ name, cycles, amount }) => (
              <>
                {name}
                <div class="small soft">
                  {plural(cycles, 'charge')} of {amount}
                </div>
              </>
            ),
          },
          { title: ticker, cell: ({ total }) => total, isNumber: true },
        ]}
      />
      <AmountChoice {...{ sum, place, choice, onChoose }} />
      <details>
        <summary>Details that your wallet shows</summary>
        <dl class="facts">
          <dt>Network</dt>
          <dd>
            {playing.label} ({playing.chainId})
          </dd>
          <dt>Token</dt>
          <dd class="code">{playing.token}</dd>
          <dt>{place.chainFamily === 'evm' ? 'Spender' : 'Delegate'}</dt>
          <dd class="code">{place.operator}</dd>
          <dt>Amount</dt>
          <dd>{amountShown(choice, sum, place)}</dd>
        </dl>
      </details>
    </section>
  );
}

type ChoiceProps = Pick<ConsentProps, 'sum' | 'place' | 'choice' | 'onChoose'>;

function AmountChoice({ sum, place, choice, onChoose }: ChoiceProps) {
  const { ticker } = place;
  const charges = sum.lines.reduce((count, { cycles }) => count + cycles, 0);
  const chosen = chosenValue(choice, sum, place);
  return (
    <fieldset class="choices stack-tight">
      <legend>Amount</legend>
      <RadioCard name="amount" checked={choice.kind === 'asked'} onChoose={() => onChoose({ kind: 'asked' })}>
        <span>
          <strong class="number" data-part="total">
            {sum.total} {ticker}
          </strong>
          <span class="small soft"> enough for {plural(charges, 'charge')}</span>
        </span>
      </RadioCard>
      <RadioCard
        name="amount"
        checked={choice.kind === 'other'}
        onChoose={() => onChoose({ kind: 'other', text: sum.total })}
      >
        <span>Another amount</span>
      </RadioCard>
      {choice.kind === 'other' && (
        <Field
          label={`Amount in ${ticker}`}
          value={choice.text}
          inputMode="decimal"
          onInput={(text) => onChoose({ kind: 'other', text })}
          error={chosen.ok ? null : chosen.error}
          hint={`At least ${sum.least} ${ticker}. When it is used up, you have to approve again.`}
        />
      )}
      <RadioCard name="amount" checked={choice.kind === 'unlimited'} onChoose={() => onChoose({ kind: 'unlimited' })}>
        <span>
          No limit<span class="small soft"> you never have to approve again; the charges stay the same</span>
        </span>
      </RadioCard>
    </fieldset>
  );
}

function amountShown(choice: Choice, sum: Sum, place: ConsentProps['place']): string {
  if (choice.kind === 'unlimited') return 'no limit';
  const chosen = chosenValue(choice, sum, place);
  if (!chosen.ok) return '–';
  return `${choice.kind === 'other' ? choice.text : sum.total} ${place.ticker} (${chosen.value} base units)`;
}
