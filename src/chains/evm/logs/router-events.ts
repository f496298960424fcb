import type { AnnouncementDoc, ChangedAllowance, MandateDoc } from '../../../store/collections.ts';
import type { Mode, Tenant } from '../../../store/documents.ts';
import type { Consent } from '../../consent.ts';
import { pagesSince } from '../../logs/pages-since.ts';
import { getAddress } from '../address.ts';
import type { EvmContext } from '../context.ts';
import { merchantSalt } from '../contracts/router.ts';
import type { WireLog } from '../wire.ts';
import { type RouterEvent, routerEventOf } from './filters.ts';

/** A log of a router that is new, or that a reorg has removed. */
interface RouterLog {
  readonly log: WireLog;
  readonly isThere: boolean;
  /** A node that has this block knows of the change. */
  readonly block: number;
}

type Revoked = Extract<RouterEvent, { readonly kind: 'revoked' }>;
type PayeeEvent = Extract<RouterEvent, { readonly payee: string }>;
type Context = Pick<EvmContext, 'chainId' | 'records' | 'clock' | 'log' | 'troubles' | 'wakeQueues'>;

/** Greater than the number of mandates of one agreement, and of announcements of one address. */
const EACH = 1_000;

/**
 * Notes what these logs say, in their order: which agreements their payers have revoked, and which payees are
 * announced. Returns the allowances that count otherwise now. Every call may be repeated.
 */
export async function noteRouterLogs(ctx: Context, logs: readonly RouterLog[]): Promise<ChangedAllowance[]> {
  const changes: ChangedAllowance[] = [];
  for (const each of logs) {
    const event = routerEventOf(each.log);
    if (event?.kind === 'revoked') changes.push(...(await noteRevocation(ctx, event, each)));
    else if (event?.kind === 'sender_removed') await askForUnused(ctx, each);
    else if (event !== null) await notePayee(ctx, event, each);
  }
  return changes;
}

async function noteRevocation(
  { records, chainId, clock }: Context,
  { payer, merchant, agreement }: Revoked,
  { log, isThere, block }: RouterLog,
): Promise<ChangedAllowance[]> {
  const found = await records.find('mandates', { where: { agreement }, limit: EACH });
  const revoked = found.filter((mandate) => {
    return mandate.payer.toLowerCase() === payer && isOf(mandate, merchant) && isAt(mandate, log);
  });
  if (revoked.length === 0) return [];
  const change = { set: { revokedAt: isThere ? clock() : null } };
  const changes = revoked.map(({ _id }) => ({ id: _id, where: {}, change }));
  await records.changeMany('mandates', changes);
  const revokedBy = (mandateId: string) => (isThere ? { revoked: { mandateId } } : {});
  return revoked.map((mandate) => ({ ...allowanceOf(mandate), chainId, block, ...revokedBy(mandate._id) }));
}

function allowanceOf({ merchantId, mode, router, token, payer: wallet }: MandateDoc) {
  return { merchantId, mode, consent: { isBounded: true, router }, token, wallet };
}

/** The announcements of a removed sender that no charge has used are gone: the router is asked for them again. */
async function askForUnused({ records, chainId, clock, wakeQueues }: Context, { log }: RouterLog): Promise<void> {
  const unused = await records.find('announcements', {
    where: { chainId, state: 'announced', router: getAddress(log.address), until: { not: null } },
    limit: EACH,
  });
  const change = { set: { state: 'waiting' as const, notBefore: clock(), updatedAt: clock() } };
  await records.changeMany(
    'announcements',
    unused.map(({ _id }) => ({ id: _id, where: { state: 'announced' }, change })),
  );
  if (unused.length > 0) wakeQueues();
}

/** A payee that is withdrawn stays so. One whose announcement or withdrawal a reorg has removed is asked for again. */
async function notePayee(
  { records, chainId, clock, log: logger, troubles, wakeQueues }: Context,
  { kind, merchant, payee }: PayeeEvent,
  { log, isThere }: RouterLog,
): Promise<void> {
  const found = await records.find('announcements', { where: { payee: getAddress(payee) }, limit: EACH });
  const announced = found.filter((each) => each.chainId === chainId && isOf(each, merchant) && isAt(each, log));
  const isOver = kind === 'withdrawn' && isThere;
  for (const { _id } of announced) {
    const where = kind === 'announced' && isThere ? { state: 'waiting' } : {};
    const set: Partial<AnnouncementDoc> = { state: isOver ? 'withdrawn' : 'waiting', notBefore: clock() };
    await records.change('announcements', _id, where, { set: { ...set, updatedAt: clock() } });
  }
  if (announced.length > 0 && !isOver) wakeQueues();
  const isForeign = kind === 'announced' && isThere && announced.every(({ state }) => state === 'withdrawn');
  const sentence = `${payee} is announced as a payee of merchant ${merchant} at ${log.address}, not by this service: withdraw it`;
  if (troubles.set(`payee:${log.address}:${merchant}:${payee}`, isForeign ? sentence : null) && isForeign)
    logger.error({ chainId }, sentence);
}

function isOf({ merchantId, mode }: Tenant, merchant: string): boolean {
  return merchantSalt(merchantId, mode) === merchant.toLowerCase();
}

function isAt({ router }: { readonly router: string | null }, { address }: WireLog): boolean {
  return router !== null && router.toLowerCase() === address.toLowerCase();
}

interface OperatorOwner extends Tenant {
  /** Which operator it is. */
  readonly consent: Consent;
}

type OperatorsContext = Pick<EvmContext, 'records' | 'routers' | 'clock'>;

/** The largest difference between the clocks of processes that create merchants, in milliseconds. */
const CLOCKS_MS = 30_000;

/** All merchants' operators on one chain, two of each merchant for each router. Approvals to any may matter. */
export class Operators {
  readonly #ctx: OperatorsContext;
  readonly #mode: Mode;
  readonly #owners = new Map<string, OperatorOwner>();
  /** The consents of a merchant; all merchants share these objects. */
  readonly #consents: readonly Consent[];
  #newest = new Date(0);

  /** @param mode of the charges on this chain */
  constructor(ctx: OperatorsContext, mode: Mode) {
    this.#ctx = ctx;
    this.#mode = mode;
    this.#consents = ctx.routers.all.flatMap((router) => [false, true].map((isBounded) => ({ isBounded, router })));
  }

  /** Brings the list up to date with one read of the new merchants. */
  async refresh(): Promise<void> {
    const { records, routers, clock } = this.#ctx;
    const mode = this.#mode;
    // A merchant of a clock that was ahead must not hide those that are made after it.
    const newest = Math.min(this.#newest.getTime(), clock().getTime());
    for await (const page of pagesSince(records, 'merchants', {}, new Date(newest - CLOCKS_MS))) {
      for (const { _id: merchantId, createdAt } of page) {
        for (const consent of this.#consents) {
          const operator = routers.operatorFor({ merchantId, mode }, consent);
          this.#owners.set(operator.toLowerCase(), { merchantId, mode, consent });
        }
        if (createdAt > this.#newest) this.#newest = createdAt;
      }
    }
  }

  /** All operators, in lower case. */
  get all(): ReadonlyMap<string, unknown> {
    return this.#owners;
  }

  /** Undefined: no merchant of this service has this operator. `operator` in lower case. */
  ownerOf(operator: string): OperatorOwner | undefined {
    return this.#owners.get(operator);
  }
}
