import { SearchForm } from '../../ui/search-form.tsx';
import { useSelector } from '../../ui/use-selector.ts';
import { go, route, searchHref } from '../route.ts';

export function StaffSearch() {
  const sought = useSelector(route, (context) => (context.route.page === 'search' ? context.route.q : null));
  return (
    <SearchForm
      label="Search by id, wallet, transaction, or the beginning of a name, email or reference"
      placeholder="Id, wallet, transaction, name, email, reference"
      sought={sought}
      onSearch={(q) => go(searchHref(q))}
    />
  );
}
