import type { EventVerdict } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Table } from '../../ui/table.tsx';

const TONES = { changes: 'good', acknowledges: 'plain', refuses: 'warn' } as const;
const WORDS = { changes: 'accepts', acknowledges: 'acknowledges', refuses: 'refuses' } as const;

/** Every event that is possible now, and the machine's reaction; for a refused one, the reason. */
export function EventsPanel({ events }: { readonly events: readonly EventVerdict[] }) {
  if (events.length === 0) return null;
  return (
    <Panel title="Possible events">
      <Table
        caption="Possible events, and the reaction of the machine now"
        rows={events}
        keyOf={({ type, assuming }) => `${type} ${assuming}`}
        columns={[
          {
            title: 'Event',
            cell: ({ type, by, assuming }) => (
              <>
                <code data-event={type}>{type}</code>
                <div class="small soft">
                  by {by}
                  {assuming !== null && `; ${assuming}`}
                </div>
              </>
            ),
          },
          { title: 'Verdict', cell: ({ verdict }) => <Badge tone={TONES[verdict]}>{WORDS[verdict]}</Badge> },
          { title: 'Effect, or reason of the refusal', cell: (event) => <Follows event={event} /> },
        ]}
      />
    </Panel>
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
