import type { Diagram, Inspection } from '../../../src/staff/wire.ts';
import { LoadFailed } from '../../ui/load-failed.tsx';
import type { Loaded } from '../shared/use-load.ts';
import { DiagramView } from './diagram-view.tsx';
import { EventsPanel } from './events-panel.tsx';
import { SnapshotPanel } from './snapshot-panel.tsx';
import { SteppingPanel } from './stepping-panel.tsx';
import { WhatIfPanel } from './what-if-panel.tsx';

/** The machine with its present state, its way there, what could come, and the document. */
export function MachinePanel({ seen, machine }: { readonly seen: Inspection; readonly machine: Loaded<Diagram> }) {
  const [current] = seen.path;
  return (
    <>
      <section class="card stack" aria-labelledby="diagram">
        <h2 id="diagram">Diagram</h2>
        {machine.value !== null && (
          <DiagramView
            diagram={machine.value}
            current={current?.id ?? null}
            journal={seen.replay === null ? null : seen.journal}
          />
        )}
        {machine.error !== null && <LoadFailed loaded={machine}>No diagram exists for this {seen.kind}.</LoadFailed>}
      </section>
      {seen.replay !== null && machine.value !== null && <SteppingPanel seen={seen} diagram={machine.value} />}
      {seen.kind === 'subscription' && <WhatIfPanel id={seen.id} />}
      <EventsPanel events={seen.events} />
      <SnapshotPanel seen={seen} />
    </>
  );
}
