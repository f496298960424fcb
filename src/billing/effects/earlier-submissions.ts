import { chargeIdOf, resubmissionOf } from '../../chains/charges.ts';
import type { EffectResult } from '../../engine/types.ts';
import type { ChargeDoc, ChargeState } from '../../store/collections.ts';
import type { BillingDeps } from '../deps.ts';

/**
 * Withdraws the previous submission of each charge that is to be resubmitted, if it still waits, so that nobody can start it. If
 * it has been started, the charge must not be resubmitted, and the result says why: held until that submission ends, or done if
 * it has moved the money.
 */
export async function endEarlierSubmissions<K>(
  deps: Pick<BillingDeps, 'store' | 'clock'>,
  charges: ReadonlyMap<K, ChargeDoc>,
): Promise<ReadonlyMap<K, EffectResult>> {
  const before = new Map([...charges].flatMap(([key, charge]) => beforeIt(charge).map((id) => [key, id] as const)));
  if (before.size === 0) return new Map();
  const { records } = deps.store;
  const ids = [...before.values()];
  const set = { state: 'withdrawn', lane: null, transactionId: null, updatedAt: deps.clock() };
  await records.changeAlike('charges', ids, { state: 'waiting' }, { set });
  const found = await records.get('charges', ids);
  const states = new Map(found.map(({ _id, state }) => [_id, state]));
  return new Map(
    [...before].flatMap(([key, id]) => resultOf(id, states.get(id)).map((result) => [key, result] as const)),
  );
}

function beforeIt(charge: ChargeDoc): string[] {
  const resubmission = resubmissionOf(charge);
  return resubmission === 0 ? [] : [chargeIdOf(charge.key, charge.attempt, resubmission - 1)];
}

function resultOf(id: string, state: ChargeState | undefined): EffectResult[] {
  switch (state) {
    case undefined:
    case 'refused':
    case 'withdrawn':
      return [];
    case 'waiting':
    case 'started':
    case 'sent':
    case 'mined':
      return [{ held: `the previous charge ${id} is ${state}` }];
    case 'final':
      return ['done'];
    default: {
      const never: never = state;
      throw new Error(`unknown state ${String(never)}`);
    }
  }
}
