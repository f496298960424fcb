import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { useTitle } from '../ui/use-title.ts';
import { changesOf, NEW_CUSTOMER } from './customer-draft.ts';
import { CustomerFields } from './customer-fields.tsx';
import { dashboardApi } from './dashboard-api.ts';
import { go, hrefOf, type Mode } from './route.ts';
import type { Customer } from './shop-types.ts';
import { useAction } from './use-action.ts';

export function NewCustomer({ mode }: { readonly mode: Mode }) {
  useTitle('Create a customer', 'Tideline dashboard');
  const [draft, setDraft] = useState(NEW_CUSTOMER);
  const { isBusy, problem, act } = useAction();
  const create = async () => {
    const body = changesOf(NEW_CUSTOMER, draft);
    const { id } = await dashboardApi<Customer>(`/${mode}/customers`, { method: 'POST', body });
    go(hrefOf(mode, 'customers', id));
  };
  return (
    <>
      <h1>Create a customer</h1>
      <form
        class="card stack form"
        onSubmit={(event) => {
          event.preventDefault();
          void act(create);
        }}
      >
        <CustomerFields draft={draft} onChange={(change) => setDraft((before) => ({ ...before, ...change }))} />
        {problem !== null && <Notice tone="bad">{problem}</Notice>}
        <div class="row">
          <Button type="submit" variant="primary" busy={isBusy}>
            Create the customer
          </Button>
          <a href={hrefOf(mode, 'customers')}>All customers</a>
        </div>
      </form>
    </>
  );
}
