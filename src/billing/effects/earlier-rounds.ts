import { chargeIdOf, roundOf } from '../../chains/charges.ts';
import type { EffectResult } from '../../engine/types.ts';
import type { ChargeDoc, ChargeState } from '../../store/collections.ts';
import type { BillingDeps } from '../deps.ts';

/**
 * Withdraws the previous round of each charge that is to be inserted, if it still waits, so that nobody can start it. If it
 * has been started, its charge is not to be inserted and the result says why: held until that round ends, or done if that
 * round has moved the money.
 */
export async function endRoundsBefore<K>(
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
  const round = roundOf(charge);
  return round === 0 ? [] : [chargeIdOf(charge.key, charge.attempt, round - 1)];
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
