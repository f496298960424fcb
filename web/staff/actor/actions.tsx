import type { ActionView, Inspection } from '../../../src/staff/wire.ts';
import { Button } from '../../ui/button.tsx';
import { RoleNote } from '../access/role-note.tsx';
import { useStaffRole } from '../access/session.ts';
import { useConfirm } from '../shared/use-confirm.ts';

/** The API's own commands, sent by staff: each with a reason and a confirmation. */
export function Actions({ seen, reload }: { readonly seen: Inspection; readonly reload: () => void }) {
  const may = useStaffRole() !== 'read';
  const { confirm, dialog } = useConfirm();
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
            onClick={() => confirm({ ...action, title: action.label, isDanger: isDanger(action), onDone: reload })}
          >
            {action.label}
          </Button>
        ))}
      </div>
      <RoleNote what="Actions need" needs="act" />
      {refused.length > 0 && <Refused actions={refused} />}
      {dialog}
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
      <dl class="refused stack-tight">
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
