import type { JsonObject } from '../../machines/json.ts';
import type { Inspection, JournalEntry } from '../../src/staff/wire.ts';
import { Badge } from '../ui/badge.tsx';
import { Notice } from '../ui/notice.tsx';
import { jsonText, momentText } from './words.ts';

/** Every accepted event, the newest first: time, sender and result. */
export function JournalPanel({ seen }: { readonly seen: Inspection }) {
  const entries = [...seen.journal].reverse();
  const left = seen.rev - entries.length;
  return (
    <section class="card stack" aria-labelledby="journal">
      <div class="spread">
        <h2 id="journal">Journal</h2>
        {seen.replay?.matches && <Badge tone="good">replay matches the stored state</Badge>}
      </div>
      {seen.replay?.problem && (
        <Notice tone="bad" title="Replay does not match the stored state">
          {seen.replay.problem}
        </Notice>
      )}
      <ol class="timeline" reversed>
        {entries.map((entry) => (
          <Entry key={entry.rev} entry={entry} />
        ))}
      </ol>
      {left > 0 && <p class="soft small">{left} older entries. Step through them below.</p>}
    </section>
  );
}

function Entry({ entry }: { readonly entry: JournalEntry }) {
  const { rev, at, type, by, reason, from, to, details, effects } = entry;
  return (
    <li class="entry" data-journal={type}>
      <div class="spread">
        <span>
          <strong>{type}</strong>{' '}
          <span class="small soft">
            by <code>{by}</code>
          </span>
        </span>
        <span class="small soft number">
          {momentText(at)} · rev {rev}
        </span>
      </div>
      {reason !== null && <p class="small typed">“{reason}”</p>}
      <p class="small soft">
        {from === to ? (
          <>stays {to}</>
        ) : (
          <>
            {from} → <strong>{to}</strong>
          </>
        )}
        {effects.length > 0 && ` · ${effects.map(effectText).join(', ')}`}
      </p>
      {Object.keys(details).length > 0 && (
        <details class="small">
          <summary>Event details</summary>
          <pre class="json">{JSON.stringify(details, null, 2)}</pre>
        </details>
      )}
    </li>
  );
}

function effectText(effect: JsonObject): string {
  const { type, event } = { type: effect['type'] ?? '', event: effect['event'] };
  return jsonText(event ?? type);
}
