import { useQuestion } from '../../ui/action-dialog.tsx';
import { Button, type ButtonProps } from '../../ui/button.tsx';
import type { FormField, Values } from '../../ui/form.tsx';
import { toast } from '../../ui/notice.tsx';
import { useMay, useStaffRole } from '../access/session.ts';
import { call } from '../api.ts';

/** For what belongs to one of the environments. */
export const ENVIRONMENT: FormField = {
  name: 'mode',
  label: 'Environment',
  options: Object.entries({ test: 'test', live: 'live' }),
};

const REASON: FormField = { name: 'reason', label: 'Reason', hint: 'The journal keeps it.', rows: 3, maxLength: 500 };

/** A change that staff make. */
export interface Order<Answer = unknown> {
  /** The action, as on its buttons. */
  readonly title: string;
  /** It cannot be undone. */
  readonly isDanger?: boolean;
  readonly what: string;
  /** Below `/staff/api`. */
  readonly path: string;
  readonly method?: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly body?: { readonly [name: string]: boolean | string };
  /** An empty one is not sent, and a numeric one is sent as a number if it is one. */
  readonly fields?: readonly FormField[];
  /** False: the journal keeps no reason, because nothing existed before. */
  readonly needsReason?: boolean;
  readonly onDone: (answer: Answer) => void;
}

export interface OrderButtonProps<Answer> extends Pick<ButtonProps, 'variant' | 'label' | 'disabled'> {
  readonly needs: 'act' | 'admin';
  readonly order: Order<Answer>;
  /** Absent: the title of the order. */
  readonly children?: string;
}

/**
 * Asks before a change. Every change needs a reason, which the journal keeps with the name of the member of the staff.
 */
export function OrderButton<Answer>({ needs, order, children, disabled = false, ...button }: OrderButtonProps<Answer>) {
  const { title, isDanger = false, what, path, method = 'POST', body, needsReason = true, onDone } = order;
  const { askFor, dialog } = useQuestion();
  const may = useMay(needs);
  const fields = [...(order.fields ?? []), ...(needsReason ? [REASON] : [])];
  const run = async (texts: Texts) => {
    if (needsReason && texts['reason']?.trim() === '') throw new Error('reason is required');
    const sent = { ...body, ...sentOf(fields, texts) };
    const answer = await call<Answer>(`/${path.replace(/^\//, '')}`, { method, body: sent });
    toast(`${title}: done`, 'good');
    onDone(answer);
  };
  return (
    <>
      <Button
        size="small"
        variant={isDanger ? 'danger' : 'plain'}
        {...button}
        disabled={disabled || !may}
        onClick={() => askFor({ title, isDanger, text: what, fields, first: firstTexts(fields), run })}
      >
        {children ?? title}
      </Button>
      {dialog}
    </>
  );
}

type Texts = Values<{ readonly [name: string]: string }>;

function firstTexts(fields: readonly FormField[]): Texts {
  return Object.fromEntries(fields.map(({ name, options }) => [name, options?.[0]?.[0] ?? '']));
}

function sentOf(fields: readonly FormField[], texts: Texts): { [name: string]: string | number } {
  const entries = fields.flatMap(({ name, inputMode }) => {
    const text = texts[name]?.trim() ?? '';
    if (text === '') return [];
    // If the text is not a number, the service refuses it and says why.
    return [[name, inputMode === 'numeric' && /^\d{1,9}$/.test(text) ? Number(text) : text] as const];
  });
  return Object.fromEntries(entries);
}

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

export interface RoleNoteProps {
  readonly what?: string;
  readonly needs: 'act' | 'admin';
}

/** Why the buttons do not react. */
export function RoleNote({ what = 'Changes need', needs }: RoleNoteProps) {
  const role = useStaffRole();
  if (useMay(needs)) return null;
  return (
    <p class="small soft">
      Your role is {role}. {what} the role {needs}.
    </p>
  );
}
