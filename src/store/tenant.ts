import type { Collections } from './collections.ts';
import type { ActorDoc, ActorKind, StoredActor, Tenant } from './documents.ts';
import type { Query, Store, Tally, TallyQuery, Where } from './port.ts';

/** The plain collections whose documents belong to one merchant and mode, and which it can read. */
export type TenantCollection =
  | 'offers'
  | 'coupons'
  | 'redemptions'
  | 'customers'
  | 'wallets'
  | 'events'
  | 'letters'
  | 'invoices';

/** Conditions in addition to the tenant's own; a caller cannot name those. */
export type TenantWhere = Where & { readonly merchantId?: never; readonly mode?: never };

export interface TenantQuery extends Query {
  readonly where: TenantWhere;
}

/** Merchants' data as one merchant sees it in one environment; other data does not exist there. */
export interface TenantStore {
  actor(kind: ActorKind, id: string): Promise<StoredActor | null>;
  record<C extends TenantCollection>(from: C, id: string): Promise<Collections[C] | null>;
  findActors(kind: ActorKind, query: TenantQuery): Promise<ActorDoc[]>;
  find<C extends TenantCollection>(from: C, query: TenantQuery): Promise<Collections[C][]>;
  /** Counts at most `atMost`. */
  countActors(kind: ActorKind, where: TenantWhere, atMost: number): Promise<number>;
  count(from: TenantCollection, where: TenantWhere, atMost: number): Promise<number>;
  tallyActors(kind: ActorKind, query: TallyQuery & { readonly where: TenantWhere }): Promise<Tally[]>;
}

/** The only way to query merchants' data (docs/rules.md, rule 10). Throws when the tenant is incomplete. */
export function tenantStore(store: Pick<Store, 'actors' | 'records'>, tenant: Tenant): TenantStore {
  const { merchantId, mode } = checked(tenant);
  const own = <T extends Tenant>(doc: T | undefined): T | null =>
    doc !== undefined && doc.merchantId === merchantId && doc.mode === mode ? doc : null;
  const within = (where: TenantWhere): Where => {
    if ('merchantId' in where || 'mode' in where) {
      throw new TypeError('a query of merchants’ data names merchantId or mode; leave both out, the store adds them');
    }
    return { ...where, merchantId, mode };
  };
  return {
    actor: async (kind, id) => own((await store.actors.load(kind, [id]))[0]),
    record: async (from, id) => own((await store.records.get(from, [id]))[0]),
    findActors: async (kind, query) => store.actors.find(kind, { ...query, where: within(query.where) }),
    find: async (from, query) => store.records.find(from, { ...query, where: within(query.where) }),
    countActors: async (kind, where, atMost) => store.actors.count(kind, within(where), atMost),
    count: async (from, where, atMost) => store.records.count(from, within(where), atMost),
    tallyActors: async (kind, query) => store.actors.tally(kind, { ...query, where: within(query.where) }),
  };
}

/** A store, as far as it reads fields of actors. */
export interface FieldsReader {
  readonly actors: Pick<Store['actors'], 'findFields'>;
}

/**
 * These fields of actors of several tenants at once, for computations of the service: a merchant never sees those of
 * another. All tenants have the same `mode`. Throws when a tenant is incomplete.
 */
export async function findActorsOfAll<F extends keyof ActorDoc>(
  store: FieldsReader,
  tenants: readonly Tenant[],
  kind: ActorKind,
  query: TenantQuery,
  fields: readonly F[],
): Promise<Pick<ActorDoc, '_id' | F>[]> {
  const where = whereOfAll(tenants, query.where);
  return where === null ? [] : store.actors.findFields(kind, { ...query, where }, fields);
}

/** Like `findActorsOfAll`, for plain collections. */
export async function findRecordsOfAll<C extends TenantCollection>(
  store: Pick<Store, 'records'>,
  tenants: readonly Tenant[],
  from: C,
  query: TenantQuery,
): Promise<Collections[C][]> {
  const where = whereOfAll(tenants, query.where);
  return where === null ? [] : store.records.find(from, { ...query, where });
}

/** Like `findActorsOfAll`, counted in groups. */
export async function tallyActorsOfAll(
  store: Pick<Store, 'actors'>,
  tenants: readonly Tenant[],
  kind: ActorKind,
  query: TallyQuery & { readonly where: TenantWhere },
): Promise<Tally[]> {
  const where = whereOfAll(tenants, query.where);
  return where === null ? [] : store.actors.tally(kind, { ...query, where });
}

/** null: there are no tenants. */
function whereOfAll(tenants: readonly Tenant[], where: TenantWhere): Where | null {
  const [first, ...others] = tenants.map(checked);
  if (first === undefined) return null;
  if (others.some(({ mode }) => mode !== first.mode))
    throw new TypeError('tenants of both modes are in one query; query each mode separately');
  if ('merchantId' in where || 'mode' in where)
    throw new TypeError('a query of merchants’ data names merchantId or mode; leave both out, the store adds them');
  const merchantId = { in: [...new Set(tenants.map((tenant) => tenant.merchantId))] };
  return { ...where, merchantId, mode: first.mode };
}

function checked({ merchantId, mode }: Tenant): Tenant {
  if (typeof merchantId !== 'string' || merchantId === '') throw new TypeError('a tenant needs a merchantId');
  if (mode !== 'live' && mode !== 'test') throw new TypeError(`a tenant's mode is live or test, not ${String(mode)}`);
  return { merchantId, mode };
}
