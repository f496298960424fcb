import { escapeHtml } from '../pages/shell.ts';

/** HTML that is safe to put into a page as it is. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | null | readonly Value[];

/** HTML from a template. Inserted text is escaped; null is nothing, and a list is its items one after the other. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + textOf(values[index] ?? null)).join(''));
}

/** The items with a separator between them. */
export function joined(items: readonly Html[], separator: string): Html {
  return new Html(items.map(({ text }) => text).join(escapeHtml(separator)));
}

function textOf(value: Value): string {
  if (value === null) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(textOf).join('');
  return escapeHtml(String(value));
}
