import type { ComponentChild, ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { sayRich } from '../../i18n/say.ts';
import { serviceNow } from '../../ui/api.ts';
import { Notice, StatusRegion } from '../../ui/notice.tsx';
import { type Order, summaryOf } from '../order.ts';
import type { Problem } from '../problem.ts';
import { ProblemNotice } from './problem-notice.tsx';

export interface OrderBarProps {
  /** null: this step orders nothing. */
  readonly order: Order | null;
  /** The answer to the last tap; null: there is nothing to say. */
  readonly problem: Problem | null;
  /** The button of this step; absent: the step has several. */
  readonly children?: ComponentChildren;
}

/**
 * The amounts of today and later, errors, and the button of the step. It stays at the lower edge of the window,
 * so that an answer is seen where the payer has tapped.
 */
export function OrderBar({ order, problem, children = null }: OrderBarProps) {
  const bar = useRef<HTMLDivElement>(null);
  const isShown = order !== null || problem !== null || children !== null;
  useEffect(() => {
    if (bar.current === null) return;
    const { style } = document.documentElement;
    const observer = new ResizeObserver(([entry]) => {
      style.setProperty('--order-bar', `${Math.ceil(entry?.borderBoxSize[0]?.blockSize ?? 0)}px`);
    });
    observer.observe(bar.current);
    return () => {
      observer.disconnect();
      style.removeProperty('--order-bar');
    };
  }, [isShown]);
  if (!isShown) return null;
  const isWait = problem?.isWait === true;
  return (
    <div class="order-bar stack-tight" data-part="order-bar" ref={bar}>
      {order !== null && <OrderLine order={order} />}
      <StatusRegion>
        {isWait && (
          <Notice tone="warn" title={problem.title} isInRegion>
            <p>{problem.text}</p>
          </Notice>
        )}
      </StatusRegion>
      {!isWait && <ProblemNotice problem={problem} />}
      {children}
    </div>
  );
}

function OrderLine({ order }: { readonly order: Order }) {
  const { today, later, price, discount, units } = summaryOf(order, new Date(serviceNow()).toISOString());
  const values = { today, b: (parts: ComponentChild[]) => <strong class="number">{parts}</strong> };
  return (
    <p data-part="order">
      {later === null
        ? sayRich<ComponentChild>('order.today', values)
        : sayRich<ComponentChild>('order.today_and_later', { ...values, later })}
      {price !== null && <span class="small soft"> ({price})</span>}
      {discount !== null && (
        <span class="small" data-part="discount">
          {' '}
          ({discount})
        </span>
      )}
      {units !== null && (
        <span class="small soft" data-part="units">
          {' '}
          ({units})
        </span>
      )}
    </p>
  );
}
