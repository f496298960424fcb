import type { RecordStore } from '../../store/port.ts';

/** The state of the recurring audit over all chains. */
export interface AuditState {
  /** The time of the oldest last audit of any chain; null: some known chain has not been audited, or none is known. */
  readonly at: Date | null;
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
