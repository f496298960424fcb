import type { ComponentChild, ComponentChildren } from 'preact';
import { sayRich } from '../../i18n/say.ts';
import { serviceNow } from '../../ui/api.ts';
import { type Order, summaryOf } from '../order.ts';

export interface OrderBarProps {
  readonly order: Order;
  /** The button of this step; absent: the step has several. */
  readonly children?: ComponentChildren;
}

/** What is paid today and later, with the button of the step. It stays at the lower edge of the window. */
export function OrderBar({ order, children }: OrderBarProps) {
  const { today, later, price } = summaryOf(order, new Date(serviceNow()).toISOString());
  const values = { today, b: (parts: ComponentChild[]) => <strong class="number">{parts}</strong> };
  return (
    <div class="order-bar stack-tight">
      <p data-part="order">
        {later === null
          ? sayRich<ComponentChild>('order.today', values)
          : sayRich<ComponentChild>('order.today_and_later', { ...values, later })}
        {price !== null && <span class="small soft"> ({price})</span>}
      </p>
      {children}
    </div>
  );
}
