import { LoadFailed, type LoadFailedProps } from '../../ui/load-failed.tsx';

export interface NotLoadedProps extends Pick<LoadFailedProps, 'loaded'> {
  readonly kind: string;
  readonly id: string;
}

/** What a page shows while its resource loads, or why it cannot. */
export function NotLoaded({ loaded, kind, id }: NotLoadedProps) {
  if (loaded.error === null) return <p class="soft">Loading…</p>;
  return (
    <LoadFailed loaded={loaded}>
      No {kind} has the id <code>{id}</code>.
    </LoadFailed>
  );
}
