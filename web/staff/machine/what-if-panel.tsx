import { useState } from 'preact/hooks';
import type { WhatIfView } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Select } from '../../ui/select.tsx';
import { StatusRegion } from '../../ui/status-region.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { get } from '../api.ts';
import { pathOf } from '../route.ts';
import { momentText, toneOf } from '../shared/words.ts';
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

/** "Advance this copy by 2 months": a simulation with a chosen outcome. Nothing is changed. */
export function WhatIfPanel({ id }: { readonly id: string }) {
  const [supposed, setSupposed] = useState({ months: '2', outcome: 'settles', failures: '', authorizes: false });
  const [result, setResult] = useState<WhatIfView | null>(null);
  const { isBusy, problem, act } = useAction();
  const set = (change: Partial<typeof supposed>) => setSupposed((before) => ({ ...before, ...change }));
  const simulate = async () =>
    setResult(await get<WhatIfView>(`${pathOf('subscription', id)}/what-if?${queryOf(supposed)}`));
  const run = async (event: Event) => {
    event.preventDefault();
    if (!(await act(simulate))) setResult(null);
  };
  return (
    <Panel title="What if" testId="what-if">
      <form class="grid what-if" onSubmit={run}>
        <Select
          label="Advance this copy by"
          value={supposed.months}
          onChange={(months) => set({ months })}
          options={[1, 2, 3, 6, 12, 24].map((count) => [String(count), count === 1 ? '1 month' : `${count} months`])}
        />
        <Select
          label="and suppose that"
          value={supposed.outcome}
          onChange={(outcome) => set({ outcome })}
          options={OUTCOMES}
        />
        <Select
          label="for"
          value={supposed.failures}
          onChange={(failures) => set({ failures })}
          options={[
            ['', 'every attempt'],
            ['1', 'the first attempt'],
            ['2', 'the first 2 attempts'],
            ['3', 'the first 3 attempts'],
          ]}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={supposed.authorizes}
            onChange={(event) => set({ authorizes: event.currentTarget.checked })}
          />
          the payer allows the charges now
        </label>
        <Button type="submit" variant="primary" busy={isBusy}>
          Run the copy
        </Button>
      </form>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      <div class="stack" data-testid={result === null ? undefined : 'what-if-result'}>
        <StatusRegion>{result !== null && <Summary result={result} />}</StatusRegion>
        {result !== null && <Details result={result} />}
      </div>
    </Panel>
  );
}

function queryOf({
  months,
  outcome,
  failures,
  authorizes,
}: Record<'months' | 'outcome' | 'failures', string> & { authorizes: boolean }) {
  return new URLSearchParams({
    months,
    outcome,
    ...(failures === '' ? {} : { failures }),
    ...(authorizes ? { authorizes: 'true' } : {}),
  });
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
