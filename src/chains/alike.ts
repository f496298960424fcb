import type { ChargeDoc } from '../store/collections.ts';
import { asSeen } from './charges.ts';
import type { ChainContext } from './context.ts';

/** The fields that all these charges get. `transactionId` and `state` show afterwards whose change was written. */
export type Becoming = Partial<ChargeDoc> & Pick<ChargeDoc, 'state' | 'transactionId'>;

/**
 * Changes charges, each only if it still is as it was read (`asSeen`). Charges that were alike, as a rule all of one
 * transaction, share one write. Returns the ids of the charges that have the new fields now.
 */
export async function changeAsSeen(
  { records }: Pick<ChainContext, 'records'>,
  charges: readonly ChargeDoc[],
  set: Becoming,
): Promise<ReadonlySet<string>> {
  const groups = [...groupedAsSeen(charges).values()];
  const changed = await Promise.all(groups.map((group) => changeGroup(records, group, set)));
  return new Set(changed.flat());
}

async function changeGroup(
  records: ChainContext['records'],
  group: readonly ChargeDoc[],
  set: Becoming,
): Promise<readonly string[]> {
  const [first] = group;
  if (first === undefined) return [];
  const ids = group.map(({ _id }) => _id);
  const made = await records.changeAlike('charges', ids, asSeen(first), { set });
  if (made === ids.length) return ids;
  const found = await records.get('charges', ids);
  return found.filter((charge) => isAs(charge, set)).map(({ _id }) => _id);
}

function isAs({ state, transactionId, block }: ChargeDoc, set: Becoming): boolean {
  const isThere = set.block === undefined || set.block?.hash === block?.hash;
  return state === set.state && transactionId === set.transactionId && isThere;
}

function groupedAsSeen(charges: readonly ChargeDoc[]): Map<string, ChargeDoc[]> {
  const groups = new Map<string, ChargeDoc[]>();
  for (const charge of charges) {
    const { state, transactionId, notBefore, reason } = charge;
    const seen = `${state}/${transactionId}/${notBefore.getTime()}/${reason}`;
    const group = groups.get(seen);
    if (group) group.push(charge);
    else groups.set(seen, [charge]);
  }
  return groups;
}
