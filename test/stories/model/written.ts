import * as step from './commands.ts';

type Way = readonly step.Command[];

const FOR_EVER = [step.topUp(1_000), step.approve(1_000)];
const FOR_ONE_CHARGE = [step.topUp(10), step.approve(1_000)];

/** The commands that are refused after the end. */
const AFTER_THE_END = [
  step.cancel(),
  step.cancelAtPeriodEnd(),
  step.remove(),
  step.retry(),
  step.resume(),
  step.charge(),
  step.advance(1),
  step.advanceToStatus('active'),
  step.advanceToStatus('past_due'),
  step.advanceToStatus('canceled'),
  step.migrate(),
  step.setVariables(1),
];

/** Walks to every transition and every refusal, some of which random walks seldom find. */
export const WRITTEN: readonly Way[] = [
  // The grace of a renewal, and of a first charge.
  [step.create('daily'), ...FOR_ONE_CHARGE, step.advance(8), ...AFTER_THE_END],
  [step.create('daily'), step.approve(1_000), step.retry(), step.advance(8)],
  // Limits.
  [step.create('monthly'), ...FOR_ONE_CHARGE, step.advanceToNext(), step.retry()],
  [step.create('monthly'), step.approve(1_000), step.charge()],
  [step.create('one failure'), ...FOR_ONE_CHARGE, step.advance(1)],
  [step.create('one month'), ...FOR_EVER, step.charge(), step.charge()],
  [step.create('two weeks'), ...FOR_EVER, step.advance(8), step.advanceJustBefore()],
  // Recoveries: by a top-up, by an approval, by retry, by resume, on a day, by the sandbox.
  [step.create('daily'), ...FOR_ONE_CHARGE, step.advance(1), step.topUp(5), step.topUp(5)],
  [step.create('daily'), step.topUp(1_000), step.approve(10), step.advance(1), step.approve(5), step.approve(25)],
  [step.create('daily'), ...FOR_EVER, step.advanceToStatus('past_due'), step.topUp(5), step.retry(), step.retry()],
  [step.create('daily'), ...FOR_EVER, step.advanceToStatus('past_due'), step.resume(), step.resume()],
  [step.create('daily'), ...FOR_EVER, step.advanceToStatus('past_due'), step.advanceJustBefore()],
  [step.create('daily'), ...FOR_EVER, step.advanceToStatus('past_due'), step.advanceToStatus('active')],
  [step.create('daily'), ...FOR_ONE_CHARGE, step.advance(1), step.approve(0), step.advanceToStatus('active')],
  // Cancels, in each status, now and at the end of the period.
  [step.create('daily'), step.retry(), step.advanceToStatus('active'), step.advanceToStatus('past_due'), step.cancel()],
  [step.create('daily'), ...FOR_EVER, step.remove(), step.create('monthly'), step.cancelAtPeriodEnd(), step.resume()],
  [
    step.create('daily'),
    ...FOR_ONE_CHARGE,
    step.advance(1),
    step.cancelAtPeriodEnd(),
    step.advanceToStatus('canceled'),
  ],
  [step.create('daily'), ...FOR_ONE_CHARGE, step.cancelAtPeriodEnd(), step.charge(), step.advanceToNext()],
  [step.create('daily'), ...FOR_EVER, step.cancelAtPeriodEnd(), step.charge(), step.advanceJustBefore()],
  [step.create('trial of three days'), ...FOR_EVER, step.cancelAtPeriodEnd(), step.resume(), step.advanceToNext()],
  [step.create('trial of three days'), ...FOR_EVER, step.cancelAtPeriodEnd(), step.advanceJustBefore()],
  // Deleted customers, in each status.
  [step.create('daily'), step.deleteCustomer(), step.deleteCustomer(), step.create('daily')],
  [step.create('daily'), ...FOR_EVER, step.deleteCustomer()],
  [step.create('daily'), ...FOR_ONE_CHARGE, step.advance(1), step.deleteCustomer()],
  [step.deleteCustomer(), step.create('daily')],
];
