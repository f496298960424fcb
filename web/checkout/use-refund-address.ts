import { useEffect, useState } from 'preact/hooks';
import { type Problem, problemOf, refundAddressError } from '../pay/problem.ts';

/** The field for an address for refunds, which `run` sends to the service. `problem`: any but a refused address. */
export function useRefundAddress(run: (address: string) => Promise<void>) {
  const [address, setAddress] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    // The button may be in the bar, far from the field.
    if (error !== null) document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
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
  const onInput = (text: string) => {
    setAddress(text);
    setError(null);
    setProblem(null);
  };
  return { address, field: { value: address, onInput, error }, problem, busy, send };
}
