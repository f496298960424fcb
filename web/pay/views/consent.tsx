import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import type { RequestedAllowance, Sum } from '../../../src/checkout/wire.ts';
import { isolated, say, sayRich } from '../../i18n/say.ts';
import { money } from '../../ui/decimal.ts';
import { Field } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Facts } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';
import { type Choice, chosenValue } from '../choice.ts';
import { UNLIMITED } from '../enforcement.ts';
import { durationOf, type Order } from '../order.ts';
import { Network } from './network.tsx';
import { RadioCard } from './radio-card.tsx';

export interface ConsentProps {
  readonly sum: Sum;
  readonly payToken: Pick<RequestedAllowance, 'playing' | 'chainFamily' | 'ticker' | 'operator'>;
  readonly merchantName: string;
  /** The rhythm of the own charges; null: paid once. */
  readonly every: Order['every'];
  readonly choice: Choice;
  readonly onChoose: (choice: Choice) => void;
}

/** The amount to approve in one line; its parts, and the choice of another amount, on request. */
export function Consent(props: ConsentProps) {
  const { sum, payToken, choice } = props;
  const chosen = chosenValue(choice, sum, payToken);
  // Only at first: a part that closes while somebody chooses would take the choice away. The other subscriptions appear
  // after the signature, so the payer has not seen them.
  const [isOpenAtFirst] = useState(choice.kind !== 'asked' || sum.lines.length > 1);
  return (
    <section class="stack" aria-labelledby="consent-title" data-part="consent">
      <h2 id="consent-title">{say('consent.title')}</h2>
      <p>
        {limitOf(props)} {say('promise.money_stays')}
      </p>
      {choice.kind === 'unlimited' && (
        <Notice tone="warn" title={say('consent.unlimited_title')}>
          <p>{say(UNLIMITED[payToken.chainFamily])}</p>
        </Notice>
      )}
      <details open={isOpenAtFirst}>
        <summary>{say('consent.change_amount')}</summary>
        <div class="stack">
          <Parts {...props} />
          <AmountChoice {...props} />
        </div>
      </details>
      <details>
        <summary>{say('consent.details')}</summary>
        <Facts
          facts={[
            [say('common.network'), <Network {...payToken.playing} />],
            [say('consent.token'), <code>{payToken.playing.token}</code>],
            [say(OPERATORS[payToken.chainFamily]), <code>{payToken.operator}</code>],
            [say('common.amount'), chosen.ok ? amountShown(choice, chosen.value, sum, payToken) : '–'],
          ]}
        />
      </details>
    </section>
  );
}

const OPERATORS = { evm: 'consent.spender', solana: 'consent.delegate' } as const;

/** "Acme may charge this wallet at most 120.00 USDC, enough for 12 charges (1 year)." */
function limitOf({ sum, payToken: { ticker }, merchantName: merchant, every, choice }: ConsentProps) {
  const values = { merchant, b: (parts: ComponentChild[]) => <strong>{parts}</strong> };
  if (choice.kind === 'unlimited') return sayRich<ComponentChild>('consent.unlimited', values);
  if (choice.kind === 'other') return sayRich<ComponentChild>('consent.other', values);
  const [own, ...others] = sum.lines;
  const charges = sum.lines.reduce((count, { cycles }) => count + cycles, 0);
  const lasts = own && others.length === 0 && every !== null && own.cycles > 1 ? durationOf(own.cycles, every) : null;
  const limited = {
    ...values,
    charges,
    sum: money(sum.total, ticker),
    total: (parts: ComponentChild[]) => (
      <strong class="number" data-part="total">
        {parts}
      </strong>
    ),
  };
  return lasts === null
    ? sayRich<ComponentChild>('consent.at_most', limited)
    : sayRich<ComponentChild>('consent.at_most_for', { ...limited, duration: lasts });
}

function Parts({ sum, payToken }: ConsentProps) {
  const rows = sum.lines.map((line, index) => ({ ...line, id: String(index) }));
  return (
    <Table
      caption={say('consent.parts')}
      rows={rows}
      columns={{
        [say('consent.for')]: ({ offerName, cycles, amount }) => (
          <>
            <bdi>{offerName}</bdi>
            <div class="small soft">
              {say('consent.charges_of', { charges: cycles, amount: money(amount, payToken.ticker) })}
            </div>
          </>
        ),
        [say('common.amount')]: { number: ({ total }) => money(total, payToken.ticker) },
      }}
    />
  );
}

function AmountChoice({ sum, payToken, choice, onChoose }: ConsentProps) {
  const { ticker } = payToken;
  const chosen = chosenValue(choice, sum, payToken);
  return (
    <fieldset class="choices stack-tight">
      <legend>{say('common.amount')}</legend>
      <RadioCard name="amount" checked={choice.kind === 'asked'} onChoose={() => onChoose({ kind: 'asked' })}>
        <span class="number">{money(sum.total, ticker)}</span>
      </RadioCard>
      <RadioCard
        name="amount"
        checked={choice.kind === 'other'}
        onChoose={() => onChoose({ kind: 'other', text: sum.total })}
      >
        <span>{say('consent.another_amount')}</span>
      </RadioCard>
      {choice.kind === 'other' && (
        <Field
          label={say('consent.amount_in', { ticker })}
          value={choice.text}
          inputMode="decimal"
          onInput={(text) => onChoose({ kind: 'other', text })}
          error={chosen.ok ? null : chosen.error}
          hint={say('consent.at_least', { least: money(sum.least, ticker) })}
        />
      )}
      <RadioCard name="amount" checked={choice.kind === 'unlimited'} onChoose={() => onChoose({ kind: 'unlimited' })}>
        <span>
          {sayRich<ComponentChild>('consent.no_limit', { note: (parts) => <span class="small soft">{parts}</span> })}
        </span>
      </RadioCard>
    </fieldset>
  );
}

function amountShown(choice: Choice, value: bigint, sum: Sum, { ticker }: ConsentProps['payToken']): string {
  if (choice.kind === 'unlimited') return say('consent.shown_no_limit');
  const amount = isolated(`${choice.kind === 'other' ? choice.text : sum.total} ${ticker}`);
  return say('consent.shown_amount', { amount, baseUnits: value.toString() });
}
