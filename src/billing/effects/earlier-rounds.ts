import { chargeIdOf, roundOf } from '../../chains/charges.ts';
import type { EffectResult } from '../../engine/types.ts';
import type { ChargeDoc, ChargeState } from '../../store/collections.ts';
import type { BillingDeps } from '../deps.ts';

/**
 * Of each charge that is to be inserted, ends the round before it where that still waits: nobody can take it any more. Those
 * whose round before has been taken are not to be inserted, and come back with what becomes of their request: it is held until
 * that round has come to an end, and done where that has moved the money.
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
      return [{ held: `charge ${id}, which was asked for before, is ${state}` }];
    case 'final':
      return ['done'];
    default: {
      const never: never = state;
      throw new Error(`unknown state ${String(never)}`);
    }
  }
}
