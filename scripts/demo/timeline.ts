import type { Terminal } from '../lib/terminal.ts';

/** One event of the story. */
export interface TimelineEntry {
  /** The subscription's clock (the real one before there is a subscription), ISO 8601. */
  readonly at: string;
  readonly what: string;
  readonly status?: string;
  /** Decimal, in units of the token. */
  readonly amount?: string;
  readonly txHash?: string;
}

/** A webhook for the entry before it. */
export interface TimelineWebhook {
  readonly webhook: string;
  readonly sequence: number;
  /** The reason of a failure or end, if the event has one. */
  readonly reason?: string;
}

const WIDTHS = { date: 10, what: 33, status: 8, amount: 9, hash: 11 } as const;

/** Shows events when they happen, and keeps them. */
export class Timeline {
  readonly entries: TimelineEntry[] = [];
  readonly #terminal: Terminal;
  /** Webhooks that wait for the entry that caused them; null: they are shown at once. */
  #held: TimelineWebhook[] | null = null;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  title(title: string): void {
    const { dim } = this.#terminal.colors;
    this.chapter(title);
    this.#terminal.line(
      dim(row({ date: 'date', what: 'what happened', status: 'status', amount: 'USDC', hash: 'tx' })),
    );
  }

  /** A part of the story with its own headline. */
  chapter(title: string): void {
    this.#terminal.line();
    this.#terminal.line(` ${this.#terminal.colors.bold(title)}`);
    this.#terminal.line();
  }

  add(entry: TimelineEntry): void {
    this.entries.push(entry);
    const { at, what, status = '', amount = '', txHash } = entry;
    const hash = txHash === undefined ? '' : shortened(txHash);
    this.#terminal.line(this.#painted({ date: at.slice(0, WIDTHS.date), what, status, amount, hash }));
    this.#release();
  }

  /** Shows a line of the story's own, and then the webhooks that it caused. */
  addLine(line: string): void {
    this.#terminal.line(line);
    this.#release();
  }

  addWebhook(webhook: TimelineWebhook): void {
    if (this.#held) this.#held.push(webhook);
    else this.#showWebhook(webhook);
  }

  /** Shows what it waits for. Webhooks that arrive meanwhile are shown after the next entry, which caused them. */
  async waitFor<T>(what: string, work: Promise<T>): Promise<T> {
    this.#held ??= [];
    const done = this.#terminal.busy(what);
    try {
      return await work;
    } finally {
      done();
    }
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const webhook of held) this.#showWebhook(webhook);
  }

  #showWebhook({ webhook, sequence, reason }: TimelineWebhook): void {
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
export function shortened(hex: string): string {
  return `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}
