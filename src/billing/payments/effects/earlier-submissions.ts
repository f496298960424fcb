import { unknownCase } from '../../../../machines/unknown-case.ts';
import { chargeIdOf, resubmissionOf } from '../../../chains/charges.ts';
import type { EffectResult } from '../../../engine/types.ts';
import type { ChargeDoc, ChargeState, TransactionDoc } from '../../../store/collections.ts';
import type { Ledger } from '../../../store/port.ts';
import type { WorkerDeps } from '../../deps.ts';

const PAGE = 1_000;

/** Greater than the number of transactions that contain one charge. */
const TRANSACTIONS_EACH = 100;

/**
 * Makes sure that no earlier submission of the same payment can still move money, and withdraws those that wait. If one
 * may, the charge must not be submitted, and the result says why: held until that submission ends, or done if it has
 * moved the money.
 *
 * The chain refuses a key that it has seen, so attempts with one key on one router need only the end of the submission
 * directly before. An attempt under another consent has another key. It waits until the blocks that ended the earlier
 * ones are finalized.
 */
export async function endEarlierSubmissions<K>(
  { ledger: records, clock }: Pick<WorkerDeps, 'ledger' | 'clock'>,
  charges: ReadonlyMap<K, ChargeDoc>,
): Promise<ReadonlyMap<K, EffectResult>> {
  const unfenced = await underOtherKeys(records, [...charges.values()]);
  const before = new Map<K, readonly string[]>();
  for (const [item, charge] of charges) {
    const ids = [...beforeIt(charge), ...unfenced.filter(isBefore(charge)).map(({ _id }) => _id)];
    if (ids.length > 0) before.set(item, ids);
  }
  if (before.size === 0) return new Map();
  const ids = [...before.values()].flat();
  const set = { state: 'withdrawn', lane: null, transactionId: null, updatedAt: clock() };
  await records.changeAlike('charges', ids, { state: 'waiting' }, { set });
  const found = await records.get('charges', ids);
  const states = new Map(found.map(({ _id, state }) => [_id, state]));
  const revivable = await mayLandAgain(
    records,
    unfenced.map(({ _id }) => _id),
  );
  const results = new Map<K, EffectResult>();
  for (const [item, earlier] of before) {
    const [result] = earlier.flatMap((id) => resultOf(id, states.get(id), revivable.get(id)));
    if (result !== undefined) results.set(item, result);
  }
  return results;
}

function beforeIt(charge: ChargeDoc): string[] {
  const resubmission = resubmissionOf(charge);
  return resubmission === 0 ? [] : [chargeIdOf(charge.key, charge.attempt, resubmission - 1)];
}

/** Charges of the same payments that the key of the new attempt does not fence. */
async function underOtherKeys(records: Ledger, charges: readonly ChargeDoc[]): Promise<readonly ChargeDoc[]> {
  const further = charges.filter(({ attempt }) => attempt > 1);
  if (further.length === 0) return [];
  const paymentIds = further.map(({ paymentId }) => paymentId);
  const unfenced: ChargeDoc[] = [];
  for (let last = ''; ; ) {
    const where = { paymentId: { in: paymentIds }, _id: { gt: last } };
    const page = await records.find('charges', { where, sort: [['_id', 1]], limit: PAGE });
    unfenced.push(...page.filter((earlier) => further.some((charge) => isBefore(charge)(earlier))));
    last = page.at(-1)?._id ?? last;
    if (page.length < PAGE) return unfenced;
  }
}

function isBefore(charge: ChargeDoc): (earlier: ChargeDoc) => boolean {
  return ({ paymentId, attempt, key, router }) =>
    paymentId === charge.paymentId &&
    attempt < charge.attempt &&
    (key !== charge.key || (router ?? null) !== (charge.router ?? null));
}

/** By charge: a transaction that contains it and may still land, or land again after a reorganisation. */
async function mayLandAgain(
  records: Ledger,
  chargeIds: readonly string[],
): Promise<ReadonlyMap<string, TransactionDoc>> {
  if (chargeIds.length === 0) return new Map();
  const found = await records.find('transactions', {
    where: { chargeIds: { in: chargeIds } },
    limit: chargeIds.length * TRANSACTIONS_EACH,
  });
  const open = await Promise.all(
    found.map(async (transaction) => ((await isOver(records, transaction)) ? [] : [transaction])),
  );
  return new Map(open.flat().flatMap((each) => each.chargeIds.map((id) => [id, each] as const)));
}

/**
 * True if nothing can change the outcome of this transaction. On EVM that needs a finalized block for its nonce, or a
 * later one.
 */
async function isOver(records: Ledger, transaction: TransactionDoc): Promise<boolean> {
  const { state, chainId, sender, nonce, expiry } = transaction;
  if (state === 'finalized') return true;
  if (state !== 'expired') return false;
  if (expiry !== undefined) return true;
  const [later] = await records.find('transactions', {
    where: { chainId, sender, nonce: { gte: nonce }, state: 'finalized' },
    limit: 1,
  });
  return later !== undefined;
}

function resultOf(id: string, state: ChargeState | undefined, revivable: TransactionDoc | undefined): EffectResult[] {
  switch (state) {
    case undefined:
    case 'refused':
    case 'withdrawn':
      if (revivable === undefined) return [];
      return [{ held: `the earlier charge ${id} is in transaction ${revivable._id}, which is not finalized` }];
    case 'waiting':
    case 'started':
    case 'sent':
    case 'mined':
      return [{ held: `the previous charge ${id} is ${state}` }];
    case 'final':
      return ['done'];
    default:
      return unknownCase(state, 'state');
  }
}
