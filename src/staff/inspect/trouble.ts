import { z } from 'zod';
import { failureReason } from '../../../machines/effects.ts';
import { heldDeposits } from '../../billing/administration/deposits.ts';
import { auditState } from '../../billing/audit/state.ts';
import { groupBy } from '../../chains/group-by.ts';
import { realTime } from '../../engine/projection.ts';
import type { HttpDeps } from '../../http/deps.ts';
import type { ChargeDoc } from '../../store/collections.ts';
import type { ActorDoc, ActorKind } from '../../store/documents.ts';
import { deliveryIdOf, effectiveUrl, queueOf } from '../../webhooks/deliveries.ts';
import { depositView } from '../views.ts';
import { type TroubleItem, type TroubleSection, troubleName } from '../wire.ts';
import { chargeView } from './views.ts';
import { causeText } from './waits.ts';

/** The highest count: the page costs the database the same in a disaster as on a quiet day. */
const COUNTED_MOST = 1_000;
const SHOWN = 20;
const EVER = new Date(0);

/** After this time, people check an open charge. */
const STUCK_MS = 5 * 60_000;
/** How long a delivery that failed for good counts as trouble. */
const FAILING_MS = 24 * 3_600_000;
const OPEN_STATES = ['waiting', 'started', 'sent', 'mined'] as const;

export interface Part {
  readonly start: number;
  readonly limit: number;
}

/** One kind of trouble: how many there are, and a part of their list. */
interface Listed {
  readonly count: number;
  readonly items: readonly TroubleItem[];
  readonly hasMore: boolean;
}

type Name = TroubleSection['name'];
type List = (deps: HttpDeps, part: Part, now: Date) => Promise<Listed>;

const SECTIONS: Readonly<Record<Name, { readonly title: string; readonly list: List }>> = {
  past_due: { title: 'Past due subscriptions', list: pastDue },
  stuck_charges: { title: 'Stuck charges', list: stuckCharges },
  held_deposits: { title: 'Held deposits', list: depositsHeld },
  failing_endpoints: { title: 'Failing endpoints', list: failingEndpoints },
  quarantined: { title: 'Quarantined documents', list: quarantined },
  gas: { title: 'Chains and gas', list: gas },
  audit: { title: 'Differences between ledger and chains', list: audit },
};

/** What the front page shows of each. */
export const FIRST_PART: Part = { start: 0, limit: SHOWN };

/** All present trouble, the newest or longest of each kind first. */
export async function troubles(deps: HttpDeps): Promise<TroubleSection[]> {
  const names = troubleName.options;
  return Promise.all(names.map(async (name) => (await troubleList(deps, name, FIRST_PART)).section));
}

/** A part of the list of one kind of trouble. Of held deposits, the part counts their payments. */
export async function troubleList(
  deps: HttpDeps,
  name: Name,
  part: Part,
): Promise<{ readonly section: TroubleSection; readonly hasMore: boolean }> {
  const { title, list } = SECTIONS[name];
  const { count, items, hasMore } = await list(deps, part, deps.clock());
  const isCapped = count >= COUNTED_MOST;
  return { section: { name, title, count: Math.min(count, COUNTED_MOST), isCapped, items: [...items] }, hasMore };
}

/** The part of a list that was read from its beginning to at least one item after the part. */
function partOf<T>(all: readonly T[], { start, limit }: Part): { readonly items: T[]; readonly hasMore: boolean } {
  return { items: all.slice(start, start + limit), hasMore: all.length > start + limit };
}

async function pastDue({ store }: HttpDeps, { start, limit }: Part): Promise<Listed> {
  // A count uses the index only if the filter names its first field.
  const where = { status: 'past_due', 'context.pastDueSince': { gt: '' } };
  const [count, docs] = await Promise.all([
    store.actors.count('subscription', where, COUNTED_MOST),
    store.actors.find('subscription', {
      where,
      sort: [['context.pastDueSince', -1]],
      start,
      limit: limit + 1,
    }),
  ]);
  const items = docs.slice(0, limit).map((doc) => ({
    kind: 'subscription',
    id: doc._id,
    title: String(doc.attributes['offerName'] ?? ''),
    detail: failedFor(doc),
    since: realTime(doc, textOf(doc.context['pastDueSince']))?.toISOString() ?? null,
  }));
  return { count, items, hasMore: docs.length > limit };
}

const openFailure = z.object({ open: z.object({ failedFor: failureReason.nullable() }).nullable() });

function failedFor({ context }: ActorDoc): string {
  const read = openFailure.safeParse(context);
  return causeText((read.success && read.data.open?.failedFor) || null);
}

/** Per chain and state, the charges that have been open for too long, also those that wait for gas or their chain. */
async function stuckCharges(deps: HttpDeps, part: Part, now: Date): Promise<Listed> {
  const limit = part.start + part.limit + 1;
  const createdAt = { lt: new Date(now.getTime() - STUCK_MS) };
  const conditions = deps.chains
    .all()
    .flatMap(({ chainId }) => OPEN_STATES.map((state) => ({ chainId, state, createdAt })));
  const [counts, found] = await Promise.all([
    Promise.all(conditions.map((where) => deps.store.records.count('charges', where, COUNTED_MOST))),
    Promise.all(
      conditions.map((where) => deps.store.records.find('charges', { where, sort: [['notBefore', 1]], limit })),
    ),
  ]);
  // In the order of each list, so that no part depends on how much was read.
  const longest = found.flat().sort((one, other) => one.notBefore.getTime() - other.notBefore.getTime());
  const { items, hasMore } = partOf(longest, part);
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { count, items: items.map((charge) => stuckItem(deps, charge)), hasMore };
}

