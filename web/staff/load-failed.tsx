import type { ComponentChildren } from 'preact';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import type { Loaded } from './use-load.ts';

export interface LoadFailedProps {
  readonly loaded: Pick<Loaded<unknown>, 'error' | 'isMissing' | 'isLoading' | 'reload'>;
  /** What it means that there is no such thing. */
  readonly children?: ComponentChildren;
}

/** Why nothing is shown. Only what the service knows not to be there is said not to be there; all else is asked for again. */
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
