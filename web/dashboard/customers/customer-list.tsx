import { shortened } from '../../pay/words.ts';
import { Clipped } from '../../ui/clipped.tsx';
import { type Filter, ListPage } from '../list/list-page.tsx';
import type { Customer, Customers } from '../merchant-api.ts';
import { hrefOf, type Route } from '../route.ts';
import { Moment } from '../shared/moment.tsx';

const FILTERS: readonly Filter[] = [
  { name: 'email', label: 'E-mail' },
  { name: 'merchantReferenceId', label: 'Your id' },
  { name: 'walletAddress', label: 'Wallet' },
];

export function CustomerList({ route }: { readonly route: Route }) {
  return (
    <ListPage<Customers, Customer>
      route={route}
      create="Create a customer"
      filters={FILTERS}
      rowsOf={({ customers }) => customers}
      columns={{
        Customer: ({ id, name, email }) => (
          <Clipped text={name ?? email ?? shortened(id)} href={hrefOf(route.mode, 'customers', id)} />
        ),
        'E-mail': ({ email }) => <Clipped text={email ?? '–'} />,
        'Your id': ({ merchantReferenceId }) => <Clipped text={merchantReferenceId ?? '–'} />,
        Wallets: ({ wallets }) => wallets.map(({ address }) => shortened(address)).join(', ') || '–',
        Created: ({ createdAt }) => <Moment at={createdAt} />,
      }}
      empty="There are no customers yet. Each checkout makes one, and you can create them here or through the API."
    />
  );
}
