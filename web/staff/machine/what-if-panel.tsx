import { useState } from 'preact/hooks';
import type { WhatIfView } from '../../../src/staff/wire.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Fields, useValues } from '../../ui/fields.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Panel } from '../../ui/panel.tsx';
import { toneOf } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { get } from '../api.ts';
import { pathOf } from '../route.ts';
import { momentText } from '../shared/words.ts';
import { ChangesTable } from './changes-table.tsx';

const OUTCOMES: readonly (readonly [value: string, text: string])[] = [
  ['settles', 'every charge settles'],
  ['insufficient_balance', 'the wallet has too little'],
  ['insufficient_allowance', 'the wallet allows too little'],
  ['pull_reverted', 'the token refuses the transfer'],
  ['no_payout_wallet', 'the merchant has no payout wallet'],
  ['not_enabled', 'the chain is not enabled'],
  ['sold_out', 'the offer is sold out'],
  ['merchant_suspended', 'the merchant is suspended'],
];

const FIELDS = [
  {
    name: 'months',
    label: 'Advance this copy by',
    options: [1, 2, 3, 6, 12, 24].map((count) => [`${count}`, count === 1 ? '1 month' : `${count} months`] as const),
  },
  { name: 'outcome', label: 'and suppose that', options: OUTCOMES },
  {
    name: 'failures',
    label: 'for',
    options: [
      ['', 'every attempt'],
      ['1', 'the first attempt'],
      ['2', 'the first 2 attempts'],
      ['3', 'the first 3 attempts'],
    ],
  },
] as const;

/** "Advance this copy by 2 months": a simulation with a chosen outcome. Nothing is changed. */
export function WhatIfPanel({ id }: { readonly id: string }) {
  const { values, onChange } = useValues({ months: '2', outcome: 'settles', failures: '' });
  const [authorizes, setAuthorizes] = useState(false);
  const [result, setResult] = useState<WhatIfView | null>(null);
  const simulate = async () => {
    setResult(null);
    const query = queryOf({ ...values, authorizes: authorizes ? 'true' : null });
    setResult(await get<WhatIfView>(`${pathOf('subscription', id)}/what-if${query}`));
  };
  return (
    <Panel title="What if" testId="what-if">
      <ActionForm class="grid-wide" action="Run the copy" run={simulate}>
        <Fields fields={FIELDS} values={values} onChange={onChange} />
        <label class="check">
          <input
            type="checkbox"
            checked={authorizes}
            onChange={(event) => setAuthorizes(event.currentTarget.checked)}
          />
          the payer allows the charges now
        </label>
      </ActionForm>
      <div class="stack" data-testid={result === null ? undefined : 'what-if-result'}>
        <StatusRegion>{result !== null && <Summary result={result} />}</StatusRegion>
        {result !== null && <Details result={result} />}
      </div>
    </Panel>
  );
}

function Summary({ result: { end, stopped, until } }: { readonly result: WhatIfView }) {
  return (
    <Notice title="A simulation on a copy: nothing has been changed">
      By {momentText(until)} it would be <Badge tone={toneOf(end.status)}>{end.state}</Badge> and wait for{' '}
      {end.waits.what}
      {end.waits.until !== null && `; until ${momentText(end.waits.until)}`}.{stopped !== null && ` ${stopped}.`}
    </Notice>
  );
}

function Details({ result: { steps, changes } }: { readonly result: WhatIfView }) {
  return (
    <>
      <Table
        caption="Simulated events"
        rows={steps}
        keyOf={(step) => `${step.at} ${step.event} ${step.to} ${JSON.stringify(step.changes)}`}
        empty="Nothing would happen."
        columns={{
          When: ({ at }) => momentText(at),
          Event: ({ event }) => <code>{event}</code>,
          State: ({ from, to }) => (from === to ? to : `${from} → ${to}`),
          Then: ({ webhooks, effects }) => [...effects, ...webhooks].join(', '),
        }}
      />
      <details>
        <summary>Differences at the end</summary>
        <ChangesTable changes={changes} caption="Differences at the end" />
      </details>
    </>
  );
}
