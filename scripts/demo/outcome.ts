import { TidelineError } from 'tideline/client';
import { messageOf } from '../../src/errors/message-of.ts';
import type { LedgerRow } from '../../stage/books.ts';
import { ExpectationFailed } from '../../stage/expectations.ts';
import type { Stage } from '../../stage/stage.ts';
import type { Shown } from '../../stage/stories.ts';
import type { Story } from '../../stage/story.ts';
import { inTokens } from '../../stage/tokens.ts';
import { resourceOf } from '../lib/resource-of.ts';
import type { Terminal } from '../lib/terminal.ts';
import type { Timeline } from './timeline.ts';

/** The result of a demo run. */
export interface Outcome {
  readonly story: Story;
  readonly startMs: number;
  readonly durationMs: number;
  /** null: every expectation held. */
  readonly failure: unknown;
  /** null: it did not come to its end. */
  readonly shown: Shown | null;
  /** null: it could not be opened. */
  readonly stage: Stage | null;
  readonly timeline: Timeline;
}

/** The JSON of `--json`: amounts in base units as decimal strings. */
export function outcomeJson(outcome: Outcome): string {
  const { story, startMs, durationMs, failure, shown, stage, timeline } = outcome;
  const text = {
    story: story.name,
    ok: failure === null,
    failure: failure === null ? null : failureJson(failure),
    expectationsHeld: heldOn(stage),
    startMs: Math.round(startMs),
    durationMs: Math.round(durationMs),
    timeline: timeline.entries,
    webhooks: acceptedOn(stage).map((envelope) => ({
      id: envelope.id,
      event: envelope.event,
      resource: resourceOf(envelope),
      sequence: envelope.sequence,
      reason: envelope.data['reason'],
    })),
    ledger: shown?.ledger ?? [],
    attempts: shown?.attempts ?? [],
  };
  return `${JSON.stringify(text, (_, value) => (typeof value === 'bigint' ? value.toString() : value), 2)}\n`;
}

function failureJson(failure: unknown) {
  if (!(failure instanceof ExpectationFailed)) return { expectation: null, message: failureText(failure) };
  const { expectation, expected, found } = failure;
  return { expectation, expected, found };
}

/** Names the failed call, because the service's message may be only two words. */
function failureText(failure: unknown): string {
  if (!(failure instanceof TidelineError)) return messageOf(failure);
  const { operation, status, requestId, message } = failure;
  return `${operation} answered ${status} (${message}), request ${requestId}`;
}

export function showOutcome(outcome: Outcome, terminal: Terminal): void {
  const { failure, durationMs, stage, shown } = outcome;
  if (shown !== null && shown.ledger.length > 0) showLedger(shown.ledger, terminal);
  const held = heldOn(stage);
  const { bold, green, red } = terminal.colors;
  terminal.line();
  if (failure === null) {
    const webhooks = acceptedOn(stage).length;
    const seconds = (durationMs / 1_000).toFixed(1);
    terminal.line(` ${green('✓')} ${bold(`${held} expectations held`)}, ${webhooks} webhooks verified, ${seconds} s`);
    terminal.line();
    return;
  }
  const what = failure instanceof ExpectationFailed ? 'An expectation did not hold' : 'The demo failed';
  terminal.line(` ${red('✗')} ${bold(what)} ${`(${held} held before)`}`);
  for (const line of failureText(failure).split('\n')) terminal.line(`   ${line}`);
  terminal.line();
}

function heldOn(stage: Stage | null): number {
  return stage?.expect.held ?? 0;
}

function acceptedOn(stage: Stage | null) {
  return stage?.merchants.flatMap(({ receiver }) => receiver.accepted) ?? [];
}

function showLedger(rows: readonly LedgerRow[], terminal: Terminal): void {
  const { bold, dim, green, red } = terminal.colors;
  const cells = (name: string, values: readonly string[]) =>
    ` ${name.padEnd(10)}${values.map((value) => value.padStart(16)).join('')}`;
  terminal.line();
  terminal.line(
    ` ${bold('Ledger')} ${dim('USDC: balances and Transfer logs of the chain, beside what the service says')}`,
  );
  terminal.line();
  terminal.line(dim(cells('', ['before', 'Transfer logs', 'after', 'service says'])));
  for (const { name, before, moved, after, claimed } of rows) {
    const values = [before, moved, after, claimed].map((value) => inTokens(value, 6));
    const isEqual = moved === claimed && before + moved === after;
    terminal.line(`${cells(name, values)}  ${isEqual ? green('equal') : red('NOT EQUAL')}`);
  }
}
