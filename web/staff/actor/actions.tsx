import type { ActionView, Inspection } from '../../../src/staff/wire.ts';
import { OrderRow } from '../shared/order-row.tsx';

/** The API's own commands, sent by staff: each with a reason and a confirmation. */
export function Actions({ seen, reload }: { readonly seen: Inspection; readonly reload: () => void }) {
  const refused = seen.actions.filter(({ isAllowed }) => !isAllowed);
  if (seen.actions.length === 0) return null;
  const orders = seen.actions.map((action) => ({ ...action, title: action.label, isDanger: isDanger(action) }));
  return (
    <>
      <OrderRow orders={orders} onDone={reload} needs="act" what="Actions need" />
      {refused.length > 0 && <Refused actions={refused} />}
    </>
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
