import type { Diagram, Inspection } from '../../../src/staff/wire.ts';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { Json } from '../shared/json.tsx';
import { Sentence } from '../shared/reference.tsx';
import { distanceText, momentText } from '../shared/words.ts';
import { DiagramView } from './diagram-view.tsx';
import { PossibleEvents } from './possible-events.tsx';
import { SteppingPanel } from './stepping-panel.tsx';
import { WhatIfPanel } from './what-if-panel.tsx';

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
