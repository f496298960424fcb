import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from './message-of.ts';
import { toast } from './notice.tsx';

export interface Action {
  readonly isBusy: boolean;
  /** What the last run has thrown; null: nothing. */
  readonly failure: unknown;
  /** Its message. */
  readonly problem: string | null;
  /** The cause of the failure is gone. */
  readonly clear: () => void;
  /** Runs one at a time. True: it has succeeded. */
  readonly act: (run: () => Promise<unknown>) => Promise<boolean>;
}

/**
 * A request that the user makes, with its progress and its refusal. A refusal after the user has left names the
 * request.
 */
export function useAction(name: string | null = null): Action {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const isShown = useRef(true);
  const isRunning = useRef(false);
  useEffect(
    () => () => {
      isShown.current = false;
    },
    [],
  );
  const act = async (run: () => Promise<unknown>) => {
    // The second click of a double click comes before the page shows the first.
    if (isRunning.current) return false;
    isRunning.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await run();
      return true;
    } catch (error) {
      // A page that the user has left cannot show it.
      if (isShown.current) setFailure(error);
      else toast(`${name === null ? '' : `${name}: `}${messageOf(error)}`, 'bad');
      return false;
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { isBusy, failure, problem: failure === null ? null : messageOf(failure), act, clear: () => setFailure(null) };
}
