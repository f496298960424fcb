import { shortened } from '../../pay/words.ts';
import { useSelector } from '../../ui/use-selector.ts';
import { hasRole, session } from '../access/session.ts';
import type { Filter } from '../list/filters.ts';
import { ListPage } from '../list/list-page.tsx';
import type { Customer, Customers } from '../merchant-api.ts';
import { hrefOf, type Route } from '../route.ts';
import { Moment } from '../shared/facts.tsx';
import { CustomerPage } from './customer-page.tsx';
import { NewCustomer } from './new-customer.tsx';

const FILTERS: readonly Filter[] = [
  { name: 'email', label: 'E-mail' },
  { name: 'merchantReferenceId', label: 'Your id' },
  { name: 'walletAddress', label: 'Wallet' },
];

/** All pages about customers. */
export function CustomersPage({ route }: { readonly route: Route }) {
  switch (route.id) {
    case null:
      return <CustomerList route={route} />;
    case 'new':
      return <NewCustomer mode={route.mode} />;
    default:
      return <CustomerPage mode={route.mode} id={route.id} />;
  }
}

function CustomerList({ route }: { readonly route: Route }) {
  const { mode } = route;
  const mayAct = useSelector(session, (context) => hasRole(context, 'member'));
  return (
    <ListPage<Customers, Customer>
      route={route}
      title="Customers"
      filters={FILTERS}
      rowsOf={({ customers }) => customers}
      columns={[
        {
          title: 'Customer',
          cell: ({ id, name, email }) => <a href={hrefOf(mode, 'customers', id)}>{name ?? email ?? id}</a>,
        },
        { title: 'E-mail', cell: ({ email }) => email ?? '–' },
        { title: 'Your id', cell: ({ merchantReferenceId }) => merchantReferenceId ?? '–' },
        { title: 'Wallets', cell: ({ wallets }) => wallets.map(({ address }) => shortened(address)).join(', ') || '–' },
        { title: 'Created', cell: ({ createdAt }) => <Moment at={createdAt} /> },
      ]}
      empty="There are no customers yet. Each checkout makes one, and you can create them here or through the API."
    >
      {mayAct && (
        <a class="button button-primary button-small" href={hrefOf(mode, 'customers', 'new')}>
          Create a customer
        </a>
      )}
    </ListPage>
  );
}
