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
