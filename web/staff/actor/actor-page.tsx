import type { ActorKind, Diagram, Inspection } from '../../../src/staff/wire.ts';
import { short } from '../../ui/copy-button.tsx';
import type { Loaded } from '../../ui/use-load.ts';
import { useLoad } from '../api.ts';
import { LettersAbout } from '../letters/letters-about.tsx';
import { MachinePanel } from '../machine/machine-panel.tsx';
import { hrefOfId, pathOf, tabHref } from '../route.ts';
import { type Head, type Part, ResourcePage } from '../shared/resource-page.tsx';
import { Actions } from './actions.tsx';
import { DeliveriesPanel } from './deliveries-panel.tsx';
import { JournalPanel } from './journal-panel.tsx';
import { MoneyPanel } from './money-panel.tsx';
import { OverviewPanel } from './overview-panel.tsx';

export interface ActorPageProps {
  readonly kind: ActorKind;
  readonly id: string;
  readonly tab: string | null;
}

/**
 * Everything about one subscription, payment or delivery: first the answers, and in further tabs the facts behind them.
 */
export function ActorPage({ kind, id, tab }: ActorPageProps) {
  const loaded = useLoad<Inspection>(pathOf(kind, id));
  const machine = useLoad<Diagram>(`/machines/${kind}`);
  return (
    <ResourcePage
      {...{ kind, id, loaded, tab }}
      headOf={(seen) => headOf(seen, loaded.reload)}
      nameOf={({ title, status }) => `${title}: ${status}`}
      partsOf={(seen) => partsOf(seen, machine, loaded.reload)}
      hrefOfTab={(name) => tabHref(id, name)}
    />
  );
}

function headOf(seen: Inspection, reload: () => void): Head {
  const facts = seen.facts.map(
    ({ name, label, value, id }) =>
      [name, label, id === null ? value : <a href={hrefOfId(id)}>{value === id ? short(id) : value}</a>] as const,
  );
  return { ...seen, facts, actions: <Actions seen={seen} reload={reload} /> };
}

function partsOf(seen: Inspection, machine: Loaded<Diagram>, reload: () => void): readonly Part[] {
  const { kind, deliveries } = seen;
  const overview = { name: 'overview', title: 'Overview', content: <OverviewPanel seen={seen} /> };
  const states = { name: 'machine', title: 'Machine', content: <MachinePanel seen={seen} machine={machine} /> };
  if (kind === 'delivery') return [overview, states];
  return [
    overview,
    { name: 'money', title: 'Money', content: <MoneyPanel seen={seen} reload={reload} /> },
    { name: 'webhooks', title: 'Webhooks', content: <DeliveriesPanel deliveries={deliveries} isOne={false} /> },
    { name: 'letters', title: 'Letters', content: <LettersAbout id={seen.id} /> },
    { name: 'journal', title: 'Journal', content: <JournalPanel seen={seen} /> },
    states,
  ];
}
