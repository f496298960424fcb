import type { ActorKind, Diagram, Inspection } from '../../src/staff/wire.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { ActionsPanel } from './actions-panel.tsx';
import { Answers } from './answers.tsx';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { DiagramView } from './diagram-view.tsx';
import { EventsPanel } from './events-panel.tsx';
import { JournalPanel } from './journal-panel.tsx';
import { LoadFailed } from './load-failed.tsx';
import { MoneyPanel } from './money-panel.tsx';
import { hrefOf, pathOf } from './route.ts';
import { SnapshotPanel } from './snapshot-panel.tsx';
import { SteppingPanel } from './stepping-panel.tsx';
import { type Loaded, useLoad } from './use-load.ts';
import { useStaffTitle } from './use-staff-title.ts';
import { WhatIfPanel } from './what-if-panel.tsx';
import { distanceText, momentText, toneOf } from './words.ts';

export interface ActorPageProps {
  readonly kind: ActorKind;
  readonly id: string;
}

/** Everything about one subscription, payment or delivery: first the answers, then the facts behind them. */
export function ActorPage({ kind, id }: ActorPageProps) {
  const loaded = useLoad<Inspection>(pathOf(kind, id));
  const { value: seen, error, isLoading, reload } = loaded;
  const machine = useLoad<Diagram>(`/machines/${kind}`);
  useStaffTitle(error ?? (seen === null ? id : `${seen.title}: ${seen.status}`));
  if (error !== null) {
    return (
      <LoadFailed loaded={loaded}>
        No {kind} has the id <code>{id}</code>.
      </LoadFailed>
    );
  }
  if (seen === null) return <p class="soft">Loading…</p>;
  return (
    <div class="stack">
      <Head seen={seen} isLoading={isLoading} reload={reload} />
      {seen.notes.map(({ name, text }) => (
        <div key={name} data-note={name}>
          <Notice tone="warn" title={name}>
            {text}
          </Notice>
        </div>
      ))}
      <Answers seen={seen} />
      <Standing seen={seen} machine={machine} />
      <ActionsPanel seen={seen} reload={reload} />
      <MoneyPanel seen={seen} reload={reload} />
      <DeliveriesPanel deliveries={seen.deliveries} isOne={seen.kind === 'delivery'} />
      {seen.replay !== null && <JournalPanel seen={seen} />}
      {seen.replay !== null && machine.value !== null && <SteppingPanel seen={seen} diagram={machine.value} />}
      {seen.kind === 'subscription' && <WhatIfPanel id={seen.id} />}
      <EventsPanel events={seen.events} />
      <SnapshotPanel seen={seen} />
    </div>
  );
}

interface HeadProps {
  readonly seen: Inspection;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

function Head({ seen, isLoading, reload }: HeadProps) {
  const { kind, id, title, status, mode, merchant, spellings, createdAt, clockOffsetMs, now } = seen;
  return (
    <section class="card stack-tight" aria-labelledby="title">
      <div class="spread">
        <h1 id="title">{title}</h1>
        <span class="row">
          <Badge>{kind}</Badge>
          <span data-testid="status">
            <Badge tone={toneOf(status)}>{status}</Badge>
          </span>
          <Badge tone={mode === 'live' ? 'accent' : 'plain'}>{mode}</Badge>
          <Button size="small" busy={isLoading} onClick={reload}>
            Reload
          </Button>
        </span>
      </div>
      <p class="small">
        <code>{id}</code>
        {spellings.map((spelling) => (
          <span key={spelling} class="soft">
            {' '}
            · <code>{spelling}</code>
          </span>
        ))}
      </p>
      <p class="small soft">
        {merchant.name} ({merchant.id}
        {merchant.status === 'suspended' && ', suspended'}) · created {momentText(createdAt)}
        {clockOffsetMs > 0 && ` · its own clock shows ${momentText(now)}`}
      </p>
      <p class="row small">
        {seen.related.map(({ kind: of, id: other, label }) => (
          <a key={other} href={hrefOf(of, other) ?? '#/'}>
            {label}
          </a>
        ))}
      </p>
    </section>
  );
}

function Standing({ seen, machine }: { readonly seen: Inspection; readonly machine: Loaded<Diagram> }) {
  const [current] = seen.path;
  return (
    <section class="card stack" aria-labelledby="standing">
      <h2 id="standing">Present state</h2>
      <p data-testid="place">
        <strong>{current?.id ?? seen.status}</strong>
        {current?.description && <span class="soft"> — {current.description}</span>}
      </p>
      {seen.waits !== null && (
        <p data-testid="waits">
          Waits for: {seen.waits.what}
          {seen.waits.until !== null && (
            <>
              ; until <strong>{momentText(seen.waits.until)}</strong> UTC ({distanceText(seen.waits.until, seen.now)})
            </>
          )}
        </p>
      )}
      {machine.value !== null && <DiagramView diagram={machine.value} current={current?.id ?? null} />}
      {machine.error !== null && <LoadFailed loaded={machine}>No diagram exists for this {seen.kind}.</LoadFailed>}
    </section>
  );
}
