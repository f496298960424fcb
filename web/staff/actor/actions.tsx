import { useState } from 'preact/hooks';
import type { ActionView, Inspection } from '../../../src/staff/wire.ts';
import { Button } from '../../ui/button.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { mayAct, session } from '../access/session.ts';
import { ConfirmDialog } from '../shared/confirm-dialog.tsx';

/** The API's own commands, sent by staff: each with a reason and a confirmation. */
export function Actions({ seen, reload }: { readonly seen: Inspection; readonly reload: () => void }) {
  const may = useSelector(session, mayAct);
  const [asked, setAsked] = useState<ActionView | null>(null);
  const refused = seen.actions.filter(({ isAllowed }) => !isAllowed);
  if (seen.actions.length === 0) return null;
  return (
    <section class="stack-tight" aria-labelledby="actions">
      <h2 id="actions" class="visually-hidden">
        Actions
      </h2>
      <div class="row">
        {seen.actions.map((action) => (
          <Button
            key={action.name}
            size="small"
            variant={isDanger(action) ? 'danger' : 'plain'}
            disabled={!action.isAllowed || !may}
            onClick={() => setAsked(action)}
          >
            {action.label}
          </Button>
        ))}
      </div>
      {!may && <p class="small soft">Your role is read. Actions need the role act.</p>}
      {refused.length > 0 && <Refused actions={refused} />}
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

function Refused({ actions }: { readonly actions: readonly ActionView[] }) {
  return (
    <details class="small">
      <summary>Not possible now: {actions.map(({ label }) => label).join(', ')}</summary>
      <dl class="refused">
        {actions.map(({ name, label, why, terms }) => (
          <div key={name}>
            <dt>{label}</dt>
            <dd data-action={name}>
              {why ?? 'The service would refuse it.'}
              {terms !== null && (
                <details>
                  <summary>In the terms of the machine</summary>
                  {terms}
                </details>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
