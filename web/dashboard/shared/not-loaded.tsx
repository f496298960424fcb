import { LoadFailed, type LoadFailedProps } from '../../ui/load-failed.tsx';
import { hrefOf, type Mode, type Page } from '../route.ts';

export interface NotLoadedProps extends Pick<LoadFailedProps, 'loaded'> {
  readonly mode: Mode;
  readonly list: Page;
}

/** What a page shows while its resource loads, or if it cannot: why, and the way to the list. */
export function NotLoaded({ loaded, mode, list }: NotLoadedProps) {
  if (loaded.error === null) return <p class="soft">Loading…</p>;
  return (
    <LoadFailed loaded={loaded}>
      <a href={hrefOf(mode, list)}>All {list}</a>
    </LoadFailed>
  );
}
