import { Button } from '../../ui/button.tsx';
import type { Paged } from './use-pages.ts';

/** The button for the next page, if there is one. */
export function ShowMore({ paged: { hasMore, isLoading, more } }: { readonly paged: Omit<Paged<unknown>, 'items'> }) {
  return hasMore ? (
    <p>
      <Button busy={isLoading} onClick={more}>
        Show more
      </Button>
    </p>
  ) : null;
}
