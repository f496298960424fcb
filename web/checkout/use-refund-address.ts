import { useState } from 'preact/hooks';
import { type Problem, problemOf, refundAddressError } from '../pay/problem.ts';

export interface RefundAddress {
  readonly address: string;
  readonly setAddress: (address: string) => void;
  /** Why the address is refused; null if it is accepted. */
  readonly error: string | null;
  /** The last other problem. */
  readonly problem: Problem | null;
  readonly busy: boolean;
  readonly send: () => Promise<void>;
}

/** The field for an address for refunds, which `run` sends to the service. */
export function useRefundAddress(run: (address: string) => Promise<void>): RefundAddress {
  const [address, setAddress] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const send = async () => {
    setBusy(true);
    setError(null);
    setProblem(null);
    try {
      await run(address.trim());
    } catch (failed) {
      const wrong = refundAddressError(failed);
      setError(wrong);
      if (wrong === null) setProblem(problemOf(failed));
    } finally {
      setBusy(false);
    }
  };
  return { address, setAddress, error, problem, busy, send };
}
