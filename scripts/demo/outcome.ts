import { TidelineError } from 'tideline/client';
import { messageOf } from '../../src/errors/message-of.ts';
import type { Terminal } from '../lib/terminal.ts';
import { ExpectationFailed, type Expectations } from './expectations.ts';
import type { Performance } from './perform.ts';
import type { Story } from './story.ts';
import type { Timeline } from './timeline.ts';
import { reasonOf, resourceOf } from './webhooks.ts';
import type { World } from './world.ts';

/** The result of a demo run. */
export interface Outcome {
  readonly story: Story;
  readonly startMs: number;
  readonly durationMs: number;
  /** null: every expectation held. */
  readonly failure: unknown;
  readonly performance: Performance | null;
  readonly world: World | null;
  readonly timeline: Timeline;
  readonly expect: Expectations;
}

/** The JSON of `--json`: amounts in base units as decimal strings. */
export function outcomeJson(outcome: Outcome): string {
  const { story, startMs, durationMs, failure, performance, world, timeline, expect } = outcome;
  const text = {
    story: story.name,
    ok: failure === null,
    failure: failure === null ? null : failureJson(failure),
    expectationsHeld: expect.held,
    startMs: Math.round(startMs),
    durationMs: Math.round(durationMs),
    timeline: timeline.entries,
    webhooks: (world?.receiver.accepted ?? []).map((envelope) => ({
      id: envelope.id,
      event: envelope.event,
      resource: resourceOf(envelope),
      sequence: envelope.sequence,
      ...reasonOf(envelope),
    })),
    ledger: performance?.ledger ?? [],
    attempts: performance?.attempts ?? [],
  };
  return `${JSON.stringify(text, (_, value) => (typeof value === 'bigint' ? value.toString() : value), 2)}\n`;
}

function failureJson(failure: unknown) {
  if (!(failure instanceof ExpectationFailed)) return { expectation: null, message: saidBy(failure) };
  const { expectation, expected, found } = failure;
  return { expectation, expected, found };
}

/** Names the failed call, because the service's message may be only two words. */
function saidBy(failure: unknown): string {
  if (!(failure instanceof TidelineError)) return messageOf(failure);
  const { operation, status, requestId, message } = failure;
  return `${operation} answered ${status} (${message}), request ${requestId}`;
}

/** Shows the summary. */
export function showOutcome(outcome: Outcome, terminal: Terminal): void {
  const { failure, expect, durationMs, world } = outcome;
  const { bold, green, red } = terminal.colors;
  terminal.line();
  if (failure === null) {
    const webhooks = world?.receiver.accepted.length ?? 0;
    const seconds = (durationMs / 1_000).toFixed(1);
    terminal.line(
      ` ${green('✓')} ${bold(`${expect.held} expectations held`)}, ${webhooks} webhooks verified, ${seconds} s`,
    );
    terminal.line();
    return;
  }
  const what = failure instanceof ExpectationFailed ? 'An expectation did not hold' : 'The demo failed';
  terminal.line(` ${red('✗')} ${bold(what)} ${`(${expect.held} held before)`}`);
  for (const line of saidBy(failure).split('\n')) terminal.line(`   ${line}`);
  terminal.line();
}
