import { useState } from 'preact/hooks';
import { type Problem, problemOf, refundAddressError } from '../pay/problem.ts';

/** The field for an address for refunds, which `run` sends to the service. `problem`: any but a refused address. */
export function useRefundAddress(run: (address: string) => Promise<void>) {
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
  return { address, field: { value: address, onInput: setAddress, error }, problem, busy, send };
}
