import { useQuestion } from '../../ui/action-dialog.tsx';
import type { FormField, Values } from '../../ui/fields.tsx';
import { toast } from '../../ui/toast.tsx';
import { call } from '../api.ts';

/** For what belongs to one of the environments. */
export const ENVIRONMENT: FormField = {
  name: 'mode',
  label: 'Environment',
  options: [
    ['test', 'test'],
    ['live', 'live'],
  ],
};

const REASON: FormField = { name: 'reason', label: 'Reason', rows: 3, maxLength: 500, isNeeded: true };

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

/**
 * Asks before a change. Every change needs a reason, which the journal keeps with the name of the member of the staff.
 */
export function useConfirm() {
  const { askFor, dialog } = useQuestion();
  const confirm = <Answer>({ title, isDanger = false, what, path, method = 'POST', body, ...order }: Order<Answer>) => {
    const { needsReason = true, onDone } = order;
    const fields = [...(order.fields ?? []), ...(needsReason ? [REASON] : [])];
    askFor({
      ...{ title, isDanger, fields },
      text: what,
      first: firstTexts(fields),
      run: async (texts) => {
        if (needsReason && texts['reason']?.trim() === '') throw new Error('Enter a reason. The journal keeps it.');
        const answer = await call<Answer>(`/${path.replace(/^\//, '')}`, {
          method,
          body: { ...body, ...sentOf(fields, texts) },
        });
        toast(`${title}: done`, 'good');
        onDone(answer);
      },
    });
  };
  return { confirm, dialog };
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
