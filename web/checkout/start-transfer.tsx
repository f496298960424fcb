import { useState } from 'preact/hooks';
import { say } from '../i18n/say.ts';
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
  useTitle(say('transfer.title'), offerName, merchantName);
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
      <p>{say('transfer.lead')}</p>
      <Field
        label={say('refund.address_label_optional')}
        value={refund}
        onInput={setRefund}
        error={wrong}
        hint={say('refund.address_hint_optional')}
      />
      <OrderBar order={order}>
        <Button variant="primary" busy={busy} onClick={begin}>
          {say('transfer.show_address')}
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
