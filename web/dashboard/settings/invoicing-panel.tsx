import type { Invoicing } from '../../../src/dashboard/wire.ts';
import { ActionForm, Fields, type FormField, useValues } from '../../ui/form.tsx';
import { WhenLoaded } from '../../ui/load-failed.tsx';
import { toast } from '../../ui/notice.tsx';
import { Panel } from '../../ui/panel.tsx';
import { patch, useLoad, useRole } from '../dashboard-api.ts';
import { Moment } from '../shared/moment.tsx';

export function InvoicingPanel() {
  const isAdmin = useRole('admin');
  const loaded = useLoad<Invoicing>('/invoicing');
  return (
    <Panel title="Invoices">
      <p class="soft">
        Once you have saved this, each settled payment gets an invoice, and each refund a credit note. Their numbers
        have no gap within a year; test mode has numbers of its own. An issued document never changes. Your legal name
        and address are those under Branding. The tax is a part of what customers pay: nothing is charged on top. Ask
        your accountant which taxes to enter.
      </p>
      <WhenLoaded loaded={loaded}>
        {(invoicing) => (
          <>
            {invoicing.since !== null && (
              <p>
                Payments have invoices since <Moment at={invoicing.since} />.
              </p>
            )}
            {isAdmin && <InvoicingForm key={JSON.stringify(invoicing)} invoicing={invoicing} done={loaded.reload} />}
          </>
        )}
      </WhenLoaded>
    </Panel>
  );
}

const FIELDS: readonly FormField<'country' | 'taxId' | 'currency' | 'taxRate' | 'taxRates' | 'isTaxIncluded'>[] = [
  { name: 'country', label: 'Your country', maxLength: 2, placeholder: 'DE', hint: 'Its code of two letters.' },
  { name: 'taxId', label: 'Your tax number', maxLength: 50, hint: 'It is on each invoice. May be empty.' },
  {
    name: 'currency',
    label: 'Currency of your accounts',
    options: Object.entries({ USD: 'US dollar', EUR: 'Euro', GBP: 'Pound sterling' }),
  },
  { name: 'taxRate', label: 'Tax in percent', placeholder: '19', hint: '0: you charge none.' },
  {
    name: 'taxRates',
    label: 'Other taxes, by the country of the customer',
    rows: 4,
    placeholder: 'FR 20\nUS 0',
    hint: 'One country on each line. All other customers have the tax above.',
  },
  {
    name: 'isTaxIncluded',
    label: 'Lines of an invoice',
    options: Object.entries({ included: 'show prices with tax', added: 'show prices without tax, and the tax below' }),
  },
];

function InvoicingForm({ invoicing, done }: { readonly invoicing: Invoicing; readonly done: () => void }) {
  const { country, taxId, currency, taxRate, taxRates, isTaxIncluded } = invoicing;
  const { values, onChange } = useValues({
    ...{ country, taxId: taxId ?? '', currency, taxRate },
    taxRates: Object.entries(taxRates)
      .map((each) => each.join(' '))
      .join('\n'),
    isTaxIncluded: isTaxIncluded ? 'included' : 'added',
  });
  const save = async () => {
    await patch<Invoicing>('/invoicing', {
      ...{ country: values.country.trim().toUpperCase(), taxId: values.taxId.trim() || null },
      ...{ currency: values.currency, taxRate: values.taxRate.trim(), taxRates: ratesIn(values.taxRates) },
      isTaxIncluded: values.isTaxIncluded === 'included',
    });
    toast('The invoices are saved.', 'good');
    done();
  };
  return (
    <ActionForm action="Save the invoices" run={save}>
      <Fields fields={FIELDS} values={values} onChange={onChange} />
    </ActionForm>
  );
}

/** "FR 20" is the tax of France. The service refuses a text that is no rate. */
function ratesIn(text: string): { readonly [country: string]: string } {
  const rates = new Map<string, string>();
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const [country = '', ...rate] = line
      .trim()
      .toUpperCase()
      .split(/[\s:=]+/);
    if (rates.has(country)) throw new Error(`taxRates.${country} must have one line`);
    rates.set(country, rate.join(' '));
  }
  return Object.fromEntries(rates);
}
