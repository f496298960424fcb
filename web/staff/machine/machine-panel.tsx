import type { Diagram, Inspection } from '../../../src/staff/wire.ts';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { DiagramView } from './diagram-view.tsx';
import { EventsPanel } from './events-panel.tsx';
import { SteppingPanel } from './stepping-panel.tsx';
import { WhatIfPanel } from './what-if-panel.tsx';

/** The machine with its present state, its way there, what could come, and the document. */
export function MachinePanel({ seen, machine }: { readonly seen: Inspection; readonly machine: Loaded<Diagram> }) {
  const [current] = seen.path;
  return (
    <>
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
      <EventsPanel events={seen.events} />
      <Panel title="Snapshot as stored">
        <details>
          <summary>
            Revision {seen.rev} of <code>{seen.id}</code>
          </summary>
          <pre class="exact json" data-testid="stored">
            {JSON.stringify(seen.stored, null, 2)}
          </pre>
        </details>
      </Panel>
    </>
  );
}
