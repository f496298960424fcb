import { useState } from 'preact/hooks';
import type { PortalDetail } from '../../src/portal/wire.ts';
import { say } from '../i18n/say.ts';
import { collectFieldsOf } from '../pay/collect.ts';
import { Button } from '../ui/button.tsx';
import { Fields, useValues } from '../ui/form.tsx';
import { StatusRegion } from '../ui/notice.tsx';
import type { ChangeProps } from './ending.tsx';

export interface InvoiceDetailsProps extends Pick<ChangeProps, 'isBusy' | 'change'> {
  readonly party: NonNullable<PortalDetail['invoicedTo']>;
}

const FIELDS = { name: 'optional', address: 'optional', country: 'optional', taxId: 'optional' } as const;

/** What later invoices say about the customer, to correct it. */
export function InvoiceDetails({ party, isBusy, change }: InvoiceDetailsProps) {
  const [isSaved, setSaved] = useState(false);
  const known = Object.entries(party).map(([name, text]) => [name, text ?? '']);
  const { values, onChange } = useValues<{ readonly [name: string]: string }>(Object.fromEntries(known));
  const save = async () => {
    setSaved(false);
    const body = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim() || null]));
    setSaved(await change('/invoice-details', body));
  };
  return (
    <details data-part="invoiced">
      <summary>{say('invoiced.title')}</summary>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p class="small soft">{say('invoiced.text')}</p>
        <Fields {...{ values, onChange }} fields={collectFieldsOf(FIELDS)} />
        <div>
          <Button type="submit" busy={isBusy}>
            {say('invoiced.save')}
          </Button>
        </div>
        <StatusRegion>{isSaved && <p>{say('completion.done')}</p>}</StatusRegion>
      </form>
    </details>
  );
}
