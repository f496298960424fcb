import { say } from '../i18n/say.ts';
import type { Order } from '../pay/order.ts';
import { OrderBar } from '../pay/views/order-bar.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { useTitle } from '../ui/use-title.ts';
import { useRefundAddress } from './use-refund-address.ts';

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
  const { field, problem, busy, send } = useRefundAddress(start);
  const begin = () => {
    if (isReady()) void send();
  };
  return (
    <div class="stack">
      <p>{say('transfer.lead')}</p>
      <Field {...field} label={say('refund.address_label_optional')} hint={say('refund.address_hint_optional')} />
      <OrderBar order={order} problem={problem}>
        <Button variant="primary" busy={busy} onClick={begin}>
          {say('transfer.show_address')}
        </Button>
      </OrderBar>
    </div>
  );
}
