import type { EventVerdict } from '../../src/staff/wire.ts';
import { Badge } from '../ui/badge.tsx';
import { Table } from '../ui/table.tsx';

const TONES = { changes: 'good', acknowledges: 'plain', refuses: 'warn' } as const;
const WORDS = { changes: 'takes', acknowledges: 'acknowledges', refuses: 'refuses' } as const;

/** Every event that is possible now, and the machine's reaction; for a refused one, the reason. */
export function EventsPanel({ events }: { readonly events: readonly EventVerdict[] }) {
  if (events.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="events">
      <h2 id="events">Events it would take now</h2>
      <Table
        caption="Events it would take now, and why it would not take the others"
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
          { title: '', cell: ({ verdict }) => <Badge tone={TONES[verdict]}>{WORDS[verdict]}</Badge> },
          { title: 'What follows, or why not', cell: (event) => <Follows event={event} /> },
        ]}
      />
    </section>
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
