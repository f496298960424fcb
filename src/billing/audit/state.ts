import type { RecordStore } from '../../store/port.ts';

/** What the recurring audit says of all chains together. */
export interface AuditState {
  /** When the chain that was audited longest ago was; null: one that is known has not been yet, or none is known. */
  readonly at: Date | null;
  /** How many differences are open. */
  readonly differences: number;
}

const CHAINS_MAX = 100;

/** The state of the audit, for `/health` and for a metric: one read. */
export async function auditState(records: RecordStore): Promise<AuditState> {
  const audits = await records.find('audits', { where: {}, limit: CHAINS_MAX });
  const times = audits.flatMap(({ at }) => at?.getTime() ?? []);
  const isWhole = audits.length > 0 && times.length === audits.length;
  return {
    at: isWhole ? new Date(Math.min(...times)) : null,
    differences: audits.reduce((sum, { differences }) => sum + differences, 0),
  };
}
