import type { ChainReader } from '../../chains/chain-reader.ts';
import type { DifferenceDoc, MerchantDoc } from '../../store/collections.ts';
import type { Mode, Tenant } from '../../store/documents.ts';
import { pagesOf } from '../../store/pages.ts';
import type { Store } from '../../store/port.ts';
import type { ProofsDeps } from '../proof/proofs.ts';
import { Auditor } from './auditor.ts';
import { Findings } from './findings.ts';

export type AuditDeps = Pick<ProofsDeps, 'store' | 'catalog' | 'chainReaders'>;

export interface ChainAudit {
  readonly chainId: number;
  readonly label: string;
  /** Blocks (Solana: slots), both ends included. */
  readonly from: number;
  readonly to: number;
  readonly charges: number;
  readonly payments: number;
  /** The number of differences; `differences` has the first thousand. */
  readonly count: number;
  readonly differences: readonly DifferenceDoc[];
}

const noTouch = async (): Promise<void> => {};

/**
 * Audits every chain up to the last block that is deep enough to settle a payment: ledger against chain, chain against
 * ledger, and residues. Changes nothing. `since`: only blocks from then on; null: everything that this ledger can have
 * caused.
 */
export async function auditAll(deps: AuditDeps, since: Date | null): Promise<ChainAudit[]> {
  const audits: ChainAudit[] = [];
  const tenants = await everyTenant(deps.store);
  for (const reader of deps.chainReaders) {
    const from = since === null ? await firstBlock(deps.store, reader) : await reader.blockAt(since);
    const to = await reader.head('final');
    const findings = new Findings();
    const auditor = new Auditor({ ...deps, reader, findings, touch: noTouch });
    await auditor.fromChain({ from, to }, tenants, (seen) => auditor.refunds.onChain(seen));
    await auditor.fromPayments({ from, to });
    await auditor.fromRefunds({ from, to });
    await auditor.deposits.all();
    await auditor.refunds.all({ from, to });
    await auditor.residues(tenants);
    const { chainId, label } = reader;
    const { charges, payments } = auditor;
    audits.push({ chainId, label, from, to, charges, payments, count: findings.count, differences: findings.list });
  }
  return audits;
}

/**
 * The first block of a chain that concerns the ledger: where the recurring audit began, or the first stored
 * transaction, whichever is earlier.
 */
export async function firstBlock({ records }: Store, { chainId }: ChainReader): Promise<number> {
  const [begun] = await records.get('audits', [String(chainId)]);
  const [first] = await records.find('transactions', {
    where: { chainId, 'block.number': { gte: 0 } },
    sort: [['block.number', 1]],
    limit: 1,
  });
  const known = [begun?.since, first?.block?.number].filter((block) => block !== undefined);
  return known.length === 0 ? 0 : Math.min(...known);
}

const MODES: readonly Mode[] = ['test', 'live'];

async function everyTenant({ records }: Store): Promise<Tenant[]> {
  const tenants: Tenant[] = [];
  for await (const page of pagesOf((query) => records.find('merchants', query), {})) {
    tenants.push(...page.flatMap(tenantsOf));
  }
  return tenants;
}

function tenantsOf({ _id: merchantId }: MerchantDoc): Tenant[] {
  return MODES.map((mode) => ({ merchantId, mode }));
}
