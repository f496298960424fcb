import { useEffect, useState } from 'preact/hooks';
import type { Diagram, EventVerdict, Inspection, Step, Steps, WhatIfView } from '../../../src/staff/wire.ts';
import { Badge, toneOf } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ActionForm, Fields, useValues } from '../../ui/form.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { queryOf } from '../../ui/own-api.ts';
import { Panel } from '../../ui/panel.tsx';
import { KeyedTable } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { Loaded } from '../../ui/use-load.ts';
import { get } from '../api.ts';
import { pathOf } from '../route.ts';
import { Json } from '../shared/json.tsx';
import { Sentence } from '../shared/reference.tsx';
import { distanceText, momentText } from '../shared/words.ts';
import { ChangesTable } from './changes-table.tsx';
import { DiagramView } from './diagram-view.tsx';

/** The machine with its present state, its way there, what could come, and the document. */
export function MachinePanel({ seen, machine }: { readonly seen: Inspection; readonly machine: Loaded<Diagram> }) {
  const [current] = seen.path;
  return (
    <>
      <PresentState seen={seen} />
      <Panel title="Diagram">
        <WhenLoaded loaded={machine} missing={`No diagram exists for this ${seen.kind}.`}>
          {(diagram) => (
            <DiagramView
              diagram={diagram}
              current={current?.id ?? null}
              journal={seen.replay === null ? null : seen.journal}
            />
          )}
        </WhenLoaded>
      </Panel>
      {seen.replay !== null && machine.value !== null && <SteppingPanel seen={seen} diagram={machine.value} />}
      {seen.kind === 'subscription' && <WhatIfPanel id={seen.id} />}
      <Panel title="Events and snapshot">
        <PossibleEvents events={seen.events} />
        <Json title={`The snapshot as stored, revision ${seen.rev}`} value={seen.stored} testId="stored" />
      </Panel>
    </>
  );
}

function PresentState({ seen: { path, status, waits, now } }: { readonly seen: Inspection }) {
  const [current] = path;
  return (
    <Panel title="Present state" look="stack-tight">
      <p data-testid="state">
        <strong>{current?.id ?? status}</strong>
        {current?.description && <span class="soft"> — {current.description}</span>}
      </p>
      {waits !== null && (
        <p data-testid="waits">
          Waits for <Sentence text={waits.what} />
          {waits.until !== null && (
            <>
              ; until <strong>{momentText(waits.until)}</strong> ({distanceText(waits.until, now)})
            </>
          )}
        </p>
      )}
    </Panel>
  );
}

const VERDICTS = ['changes', 'acknowledges', 'refuses'] as const;
const TONES = { changes: 'good', acknowledges: 'plain', refuses: 'warn' } as const;
const WORDS = { changes: 'accepts', acknowledges: 'acknowledges', refuses: 'refuses' } as const;

/** Every event that is possible now, and the machine's reaction; for a refused one, the reason. Folded: it is long. */
function PossibleEvents({ events }: { readonly events: readonly EventVerdict[] }) {
  if (events.length === 0) return null;
  const counts = VERDICTS.map((each) => `${WORDS[each]} ${events.filter(({ verdict }) => verdict === each).length}`);
  return (
    <details>
      <summary>
        {events.length} possible events: it {counts.join(', ')}
      </summary>
      <KeyedTable
        caption="Possible events, and the reaction of the machine now"
        rows={events}
        keyOf={({ type, assuming }) => `${type} ${assuming}`}
        columns={{
          Event: ({ type, by, assuming }) => (
            <>
              <code data-event={type}>{type}</code>
              <div class="small soft">
                by {by}
                {assuming !== null && `; ${assuming}`}
              </div>
            </>
          ),
          Verdict: ({ verdict }) => <Badge tone={TONES[verdict]}>{WORDS[verdict]}</Badge>,
          'Effect, or reason of the refusal': (event) => <Follows event={event} />,
        }}
      />
    </details>
  );
}

