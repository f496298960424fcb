/** One step of a story. */
export interface Step {
  /** The subscription's clock, ISO 8601; absent: that of the step before. */
  readonly at?: string;
  readonly what: string;
  readonly status?: string;
  /** Decimal, in units of the token. */
  readonly amount?: string;
  readonly txHash?: string;
}

/** A webhook that the step before it has caused. */
export interface ArrivedWebhook {
  readonly webhook: string;
  readonly sequence: number;
  /** The reason of a failure or end, if the event has one. */
  readonly reason?: string;
}

/** Shows a story to a person while it happens. */
export interface Narrator {
  /** A part of the story with its own headline, and what one should know about it. */
  chapter(title: string, ...notes: readonly string[]): void;
  add(step: Step): void;
  addWebhook(webhook: ArrivedWebhook): void;
  /** A line of the story's own. `tone` says what it means for the payer. */
  line(text: string, tone?: 'good' | 'bad' | 'plain' | 'note'): void;
  /** Shows what the story waits for. */
  waitFor<T>(what: string, work: Promise<T>): Promise<T>;
}

/** Tells nobody, as tests do. */
export const SILENT: Narrator = {
  chapter: () => undefined,
  add: () => undefined,
  addWebhook: () => undefined,
  line: () => undefined,
  waitFor: (_, work) => work,
};
