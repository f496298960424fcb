import { useState } from 'preact/hooks';
import type { ActionView, Inspection } from '../../src/staff/wire.ts';
import { Button } from '../ui/button.tsx';
import { useSelector } from '../ui/use-selector.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { mayAct, session } from './session.ts';

/** The API's own commands, sent by staff: each with a reason and a confirmation. */
export function ActionsPanel({ seen, reload }: { readonly seen: Inspection; readonly reload: () => void }) {
  const may = useSelector(session, mayAct);
  const [asked, setAsked] = useState<ActionView | null>(null);
  if (seen.actions.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="actions">
      <h2 id="actions">Actions</h2>
      <ul class="actions">
        {seen.actions.map((action) => (
          <li key={action.name} class="stack-tight">
            <Button
              variant={isDanger(action) ? 'danger' : 'plain'}
              disabled={!action.isAllowed || !may}
              onClick={() => setAsked(action)}
            >
              {action.label}
            </Button>
            <span class="small soft" data-action={action.name}>
              {whyNot(action, may)}
            </span>
          </li>
        ))}
      </ul>
      {asked !== null && (
        <ConfirmDialog
          title={asked.label}
          isDanger={isDanger(asked)}
          what={asked.what}
          path={asked.path}
          body={asked.body}
          onClose={() => setAsked(null)}
          onDone={reload}
        />
      )}
    </section>
  );
}

/** It ends the subscription, now or later. */
function isDanger({ name }: ActionView): boolean {
  return name === 'cancel' || name === 'cancel-at-period-end';
}

function whyNot({ isAllowed, why, what }: ActionView, may: boolean): string {
  if (!isAllowed) return `Not possible now: ${why ?? 'the service would refuse it'}`;
  return may ? what : 'Your role is read. Actions need the role act.';
}
