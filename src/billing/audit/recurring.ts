import type { ChainReader } from '../../chains/chain-reader.ts';
import type { AuditDoc, DifferenceDoc, FurtherDifferences } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { type AuditDeps, firstBlock } from './audit.ts';
import { Auditor } from './auditor.ts';
import { Findings } from './findings.ts';

export interface RecurringAuditDeps extends AuditDeps {
  readonly clock: () => Date;
  readonly log: { readonly warn: (fields: object, message: string) => void };
}

/** The blocks audited before progress is stored. */
const STRETCH = 20_000;
/** The most open differences kept in full and checked again. */
const KEPT = 100;
/** The deposits checked per run, besides those charged or refunded in the audited blocks. */
const DEPOSITS = 500;

/**
 * Audits each chain's newly finalized blocks, and checks the open differences again. Skips a chain that does not answer
 * until the next run. Concurrent runs only repeat work.
 */
export async function auditNewBlocks(deps: RecurringAuditDeps, touch: () => Promise<void>): Promise<void> {
  for (const reader of deps.chainReaders) {
    try {
      await auditNewBlocksOf(deps, reader, touch);
    } catch (error) {
      deps.log.warn(
        { err: error, chainId: reader.chainId },
        'a chain could not be audited; the next run audits it again',
      );
    }
  }
}

async function auditNewBlocksOf(
  deps: RecurringAuditDeps,
  reader: ChainReader,
  touch: () => Promise<void>,
): Promise<void> {
  const head = await reader.head('finalized');
  let state = await begin(deps, reader, head);
  do {
    const stretch = { from: state.block + 1, to: Math.min(head, state.block + STRETCH) };
    const findings = new Findings();
    const auditor = new Auditor({ ...deps, reader, findings, touch });
    for (const block of blocksOf(state.open)) await both(auditor, { from: block, to: block }, []);
    if (stretch.to >= stretch.from) await both(auditor, stretch, []);
    await auditor.residues(eachOnce([...operatorsOf(state.open), ...(await tenantsOf(deps, reader, stretch))]));
    await auditor.deposits.of(state.open.flatMap(paymentAtFault));
    const isLast = stretch.to >= head;
    const { depositsAfter: after } = state;
    const depositsAfter = isLast ? ((await auditor.deposits.next(after, DEPOSITS)) ?? '') : after;
    const come = { block: Math.max(state.block, stretch.to), depositsAfter };
    state = await note(deps, state, come, findings);
  } while (state.block < head);
}

async function both(
  auditor: Auditor,
  stretch: { readonly from: number; readonly to: number },
  tenants: readonly Tenant[],
) {
  await auditor.fromChain(stretch, tenants);
  await auditor.fromTransactions(stretch);
}

function paymentAtFault({ kind, paymentId }: DifferenceDoc): string[] {
  return (kind === 'residue' || kind === 'deposit_differs') && paymentId !== null ? [paymentId] : [];
}

/** The tenants whose operators had money left. */
function operatorsOf(open: readonly DifferenceDoc[]): Tenant[] {
  return open.flatMap(({ operatorOf }) => operatorOf ?? []);
}

function eachOnce(tenants: readonly Tenant[]): Tenant[] {
  return [...new Map(tenants.map((tenant) => [`${tenant.merchantId}:${tenant.mode}`, tenant])).values()];
}

/** The blocks of the open differences. A corrected difference is found there no more. */
function blocksOf(open: readonly DifferenceDoc[]): number[] {
  return [...new Set(open.flatMap(({ block }) => block ?? []))];
}

/** A first audit of a chain begins at the ledger's first transaction, or at the head if there is none. */
async function begin({ store }: RecurringAuditDeps, reader: ChainReader, head: number): Promise<AuditDoc> {
  const _id = String(reader.chainId);
  const [known] = await store.records.get('audits', [_id]);
  if (known) return known;
  const hasBegun = (await store.records.count('transactions', { chainId: reader.chainId })) > 0;
  const since = hasBegun ? await firstBlock(store, reader) : head;
  const fresh: AuditDoc = {
    _id,
    since,
    block: Math.max(0, since - 1),
    at: null,
    differences: 0,
    open: [],
    further: null,
    depositsAfter: '',
  };
  await store.records.insert('audits', [fresh]);
  return fresh;
}

/** The merchants charged in these blocks, whose operators' balances are checked. */
async function tenantsOf(
  { store }: RecurringAuditDeps,
  { chainId }: ChainReader,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Tenant[]> {
  const where = { chainId, 'block.number': { gte: from, lte: to } };
  const transactions = await store.records.find('transactions', { where, sort: [['block.number', -1]], limit: KEPT });
  const charges = await store.records.get(
    'charges',
    transactions.flatMap(({ chargeIds }) => chargeIds),
  );
  return charges.map(({ merchantId, mode }) => ({ merchantId, mode }));
}

/**
 * Stores the open differences and the progress. The kept ones were checked again, with everything in their blocks. As
 * soon as it has capacity, the audit returns to the first block of the others.
 */
async function note(
  { store, clock, log }: RecurringAuditDeps,
  state: AuditDoc,
  come: Pick<AuditDoc, 'block' | 'depositsAfter'>,
  findings: Findings,
): Promise<AuditDoc> {
  const { list } = findings;
  const before = state.further;
  const differences = findings.count + (before?.count ?? 0);
  if (differences > state.differences) {
    log.warn({ chainId: Number(state._id), differences, first: list.slice(0, 3) }, 'the audit has found differences');
  }
  const open = list.slice(0, KEPT);
  const known = { ...come, at: clock(), differences, open };
  const set =
    before !== null && open.length < KEPT
      ? { ...known, block: before.from - 1, further: null }
      : { ...known, further: withFurther(before, open, findings.blocksBehind(KEPT)) };
  return (await store.records.change('audits', state._id, {}, { set })) ?? { ...state, ...set };
}

/** A difference in a block of an open one is found again with it. */
function withFurther(
  before: FurtherDifferences | null,
  open: readonly DifferenceDoc[],
  blocks: readonly number[],
): FurtherDifferences | null {
  const again = new Set(blocksOf(open));
  const others = blocks.filter((block) => !again.has(block));
  if (others.length === 0) return before;
  const first = others.reduce((least, block) => Math.min(least, block), before?.from ?? Number.POSITIVE_INFINITY);
  return { count: (before?.count ?? 0) + others.length, from: first };
}
