import { useState } from 'preact/hooks';
import type { Order } from '../pay/order.ts';
import { type Problem, problemOf, refundAddressError } from '../pay/problem.ts';
import { OrderBar } from '../pay/views/order-bar.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Notice } from '../ui/notice.tsx';
import { useTitle } from '../ui/use-title.ts';

export interface StartTransferProps {
  readonly offerName: string;
  readonly merchantName: string;
  readonly order: Order;
  /** False: another part of the page has an error, and shows it. */
  readonly isReady: () => boolean;
  /** Empty: the payer has named no wallet. */
  readonly start: (refundWallet: string) => Promise<void>;
}

/** Requests a deposit address; no wallet is needed. */
export function StartTransfer({ offerName, merchantName, order, isReady, start }: StartTransferProps) {
  useTitle('Pay by a transfer', offerName, merchantName);
  const [refund, setRefund] = useState('');
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const begin = () => {
    if (!isReady()) return;
    setBusy(true);
    setWrong(null);
    setProblem(null);
    start(refund.trim())
      .catch((error: unknown) => {
        const ofAddress = refundAddressError(error);
        setWrong(ofAddress);
        if (ofAddress === null) setProblem(problemOf(error));
      })
      .finally(() => setBusy(false));
  };
  return (
    <div class="stack">
      <p>Send the exact amount from any wallet or exchange. You get an address for this payment only.</p>
      <Field
        label="Your address for refunds (optional)"
        value={refund}
        onInput={setRefund}
        error={wrong}
        hint="An address of your own, not the one of an exchange that you send from. What you send too much, too little or too late goes there. Without one, it is kept until you name one here."
      />
      <OrderBar order={order}>
        <Button variant="primary" busy={busy} onClick={begin}>
          Show the address
        </Button>
      </OrderBar>
      {problem !== null && (
        <Notice tone="bad" title={problem.title}>
          <p>{problem.text}</p>
        </Notice>
      )}
    </div>
  );
}