function Follows({ event }: { readonly event: EventVerdict }) {
  const { verdict, to, effects, why, refusedBy } = event;
  if (verdict === 'refuses') {
    return (
      <>
        {why}
        {refusedBy.length > 0 && (
          <div class="small soft">
            refused by <code>{refusedBy.join(', ')}</code>
          </div>
        )}
      </>
    );
  }
  if (verdict === 'acknowledges') return <span class="soft">Nothing changes.</span>;
  return (
    <>
      <code>{to}</code>
      {effects.length > 0 && <div class="small soft">then {effects.join(', ')}</div>}
    </>
  );
}

const PAGE = 200;

/** The journal step by step, as replay computes it: by slider, arrow keys or buttons. */
function SteppingPanel({ seen, diagram }: { readonly seen: Inspection; readonly diagram: Diagram }) {
  const [steps, setSteps] = useState<readonly Step[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const { isBusy, problem: refusal, act } = useAction();
  const [at, setAt] = useState(1);
  const begin = async () => {
    const read = await readSteps(seen);
    setSteps(read.steps);
    setProblem(read.problem);
    setAt(1);
  };
  const shown = refusal ?? problem;
  useEffect(() => {
    setSteps(null);
  }, [seen.rev]);
  return (
    <Panel title="Step through the journal" testId="stepping">
      {shown !== null && <Notice tone="bad">{shown}</Notice>}
      {steps === null ? (
        <p>
          <Button onClick={() => void act(begin)} busy={isBusy}>
            Replay {seen.rev} steps
          </Button>
        </p>
      ) : (
        <Stepper steps={steps} at={at} setAt={setAt} diagram={diagram} />
      )}
    </Panel>
  );
}

async function readSteps(seen: Inspection): Promise<{ readonly steps: Step[]; readonly problem: string | null }> {
  const steps: Step[] = [];
  for (;;) {
    const page = await get<Steps>(`${pathOf(seen.kind, seen.id)}/steps?from=${steps.length + 1}&limit=${PAGE}`);
    steps.push(...page.steps);
    if (page.steps.length < PAGE) return { steps, problem: page.problem };
  }
}

interface StepperProps {
  readonly steps: readonly Step[];
  readonly at: number;
  readonly setAt: (at: number) => void;
  readonly diagram: Diagram;
}

function Stepper({ steps, at, setAt, diagram }: StepperProps) {
  const step = steps[at - 1];
  const previous = steps[at - 2]?.to ?? null;
  if (step === undefined) return <p class="soft">The journal is empty.</p>;
  const go = (to: number) => setAt(Math.min(steps.length, Math.max(1, to)));
  return (
    <div class="stack">
      <div class="slider">
        <Button size="small" label="The step before" disabled={at === 1} onClick={() => go(at - 1)}>
          ←
        </Button>
        <label class="visually-hidden" for="step">
          Step
        </label>
        <input
          id="step"
          type="range"
          min={1}
          max={steps.length}
          value={at}
          aria-valuetext={`Step ${at} of ${steps.length}: ${step.type}, ${step.to}`}
          onInput={(event) => go(Number(event.currentTarget.value))}
        />
        <Button size="small" label="The next step" disabled={at === steps.length} onClick={() => go(at + 1)}>
          →
        </Button>
      </div>
      <p data-testid="step" aria-live="polite">
        Step {at} of {steps.length}: <strong>{step.type}</strong> by <code>{step.by}</code>, {momentText(step.at)}
        {step.reason !== null && <span class="typed"> (“{step.reason}”)</span>} —{' '}
        {step.from === step.to ? `stays ${step.to}` : `${step.from} → ${step.to}`}
      </p>
      <DiagramView
        diagram={diagram}
        current={step.to}
        previous={previous !== step.to ? previous : null}
        journal={steps.slice(0, at)}
      />
      <ChangesTable changes={step.changes} caption="Changes in this step" />
      {step.state === null ? (
        <Notice>This step is before the last upcast. Replay skips it, because its machine may no longer exist.</Notice>
      ) : (
        <Json title="The whole context after this step" value={step.state.context} testId="context" />
      )}
    </div>
  );
}

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
function WhatIfPanel({ id }: { readonly id: string }) {
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
      <KeyedTable
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
