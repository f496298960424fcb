import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Notice } from './notice.tsx';
import type { Loaded } from './use-load.ts';

export interface LoadFailedProps {
  readonly loaded: Pick<Loaded<unknown>, 'error' | 'isMissing' | 'isLoading' | 'reload'>;
  /** The meaning of a missing resource. */
  readonly children?: ComponentChildren;
}

/** Why nothing is shown. Only a 404 is shown as missing; after any other error the page can load again. */
export function LoadFailed({ loaded, children }: LoadFailedProps) {
  const { error, isMissing, isLoading, reload } = loaded;
  return (
    <Notice tone="bad" title={error ?? ''} isStep>
      {isMissing ? (
        children
      ) : (
        <div>
          <Button size="small" busy={isLoading} onClick={reload}>
            Try again
          </Button>
        </div>
      )}
    </Notice>
  );
}

export interface WhenLoadedProps<T> {
  readonly loaded: Loaded<T>;
  /** The meaning of a missing resource. */
  readonly missing?: ComponentChildren;
  readonly wait?: ComponentChildren;
  readonly children: (value: T) => ComponentChildren;
}

const LOADING = <p class="soft">Loading…</p>;

/** The loaded data; before that a word; or why it could not be loaded. */
export function WhenLoaded<T>({ loaded, missing, wait = LOADING, children }: WhenLoadedProps<T>) {
  const { value, error } = loaded;
  if (error !== null) return <LoadFailed loaded={loaded}>{missing}</LoadFailed>;
  return <>{value === null ? wait : children(value)}</>;
}

/** While no answer says whether a session exists, the page asks nobody to sign in. */
export function SessionUnknown({ title, loaded }: Pick<LoadFailedProps, 'loaded'> & { readonly title: string }) {
  if (loaded.error === null) return <p class="wait soft">…</p>;
  return (
    <main class="page stack">
      <h1>{title}</h1>
      <LoadFailed loaded={loaded} />
    </main>
  );
}
