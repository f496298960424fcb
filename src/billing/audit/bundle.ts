import { hash } from 'node:crypto';
import { z } from 'zod';
import { canonical } from '../../engine/canonical.ts';
import { conflict } from '../../errors/fault.ts';
import { monthIn, timeZoneOf } from '../../model/time-zones.ts';
import type { Tenant } from '../../store/documents.ts';
import { type ProofsDeps, proofOf } from '../proof/proofs.ts';
import { refundsOfMonth, settlementsOf } from '../revenue/settlements.ts';
import { type AuditDeps, auditAll } from './audit.ts';
import type { Manifest } from './bundle-document.ts';

export interface BundleFile {
  readonly path: string;
  readonly text: string;
}

const json = z.json();

/**
 * The files of the bundle of a month of a merchant, in its zone (docs/rules.md, "Invoices"), the manifest last: a proof
 * of each payment that settled, below `payments/`; of each payment of another month that was refunded, below
 * `refunded/`; and the result of the audit. Throws 409 if the
 * installation signs no proofs, if there is no such merchant, or if the chain does not show a payment at the moment.
 */
export async function* bundleOf(
  deps: ProofsDeps & AuditDeps,
  tenant: Tenant,
  month: string,
): AsyncGenerator<BundleFile> {
  const { signer, clock, store } = deps;
  if (signer === null) throw conflict('A bundle is signed, and SIGNING_KEY is needed');
  const [merchant] = await store.records.get('merchants', [tenant.merchantId]);
  if (merchant === undefined) throw conflict(`There is no merchant ${tenant.merchantId}`);
  const timeZone = timeZoneOf(merchant);
  const within = monthIn(timeZone, month);
  const audits = await auditAll(deps, new Date(within.gte));
  const files: Manifest['files'] = [];
  const file = (path: string, value: unknown): BundleFile => {
    const text = canonical(json.parse(JSON.parse(JSON.stringify(value))));
    files.push({ path, sha256: hash('sha256', text, 'hex') });
    return { path, text };
  };
  const about = new Set<string>();
  const proven = async (folder: string, id: string) => {
    about.add(id);
    return file(`${folder}/${id}.json`, await proofOf(deps, tenant, id));
  };
  for await (const part of settlementsOf(deps, tenant, within)) {
    for (const { id } of part) yield await proven('payments', id);
  }
  const refunds = await refundsOfMonth(deps, tenant, within);
  for (const { paymentId } of refunds) if (!about.has(paymentId)) yield await proven('refunded', paymentId);
  const all = audits.flatMap(({ differences }) => differences);
  const differences = all.filter(({ paymentId }) => paymentId !== null && about.has(paymentId));
  const chains = audits.map(({ chainId, charges, from, to }) => ({ chainId, charges, from, to }));
  const count = audits.reduce((sum, each) => sum + each.count, 0);
  yield file('audit.json', { chains, differences, others: count - differences.length });
  const unsigned = {
    createdAt: clock().toISOString(),
    files,
    isSandbox: tenant.mode === 'test',
    merchantId: tenant.merchantId,
    month,
    refunds: refunds.map(({ id, paymentId, refunded }) => ({ amount: String(refunded), id, paymentId })),
    signature: { keyId: signer.keyId, publicKey: signer.publicKey },
    timeZone,
    type: 'tideline.bundle' as const,
    version: 1 as const,
  };
  const manifest: Manifest = { ...unsigned, signature: { ...unsigned.signature, value: signer.sign(unsigned) } };
  yield { path: 'manifest.json', text: canonical(manifest) };
}
