import { useState } from 'preact/hooks';
import type { Inspection, JournalEntry as Row } from '../../../src/staff/wire.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { JournalEntry } from '../shared/journal-entry.tsx';
import { momentText } from '../shared/words.ts';

const PAGE = 25;

/** The accepted events, the newest first: those that changed the state or came from a person; the others on demand. */
export function JournalPanel({ seen }: { readonly seen: Inspection }) {
  const [isWhole, setWhole] = useState(false);
  const [shown, setShown] = useState(PAGE);
  const entries = [...seen.journal].reverse();
  const chosen = isWhole ? entries : entries.filter(isMain);
  const left = chosen.length - shown;
  const toggle = (whole: boolean) => {
    setWhole(whole);
    setShown(PAGE);
  };
  return (
    <Panel title="Journal" beside={seen.replay?.matches && <Badge tone="good">replay matches the stored state</Badge>}>
      {seen.replay?.problem && (
        <Notice tone="bad" title="Replay does not match the stored state">
          {seen.replay.problem}
        </Notice>
      )}
      <label class="check">
        <input type="checkbox" checked={isWhole} onChange={(event) => toggle(event.currentTarget.checked)} />
        Also events that changed no state ({entries.length - entries.filter(isMain).length})
      </label>
      <ol class="plain-list timeline">
        {chosen.slice(0, shown).map((entry) => (
          <Entry key={entry.rev} entry={entry} />
        ))}
      </ol>
      {left > 0 && (
        <div class="row">
          <Button onClick={() => setShown(shown + PAGE)}>Show more</Button>
          <span class="small soft">{left} older</span>
        </div>
      )}
      {left <= 0 && seen.rev > entries.length && (
        <p class="soft small">{seen.rev - entries.length} older entries. Step through them in the tab Machine.</p>
      )}
    </Panel>
  );
}

/** It changed the state, or a person gave a reason for it. */
function isMain({ from, to, reason }: Row): boolean {
  return from !== to || reason !== null;
}

function Entry({ entry }: { readonly entry: Row }) {
  const { rev, at, type, by, reason, from, to, details, effects } = entry;
  return (
    <JournalEntry action={type} when={`${momentText(at)} · rev ${rev}`} {...{ by, reason, details }}>
      <p class="small soft">
        {from === to ? (
          <>stays {to}</>
        ) : (
          <>
            {from} → <strong>{to}</strong>
          </>
        )}
        {effects.length > 0 && ` · ${effects.join(', ')}`}
      </p>
    </JournalEntry>
  );
}
