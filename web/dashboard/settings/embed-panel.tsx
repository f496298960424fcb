import { useState } from 'preact/hooks';
import type { EmbedOrigins } from '../../../src/dashboard/wire.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { Field } from '../../ui/field.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { Panel } from '../../ui/panel.tsx';
import { toast } from '../../ui/toast.tsx';
import { useRole } from '../access/session.ts';
import { patch, useLoad } from '../dashboard-api.ts';

/** The sites that may show the checkout of live offers in a frame. */
export function EmbedPanel() {
  const isAdmin = useRole('admin');
  const loaded = useLoad<EmbedOrigins>('/embed-origins');
  return (
    <Panel title="Embedded checkout">
      <p class="soft">
        Only these sites can show your live checkout in a frame. In test mode every site can, so that you can try it.
      </p>
      <WhenLoaded loaded={loaded}>
        {({ origins }) => (isAdmin ? <OriginsForm origins={origins} /> : <p>{origins.join(', ') || 'No site.'}</p>)}
      </WhenLoaded>
    </Panel>
  );
}

function OriginsForm({ origins }: EmbedOrigins) {
  const [typed, setTyped] = useState(origins.join(' '));
  const save = async () => {
    const named = typed.split(/[\s,]+/).filter((origin) => origin !== '');
    const saved = await patch<EmbedOrigins>('/embed-origins', { origins: named });
    setTyped(saved.origins.join(' '));
    toast('The sites are saved.', 'good');
  };
  return (
    <ActionForm action="Save the sites" run={save}>
      <Field
        label="Sites"
        value={typed}
        onInput={setTyped}
        hint="Origins such as https://shop.example.com, separated by spaces."
      />
    </ActionForm>
  );
}
