import { useState } from 'preact/hooks';
import { ActionForm } from '../../ui/action-form.tsx';
import { useTitle } from '../../ui/use-title.ts';
import { dashboardApi } from '../dashboard-api.ts';
import type { Customer } from '../merchant-api.ts';
import { go, hrefOf, type Mode } from '../route.ts';
import { changesOf, NEW_CUSTOMER } from './customer-draft.ts';
import { CustomerFields } from './customer-fields.tsx';

export function NewCustomer({ mode }: { readonly mode: Mode }) {
  useTitle('Create a customer', 'Tideline dashboard');
  const [draft, setDraft] = useState(NEW_CUSTOMER);
  const create = async () => {
    const body = changesOf(NEW_CUSTOMER, draft);
    const { id } = await dashboardApi<Customer>(`/${mode}/customers`, { method: 'POST', body });
    go(hrefOf(mode, 'customers', id));
  };
  return (
    <>
      <h1>Create a customer</h1>
      <ActionForm
        class="card stack form"
        action="Create the customer"
        run={create}
        beside={<a href={hrefOf(mode, 'customers')}>All customers</a>}
      >
        <CustomerFields draft={draft} onChange={(change) => setDraft((before) => ({ ...before, ...change }))} />
      </ActionForm>
    </>
  );
}
