import { z } from 'zod';
import { askStaff } from '../../../scripts/lib/staff.ts';
import type { Stage } from '../../../stage/stage.ts';
import { until } from '../../../stage/until.ts';

const depositSchema = z.object({
  id: z.string(),
  amount: z.string(),
  charged: z.string(),
  refunded: z.string(),
  left: z.string(),
  fate: z.string(),
  held: z.string().nullable(),
  unit: z.string(),
  txHash: z.string().nullable(),
});

/** The money at the address of a payment, as staff see it. */
export type Deposit = z.infer<typeof depositSchema>;

export async function depositsOf(stage: Stage, paymentId: string): Promise<Deposit[]> {
  const list = z.object({ deposits: z.array(depositSchema) });
  return (await askStaff(stage.staff(), 'GET', `/payments/${paymentId}/deposits`, list)).deposits;
}

/** Waits until the deposit has this outcome. */
export function untilOutcomes(stage: Stage, paymentId: string, ...outcomes: readonly string[]): Promise<Deposit[]> {
  return until(
    `what arrived for ${paymentId} is ${outcomes.join()}`,
    () => depositsOf(stage, paymentId),
    (deposits) => deposits.map(({ fate }) => fate).join() === outcomes.join(),
  );
}

/** Staff send the rest of a deposit to an address. */
export function sendDeposit(stage: Stage, deposit: Deposit | undefined, to: string): Promise<Deposit> {
  const body = { to, reason: 'the payer has asked for it' };
  return askStaff(stage.staff(), 'POST', `/deposits/${deposit?.id}/send`, depositSchema, body);
}
