import { useState } from 'preact/hooks';
import type { Asked, Line, Sum } from '../../../src/checkout/wire.ts';
import { money } from '../../ui/decimal.ts';
import { Field } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Table } from '../../ui/table.tsx';
import { type Choice, chosenValue } from '../choice.ts';
import { durationOf, type Order } from '../order.ts';
import { MONEY_STAYS, UNLIMITED } from '../promise.ts';
import { plural } from '../words.ts';
import { RadioCard } from './radio-card.tsx';

export interface ConsentProps {
  readonly sum: Sum;
  readonly place: Pick<Asked, 'playing' | 'chainFamily' | 'ticker' | 'operator'>;
  readonly offerName: string;
  readonly merchantName: string;
  /** The rhythm of the own charges; null: paid once. */
  readonly every: Order['every'];
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

/** The amount to approve in one line; its parts, and the choice of another amount, on request. */
export function Consent(props: ConsentProps) {
  const { sum, place, merchantName, choice } = props;
  const chosen = chosenValue(choice, sum, place);
  // Only at first: a part that closes while somebody chooses would take the choice away.
  const [isOpenAtFirst] = useState(choice.kind !== 'asked');
  return (
    <section class="stack" aria-labelledby="consent-title" data-part="consent">
      <h2 id="consent-title">What you approve</h2>
      <p>
        <strong>{merchantName}</strong> may charge this wallet {limitOf(props)}. End it at any time. {MONEY_STAYS}
      </p>
      {choice.kind === 'unlimited' && (
        <Notice tone="warn" title="This approval has no limit">
          <p>{UNLIMITED[place.chainFamily]}</p>
        </Notice>
      )}
      <details open={isOpenAtFirst}>
        <summary>Change the amount</summary>
        <div class="stack">
          <Parts {...props} />
          <AmountChoice {...props} />
        </div>
      </details>
      <details>
        <summary>Details that your wallet shows</summary>
        <dl class="facts">
          <dt>Network</dt>
          <dd>
            {place.playing.label} ({place.playing.chainId})
          </dd>
          <dt>Token</dt>
          <dd class="code">{place.playing.token}</dd>
          <dt>{place.chainFamily === 'evm' ? 'Spender' : 'Delegate'}</dt>
          <dd class="code">{place.operator}</dd>
          <dt>Amount</dt>
          <dd>{chosen.ok ? amountShown(choice, chosen.value, sum, place) : '–'}</dd>
        </dl>
      </details>
    </section>
  );
}

/** "at most 120.00 USDC, enough for 12 charges (1 year)". */
function limitOf({ sum, place: { ticker }, every, choice }: ConsentProps) {
  if (choice.kind === 'unlimited') return 'without a limit in all';
  if (choice.kind === 'other') return <>at most the amount that you enter below</>;
  const [own, ...others] = sum.lines;
  const charges = sum.lines.reduce((count, { cycles }) => count + cycles, 0);
  const lasts = own && others.length === 0 && every !== null && own.cycles > 1 ? durationOf(own.cycles, every) : null;
  return (
    <>
      at most{' '}
      <strong class="number" data-part="total">
        {money(sum.total, ticker)}
      </strong>
      , enough for {plural(charges, 'charge')}
      {lasts !== null && ` (${lasts})`}
    </>
  );
}

function Parts({ sum, place, offerName }: ConsentProps) {
  const nameOf = (line: Line, index: number) => line.offerName ?? (index === 0 ? offerName : 'Another subscription');
  const rows = sum.lines.map((line, index) => ({ ...line, key: String(index), name: nameOf(line, index) }));
  return (
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
                {plural(cycles, 'charge')} of {money(amount, place.ticker)}
              </div>
            </>
          ),
        },
        { title: 'Amount', cell: ({ total }) => money(total, place.ticker), isNumber: true },
      ]}
    />
  );
}

function AmountChoice({ sum, place, choice, onChoose }: ConsentProps) {
  const { ticker } = place;
  const chosen = chosenValue(choice, sum, place);
  return (
    <fieldset class="choices stack-tight">
      <legend>Amount</legend>
      <RadioCard name="amount" checked={choice.kind === 'asked'} onChoose={() => onChoose({ kind: 'asked' })}>
        <span class="number">{money(sum.total, ticker)}</span>
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
          hint={`At least ${money(sum.least, ticker)}. When it is used up, you have to approve again.`}
        />
      )}
      <RadioCard name="amount" checked={choice.kind === 'unlimited'} onChoose={() => onChoose({ kind: 'unlimited' })}>
        <span>
          No limit<span class="small soft"> you never have to approve again</span>
        </span>
      </RadioCard>
    </fieldset>
  );
}

function amountShown(choice: Choice, value: bigint, sum: Sum, { ticker }: ConsentProps['place']): string {
  if (choice.kind === 'unlimited') return 'no limit';
  return `${choice.kind === 'other' ? choice.text : sum.total} ${ticker} (${value} base units)`;
}
