import { wrongAddress } from '../../ui/address.ts';
import { Fields, type FormField, useValues, type Values } from '../../ui/form.tsx';
import { type DashboardBody, post } from '../dashboard-api.ts';
import type { Customer } from '../merchant-api.ts';
import { textOrNull } from '../offers/price-form.tsx';
import { go, hrefOf, type Mode } from '../route.ts';
import { CreatePage } from '../shared/resource-page.tsx';

const NEW_CUSTOMER = {
  name: '',
  email: '',
  phone: '',
  merchantReferenceId: '',
  address: '',
  country: '',
  taxId: '',
  evm: '',
  solana: '',
};

type CustomerDraft = Values<typeof NEW_CUSTOMER>;

/** Each may be empty. */
export const CUSTOMER_FIELDS: readonly FormField<keyof CustomerDraft>[] = [
  { name: 'name', label: 'Name' },
  { name: 'email', label: 'E-mail', type: 'email' },
  { name: 'phone', label: 'Phone', type: 'tel' },
  { name: 'merchantReferenceId', label: 'Your id', hint: 'Your own name for the customer.' },
  { name: 'address', label: 'Address', rows: 3, maxLength: 500, hint: 'For invoices, as the two below.' },
  {
    name: 'country',
    label: 'Country',
    maxLength: 2,
    hint: 'Two capitals, such as DE. It decides the tax.',
    check: (text) =>
      /^([A-Z]{2})?$/.test(text)
        ? null
        : { text: 'Write the two capitals of the country, such as DE.', isPartial: /^[A-Z]?$/.test(text) },
  },
  { name: 'taxId', label: 'Tax number', maxLength: 50 },
  {
    name: 'evm',
    label: 'EVM wallet',
    hint: 'May be empty: a wallet is linked when the customer authorizes a charge.',
    check: (text) => wrongAddress('evm', text),
  },
  { name: 'solana', label: 'Solana wallet', check: (text) => wrongAddress('solana', text) },
];

export function draftOf({ name, email, phone, merchantReferenceId, wallets, ...invoiced }: Customer): CustomerDraft {
  const walletOf = (family: string) => wallets.find(({ chainFamily }) => chainFamily === family)?.address ?? '';
  return {
    name: name ?? '',
    email: email ?? '',
    phone: phone ?? '',
    merchantReferenceId: merchantReferenceId ?? '',
    address: invoiced.address ?? '',
    country: invoiced.country ?? '',
    taxId: invoiced.taxId ?? '',
    evm: walletOf('evm'),
    solana: walletOf('solana'),
  };
}

/** The body of a change: the fields that differ; an emptied one is null. For a new customer, `before` is empty. */
export function changesOf(before: CustomerDraft, after: CustomerDraft): DashboardBody {
  const fields = (['name', 'email', 'phone', 'merchantReferenceId', 'address', 'country', 'taxId'] as const).filter(
    (field) => before[field] !== after[field],
  );
  const families = (['evm', 'solana'] as const).filter((family) => before[family] !== after[family]);
  const wallets = families.map((chainFamily) => ({ chainFamily, address: textOrNull(after[chainFamily]) }));
  return {
    ...Object.fromEntries(fields.map((field) => [field, textOrNull(after[field])])),
    ...(wallets.length === 0 ? {} : { wallets }),
  };
}

export function NewCustomer({ mode }: { readonly mode: Mode }) {
  const { values, onChange } = useValues<CustomerDraft>(NEW_CUSTOMER);
  const create = async () => {
    const { id } = await post<Customer>(`/${mode}/customers`, changesOf(NEW_CUSTOMER, values));
    go(hrefOf(mode, 'customers', id));
  };
  return (
    <CreatePage mode={mode} list="customers" title="Create a customer" action="Create the customer" run={create}>
      <Fields fields={CUSTOMER_FIELDS} values={values} onChange={onChange} />
    </CreatePage>
  );
}
