import type { ComponentChildren } from 'preact';
import { Json } from './json.tsx';

export interface JournalEntryProps {
  /** The action, by whom, and when. */
  readonly action: string;
  readonly by: string;
  readonly when: string;
  readonly reason: string | null;
  readonly details: object;
  readonly children?: ComponentChildren;
}

export function JournalEntry({ action, by, when, reason, details, children }: JournalEntryProps) {
  return (
    <li class="entry" data-journal={action}>
      <div class="spread">
        <span>
          <strong>{action}</strong>{' '}
          <span class="small soft">
            by <code>{by}</code>
          </span>
        </span>
        <span class="small soft number">{when}</span>
      </div>
      {reason !== null && <p class="small typed">“{reason}”</p>}
      {children}
      {Object.keys(details).length > 0 && <Json title="Details" value={details} />}
    </li>
  );
}