function stuckItem(deps: HttpDeps, charge: ChargeDoc): TroubleItem {
  const { state, amount, token, chain, createdAt } = chargeView(deps, charge, null);
  return {
    kind: 'payment',
    id: charge.paymentId,
    title: `${amount} ${token}`,
    detail: `${state} on ${chain}`,
    since: createdAt,
  };
}

/** Endpoints with deliveries that are retried, or were given up within a day; one line each. */
export async function failingEndpoints({ store }: Pick<HttpDeps, 'store'>, part: Part, now: Date): Promise<Listed> {
  const since = { gt: new Date(now.getTime() - FAILING_MS) };
  const sort = [['updatedAt', -1]] as const;
  const [retrying, failed] = await Promise.all([
    store.records.find('events', { where: { status: 'retrying' }, sort, limit: COUNTED_MOST }),
    store.records.find('events', { where: { status: 'failed', updatedAt: since }, sort, limit: COUNTED_MOST }),
  ]);
  const byEndpoint = groupBy([...retrying, ...failed], queueOf);
  const worst = [...byEndpoint.values()].sort((one, other) => other.length - one.length);
  const { items: shown, hasMore } = partOf(worst, part);
  const merchants = await store.records.get('merchants', [...new Set(shown.map(([doc]) => doc.merchantId))]);
  const byId = new Map(merchants.map((merchant) => [merchant._id, merchant]));
  const items = shown.flatMap((docs): TroubleItem[] => {
    const [newest] = docs;
    const merchant = byId.get(newest.merchantId);
    if (!merchant) return [];
    const url = effectiveUrl(merchant.webhook, newest.mode) ?? 'no URL';
    const detail = `${docs.length} deliveries of ${merchant.name} (${newest.mode}); the newest is ${newest.status}`;
    return [
      { kind: 'delivery', id: deliveryIdOf(newest._id), title: url, detail, since: newest.updatedAt.toISOString() },
    ];
  });
  return { count: byEndpoint.size, items, hasMore };
}

/** Money at deposit addresses that does not move by itself. */
async function depositsHeld(deps: HttpDeps, part: Part): Promise<Listed> {
  const [count, held] = await Promise.all([
    deps.store.records.count('deposits', { heldAt: { gt: EVER } }, COUNTED_MOST),
    heldDeposits(deps, part),
  ]);
  const items = held.items.map((deposit) => {
    const { paymentId, left, unit, held: why, depositAddress } = depositView(deposit);
    const since = deposit.book.heldAt?.toISOString() ?? null;
    const detail = `${why ?? 'held'}, at ${depositAddress}`;
    return { kind: 'payment', id: paymentId, title: `${left} ${unit}`, detail, since };
  });
  return { count, items, hasMore: held.hasMore };
}

const KINDS: readonly ActorKind[] = ['subscription', 'payment'];

async function quarantined({ store }: HttpDeps, part: Part): Promise<Listed> {
  const limit = part.start + part.limit + 1;
  const where = { 'quarantine.at': { gt: EVER } };
  const query = { where, sort: [['quarantine.at', -1]] as const, limit };
  const [counts, found, events] = await Promise.all([
    Promise.all([
      ...KINDS.map((kind) => store.actors.count(kind, where, COUNTED_MOST)),
      store.records.count('events', where, COUNTED_MOST),
    ]),
    Promise.all(KINDS.map((kind) => store.actors.find(kind, query))),
    store.records.find('events', query),
  ]);
  const deliveries = events.map(({ _id, quarantine }) => ({ kind: 'delivery', _id: deliveryIdOf(_id), quarantine }));
  const items = [...found.flat(), ...deliveries].map(({ kind, _id: id, quarantine }) => ({
    kind,
    id,
    title: kind,
    detail: quarantine?.reason ?? '',
    since: quarantine?.at.toISOString() ?? null,
  }));
  return { count: counts.reduce((sum, each) => sum + each, 0), ...partOf(items, part) };
}

/** Chains that cannot make charges: no gas, an RPC that does not answer, a wrong router. */
async function gas({ chains }: HttpDeps, part: Part): Promise<Listed> {
  const reports = await Promise.all(chains.all().map((chain) => chain.health()));
  const items = reports.flatMap(({ chainId, label, enabled, trouble }) =>
    enabled && trouble !== null
      ? [{ kind: 'chain', id: String(chainId), title: label, detail: trouble, since: null }]
      : [],
  );
  return { count: items.length, ...partOf(items, part) };
}

/** Differences of ledger and chains that the recurring audit found. */
async function audit({ store }: HttpDeps, part: Part): Promise<Listed> {
  const [{ differences }, audits] = await Promise.all([
    auditState(store.records),
    store.records.find('audits', { where: {}, limit: 100 }),
  ]);
  const items = audits.flatMap(({ open, at }) =>
    open.map(({ kind, paymentId, chainId, what }) => ({
      kind: paymentId === null ? 'chain' : 'payment',
      id: paymentId ?? String(chainId),
      title: kind,
      detail: what,
      since: at?.toISOString() ?? null,
    })),
  );
  return { count: differences, ...partOf(items, part) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
