import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from './message-of.ts';
import { toast } from './toast.tsx';

export interface Action {
  readonly isBusy: boolean;
  /** The message of the last refusal; null: none. */
  readonly problem: string | null;
  /** Runs one at a time. True: it has succeeded. */
  readonly act: (run: () => Promise<unknown>) => Promise<boolean>;
}

/**
 * A request that the user makes, with its progress and its refusal. A refusal after the user has left names the
 * request.
 */
export function useAction(name: string | null = null): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
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
    setProblem(null);
    try {
      await run();
      return true;
    } catch (error) {
      // A page that the user has left cannot show it.
      if (isShown.current) setProblem(messageOf(error));
      else toast(`${name === null ? '' : `${name}: `}${messageOf(error)}`, 'bad');
      return false;
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { isBusy, problem, act };
}
