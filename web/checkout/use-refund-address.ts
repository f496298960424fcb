import { useEffect, useState } from 'preact/hooks';
import { problemOf, refundAddressError } from '../pay/problem.ts';
import { useAction } from '../ui/use-action.ts';

/** The field for an address for refunds, which `run` sends to the service. `problem`: any but a refused address. */
export function useRefundAddress(run: (address: string) => Promise<void>) {
  const [address, setAddress] = useState('');
  const { isBusy: busy, failure, act, clear } = useAction();
  const error = failure === null ? null : refundAddressError(failure);
  const problem = failure === null || error !== null ? null : problemOf(failure);
  useEffect(() => {
    // The button may be in the bar, far from the field.
    if (error !== null) document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [error]);
  const onInput = (text: string) => {
    setAddress(text);
    clear();
  };
  return {
    address,
    field: { value: address, onInput, error },
    problem,
    busy,
    send: () => act(() => run(address.trim())),
  };
}
