import { useState } from 'preact/hooks';
import { Select } from '../../ui/field.tsx';
import { ActionForm } from '../../ui/form.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { toast } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { patch, useLoad, useRole } from '../dashboard-api.ts';
import type { Account } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

/** The zone in which the months of reports run. */
export function TimeZonePanel({ mode }: { readonly mode: Mode }) {
  const isAdmin = useRole('admin');
  const loaded = useLoad<Account>(`/${mode}/account`);
  return (
    <Panel title="Time zone">
      <p class="soft">
        The months for your accountant run in it. Invoices have its dates and years, and letters too where the
        customer’s zone is unknown. Charges keep their moments, and this dashboard shows times of your browser’s zone.
      </p>
      <WhenLoaded loaded={loaded}>
        {({ timeZone }) => (isAdmin ? <TimeZoneForm {...{ mode, timeZone }} /> : <p>{timeZone}</p>)}
      </WhenLoaded>
    </Panel>
  );
}

function TimeZoneForm({ mode, timeZone }: { readonly mode: Mode; readonly timeZone: string }) {
  const [chosen, setChosen] = useState(timeZone);
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set(['UTC', here, timeZone, ...Intl.supportedValuesOf('timeZone')])];
  const save = async () => {
    await patch<Account>(`/${mode}/account`, { timeZone: chosen });
    toast('The time zone is saved.', 'good');
  };
  return (
    <ActionForm action="Save the time zone" run={save}>
      <Select
        {...{ label: 'Time zone', name: 'timeZone', value: chosen, onChange: setChosen }}
        options={zones.map((zone) => [zone, zone === here ? `${zone} (this browser)` : zone.replaceAll('_', ' ')])}
      />
    </ActionForm>
  );
}
