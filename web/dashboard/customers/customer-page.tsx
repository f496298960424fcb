import { useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { useTitle } from '../../ui/use-title.ts';
import { hasRole, session } from '../access/session.ts';
import { dashboardApi, useLoad } from '../dashboard-api.ts';
import type { Customer, Payment, Payments, PortalSession, Subscription, Subscriptions } from '../merchant-api.ts';
import { go, hrefOf, type Mode } from '../route.ts';
import { ActionDialog } from '../shared/action-dialog.tsx';
import { paymentColumns, subscriptionColumns } from '../shared/columns.tsx';
import { useChains } from '../shared/currencies.ts';
import { Copyable, Facts, Moment } from '../shared/facts.tsx';
import { Latest } from '../shared/latest.tsx';
import { NotLoaded } from '../shared/not-loaded.tsx';
import { changesOf, draftOf } from './customer-draft.ts';
import { CustomerFields } from './customer-fields.tsx';

const FAMILIES = { evm: 'EVM wallet', solana: 'Solana wallet' } as const;

/** A customer with wallets, subscriptions and payments. */
export function CustomerPage({ mode, id }: { readonly mode: Mode; readonly id: string }) {
  const loaded = useLoad<Customer>(`/${mode}/customers/${id}`);
  const { value: customer, error, reload } = loaded;
  const chains = useChains(mode);
  const title = customer?.name ?? customer?.email ?? 'Customer';
  useTitle(title, 'Tideline dashboard');
  if (error !== null || customer === null) return <NotLoaded loaded={loaded} mode={mode} list="customers" />;
  return (
    <>
      <p>
        <a href={hrefOf(mode, 'customers')}>Customers</a>
      </p>
      <h1>{title}</h1>
      <CustomerActions mode={mode} customer={customer} reload={reload} />
      <section class="card stack-tight">
        <h2>Details</h2>
        <Facts
          facts={[
            ['Id', <Copyable what="id" text={customer.id} />],
            ['Name', customer.name],
            ['E-mail', customer.email],
            ['Phone', customer.phone],
            ['Your id', customer.merchantReferenceId],
            ...customer.wallets.map(
              ({ chainFamily, address }) =>
                [FAMILIES[chainFamily], <Copyable what={FAMILIES[chainFamily]} text={address} />] as const,
            ),
            ['Created', <Moment at={customer.createdAt} />],
          ]}
        />
        {customer.wallets.length === 0 && (
          <p class="soft">No wallet yet. One is linked when the customer authorizes a charge.</p>
        )}
      </section>
      <Latest<Subscriptions, Subscription>
        mode={mode}
        list="subscriptions"
        title="Subscriptions"
        of={{ customerId: id }}
        rowsOf={({ subscriptions }) => subscriptions}
        columns={subscriptionColumns(mode).filter((column) => column.title !== 'Customer')}
        empty="The customer has no subscription."
      />
      <Latest<Payments, Payment>
        mode={mode}
        list="payments"
        title="Payments"
        of={{ customerId: id }}
        rowsOf={({ payments }) => payments}
        columns={paymentColumns(mode, chains)}
        empty="The customer has no payment."
      />
    </>
  );
}

interface CustomerActionsProps {
  readonly mode: Mode;
  readonly customer: Customer;
  readonly reload: () => void;
}

function CustomerActions({ mode, customer, reload }: CustomerActionsProps) {
  const [open, setOpen] = useState<'edit' | 'delete' | null>(null);
  const [portal, setPortal] = useState<PortalSession | null>(null);
  const { isBusy, problem, act } = useAction();
  const mayAct = useSelector(session, (context) => hasRole(context, 'member'));
  if (!mayAct) return null;
  const path = `/${mode}/customers/${customer.id}` as const;
  const link = async () =>
    setPortal(await dashboardApi<PortalSession>(`${path}/portal-session`, { method: 'POST', body: {} }));
  const close = () => setOpen(null);
  return (
    <>
      <div class="row">
        <a class="button button-primary" href={hrefOf(mode, 'subscriptions', 'new', { customerId: customer.id })}>
          Create a subscription
        </a>
        <Button busy={isBusy} onClick={() => void act(link)}>
          Portal link
        </Button>
        <Button onClick={() => setOpen('edit')}>Edit</Button>
        <Button variant="danger" onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </div>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {portal !== null && (
        <Notice tone="good" title="Portal link" isStep>
          <p>
            <Copyable what="portal link" text={portal.url} />
          </p>
          <p>
            It opens the customer's subscriptions until <Moment at={portal.expiresAt} />. Whoever has it can end them.
            It is shown only now.
          </p>
        </Notice>
      )}
      {open === 'edit' && <EditCustomer path={path} customer={customer} reload={reload} onClose={close} />}
      {open === 'delete' && <DeleteCustomer mode={mode} path={path} onClose={close} />}
    </>
  );
}

interface EditCustomerProps {
  readonly path: `/${string}`;
  readonly customer: Customer;
  readonly reload: () => void;
  readonly onClose: () => void;
}

function EditCustomer({ path, customer, reload, onClose }: EditCustomerProps) {
  const [draft, setDraft] = useState(() => draftOf(customer));
  const save = async () => {
    await dashboardApi(path, { method: 'PATCH', body: changesOf(draftOf(customer), draft) });
    toast('Saved.', 'good');
    reload();
  };
  return (
    <ActionDialog title="Edit the customer" action="Save" run={save} onClose={onClose}>
      <CustomerFields draft={draft} onChange={(change) => setDraft((before) => ({ ...before, ...change }))} />
    </ActionDialog>
  );
}

interface DeleteCustomerProps {
  readonly mode: Mode;
  readonly path: `/${string}`;
  readonly onClose: () => void;
}

function DeleteCustomer({ mode, path, onClose }: DeleteCustomerProps) {
  const remove = async () => {
    await dashboardApi(path, { method: 'DELETE' });
    toast('The customer is deleted.', 'good');
    go(hrefOf(mode, 'customers'));
  };
  return (
    <ActionDialog title="Delete the customer" action="Delete for good" isDanger run={remove} onClose={onClose}>
      <p>
        This cancels every live subscription of the customer, and clears name, e-mail address and phone. Payments are
        kept.
      </p>
    </ActionDialog>
  );
}
