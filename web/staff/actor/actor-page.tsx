import type { ActorKind, Diagram, Inspection } from '../../../src/staff/wire.ts';
import { MachinePanel } from '../machine/machine-panel.tsx';
import { pathOf, tabHref } from '../route.ts';
import { NotLoaded } from '../shared/not-loaded.tsx';
import { type Part, selectedOf, showTab, Tabbed } from '../shared/tabbed.tsx';
import { type Loaded, useLoad } from '../shared/use-load.ts';
import { useStaffTitle } from '../shared/use-staff-title.ts';
import { ActorHead } from './actor-head.tsx';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { JournalPanel } from './journal-panel.tsx';
import { MoneyPanel } from './money-panel.tsx';
import { OverviewPanel } from './overview-panel.tsx';

export interface ActorPageProps {
  readonly kind: ActorKind;
  readonly id: string;
  /** The name of the tab in the address; null or unknown: the first one. */
  readonly tab: string | null;
}

/**
 * Everything about one subscription, payment or delivery: first the answers, and in further tabs the facts behind them.
 */
export function ActorPage({ kind, id, tab }: ActorPageProps) {
  const loaded = useLoad<Inspection>(pathOf(kind, id));
  const { value: seen, error, isLoading, reload } = loaded;
  const machine = useLoad<Diagram>(`/machines/${kind}`);
  useStaffTitle(error ?? (seen === null ? id : `${seen.title}: ${seen.status}`));
  if (error !== null || seen === null) return <NotLoaded loaded={loaded} kind={kind} id={id} />;
  const parts = partsOf(seen, machine, reload);
  const selected = selectedOf(parts, tab);
  const head = (
    <ActorHead
      seen={seen}
      isLoading={isLoading}
      reload={reload}
      tabs={parts}
      selected={selected}
      onSelect={(name) => showTab(tabHref(kind, id, name))}
    />
  );
  return <Tabbed head={head} parts={parts} selected={selected} />;
}

function partsOf(seen: Inspection, machine: Loaded<Diagram>, reload: () => void): Part[] {
  const { kind, deliveries } = seen;
  const overview = { name: 'overview', title: 'Overview', content: <OverviewPanel seen={seen} /> };
  const states = { name: 'machine', title: 'Machine', content: <MachinePanel seen={seen} machine={machine} /> };
  if (kind === 'delivery') return [overview, states];
  return [
    overview,
    { name: 'money', title: 'Money', content: <MoneyPanel seen={seen} reload={reload} /> },
    { name: 'webhooks', title: 'Webhooks', content: <DeliveriesPanel deliveries={deliveries} isOne={false} /> },
    { name: 'journal', title: 'Journal', content: <JournalPanel seen={seen} /> },
    states,
  ];
}
