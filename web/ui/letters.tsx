import type { ComponentChild } from 'preact';
import type { Letters, LetterView } from '../../src/staff/wire.ts';
import { Status } from './badge.tsx';
import { LoadFailed } from './load-failed.tsx';
import { Table } from './table.tsx';
import type { Loaded } from './use-load.ts';

const NAMES: { readonly [L in LetterView['letter']]: string } = {
  receipt: 'Receipt',
  renewal: 'Reminder of a charge',
  charge_failed: 'Charge failed',
  at_risk: 'Charge at risk',
  changed: 'Plan changed',
  refunded: 'Refund',
  ended: 'Subscription ended',
  weekly_summary: 'Weekly summary',
};

const STOPS: { readonly [S in NonNullable<LetterView['stop']>]: string } = {
  bounced: 'the mail server of the address has refused it, or letters to it come back',
  merchant: 'letters to this customer are turned off',
  unsubscribed: 'the customer wants no reminders',
  no_address: 'there is no address any more',
  overtaken: 'what it says was no longer so',
};

interface LetterListProps {
  readonly loaded: Loaded<Letters>;
  readonly momentText: (at: string) => string;
  /** The button beside a letter that was not sent; absent: its reader may not send it again. */
  readonly again?: (letterId: string) => ComponentChild;
}

/** The letters about something, each with its state and the last answer of the mail server. */
export function LetterList({ loaded, momentText, again }: LetterListProps) {
  const { value } = loaded;
  return (
    <>
      {loaded.error !== null && <LoadFailed loaded={loaded} />}
      {value?.stops.map(({ stop, at, reason }) => (
        <p key={stop} data-stop={stop}>
          {stop === 'unsubscribed' ? 'No reminders' : 'No letters'} since {momentText(at)}: {STOPS[stop]}.
          {reason !== null && <span class="soft"> {reason}</span>}
        </p>
      ))}
      {value !== null && (
        <Table
          caption="Letters"
          rows={value.letters}
          empty="No letter yet."
          isFolding
          columns={{
            Letter: ({ letter }) => NAMES[letter],
            Written: ({ createdAt }) => momentText(createdAt),
            State: (letter) => (
              <div class="row">
                <State letter={letter} momentText={momentText} />
                {['failed', 'suppressed'].includes(letter.status) && again?.(letter.id)}
              </div>
            ),
            Attempts: { number: ({ attempts }) => attempts.length },
            'Last answer': ({ attempts }) => lastAnswer(attempts.at(-1)),
          }}
        />
      )}
    </>
  );
}

function State({ letter, momentText }: { readonly letter: LetterView } & Pick<LetterListProps, 'momentText'>) {
  const { status, stop, nextAttemptAt, attempts } = letter;
  return (
    <>
      <Status status={status} />
      {stop !== null && <span class="small soft"> {STOPS[stop]}</span>}
      {nextAttemptAt !== null && attempts.length > 0 && (
        <span class="small soft"> next attempt {momentText(nextAttemptAt)}</span>
      )}
    </>
  );
}

function lastAnswer(last: LetterView['attempts'][number] | undefined): string {
  return last === undefined ? '' : (last.body ?? last.error ?? `${last.status ?? ''}`);
}
