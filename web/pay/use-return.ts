import { useEffect, useState } from 'preact/hooks';

const CHECK_MS = 5_000;

/**
 * For a payer who continues in another browser: after `leave`, calls `check` every five seconds while this page is
 * visible, and when it becomes visible again. Ends when `isOver`.
 */
export function useReturn(isOver: boolean, check: () => Promise<void>): () => void {
  const [hasLeft, setLeft] = useState(false);
  const isWaiting = hasLeft && !isOver;
  useEffect(() => {
    if (!isWaiting) return;
    // An answer that fails is asked for again.
    const look = () => void (document.visibilityState === 'visible' && check().catch(() => {}));
    const timer = setInterval(look, CHECK_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [isWaiting]);
  return () => setLeft(true);
}
