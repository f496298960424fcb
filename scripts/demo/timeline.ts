import type { ArrivedWebhook, Narrator, Step } from '../../stage/narrator.ts';
import type { Terminal } from '../lib/terminal.ts';

export interface TimelineEntry extends Step {
  readonly at: string;
}

const WIDTHS = { date: 10, what: 33, status: 8, amount: 9, hash: 11 } as const;

/** Shows events when they happen, and keeps them. */
export class Timeline implements Narrator {
  readonly entries: TimelineEntry[] = [];
  readonly #terminal: Terminal;
  /** Webhooks that wait for the step that caused them. */
  #held: ArrivedWebhook[] = [];

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  chapter(title: string, ...notes: readonly string[]): void {
    const { bold, dim } = this.#terminal.colors;
    this.release();
    this.#terminal.line();
    this.#terminal.line(` ${bold(title)}`);
    for (const note of notes) this.#terminal.line(dim(` ${note}`));
    this.#terminal.line();
    if (this.entries.length > 0) return;
    const columns = { date: 'date', what: 'what happened', status: 'status', amount: 'USDC', hash: 'tx' };
    this.#terminal.line(dim(row(columns)));
  }

  add(step: Step): void {
    const entry = { ...step, at: step.at ?? this.entries.at(-1)?.at ?? new Date().toISOString() };
    this.entries.push(entry);
    const { at, what, status = '', amount = '', txHash } = entry;
    const hash = txHash === undefined ? '' : shortened(txHash);
    this.#terminal.line(this.#painted({ date: at.slice(0, WIDTHS.date), what, status, amount, hash }));
    this.release();
  }

  line(text: string, tone: 'good' | 'bad' | 'plain' | 'note' = 'plain'): void {
    const { dim, green, red } = this.#terminal.colors;
    const paint = { good: green, bad: red, plain: (plain: string) => plain, note: dim }[tone];
    this.#terminal.line(paint(text));
    this.release();
  }

  addWebhook(webhook: ArrivedWebhook): void {
    this.#held.push(webhook);
  }

  async waitFor<T>(what: string, work: Promise<T>): Promise<T> {
    const done = this.#terminal.busy(what);
    try {
      return await work;
    } finally {
      done();
    }
  }

  release(): void {
    for (const webhook of this.#held.splice(0)) this.#showWebhook(webhook);
  }

  #showWebhook({ webhook, sequence, reason }: ArrivedWebhook): void {
    const { dim, green } = this.#terminal.colors;
    const what = `  webhook ${webhook} ${sequence}`;
    const line = row({ date: '', what, status: '', amount: '', hash: '' }).trimEnd();
    const why = reason === undefined ? '' : `  ${dim(reason)}`;
    this.#terminal.line(`${dim(line.padEnd(WIDTHS.date + WIDTHS.what + 3))}  ${green('verified')}${why}`);
  }

  #painted(cells: Cells): string {
    const { colors } = this.#terminal;
    const paint = statusColor(cells.status, colors);
    return row(cells, { date: colors.cyan, status: paint, amount: colors.bold, hash: colors.dim });
  }
}

interface Cells {
  readonly date: string;
  readonly what: string;
  readonly status: string;
  readonly amount: string;
  readonly hash: string;
}

type Paint = (text: string) => string;

/** Pads before it colours, because colours have no width. */
function row(cells: Cells, paints: Partial<Record<keyof Cells, Paint>> = {}): string {
  const plain: Paint = (text) => text;
  const { date = plain, what = plain, status = plain, amount = plain, hash = plain } = paints;
  const parts = [
    date(cells.date.padEnd(WIDTHS.date)),
    what(cells.what.padEnd(WIDTHS.what)),
    status(cells.status.padEnd(WIDTHS.status)),
    amount(cells.amount.padStart(WIDTHS.amount)),
    hash(cells.hash.padEnd(WIDTHS.hash)),
  ];
  return ` ${parts.join('  ').trimEnd()}`;
}

function statusColor(status: string, colors: Terminal['colors']): Paint {
  switch (status) {
    case 'settled':
    case 'active':
      return colors.green;
    case 'failed':
    case 'past_due':
      return colors.red;
    default:
      return colors.yellow;
  }
}

/** `0x1234…abcd`. */
function shortened(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}
