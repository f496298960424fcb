import { RoleNote, type RoleNoteProps } from '../access/role-note.tsx';
import { type Order, OrderButton } from './order-button.tsx';

export interface OrderRowProps extends RoleNoteProps {
  readonly orders: readonly (Omit<Order, 'onDone'> & { readonly isAllowed?: boolean })[];
  readonly onDone: () => void;
}

/** What can be done with the resource of a page. */
export function OrderRow({ orders, onDone, needs, what = 'Changes need' }: OrderRowProps) {
  return (
    <section class="stack-tight" aria-labelledby="actions">
      <h2 id="actions" class="visually-hidden">
        Actions
      </h2>
      <div class="row">
        {orders.map(({ isAllowed = true, ...order }) => (
          <OrderButton key={order.title} needs={needs} order={{ ...order, onDone }} disabled={!isAllowed} />
        ))}
      </div>
      <RoleNote what={what} needs={needs} />
    </section>
  );
}
