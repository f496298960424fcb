import { useEffect, useState } from 'preact/hooks';
import type { Diagram, Inspection, Step, Steps } from '../../../src/staff/wire.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { useAction } from '../../ui/use-action.ts';
import { get } from '../api.ts';
import { pathOf } from '../route.ts';
import { Json } from '../shared/json.tsx';
import { momentText } from '../shared/words.ts';
import { ChangesTable } from './changes-table.tsx';
import { DiagramView } from './diagram-view.tsx';

export interface SteppingPanelProps {
  readonly seen: Inspection;
  readonly diagram: Diagram;
}

const PAGE = 200;

/** The journal step by step, as replay computes it: by slider, arrow keys or buttons. */
export function SteppingPanel({ seen, diagram }: SteppingPanelProps) {
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
