import type { EventVerdict } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Table } from '../../ui/table.tsx';

const VERDICTS = ['changes', 'acknowledges', 'refuses'] as const;
const TONES = { changes: 'good', acknowledges: 'plain', refuses: 'warn' } as const;
const WORDS = { changes: 'accepts', acknowledges: 'acknowledges', refuses: 'refuses' } as const;

/** Every event that is possible now, and the machine's reaction; for a refused one, the reason. Folded: it is long. */
export function PossibleEvents({ events }: { readonly events: readonly EventVerdict[] }) {
  if (events.length === 0) return null;
  const counts = VERDICTS.map((each) => `${WORDS[each]} ${events.filter(({ verdict }) => verdict === each).length}`);
  return (
    <details>
      <summary>
        {events.length} possible events: it {counts.join(', ')}
      </summary>
      <Table
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
