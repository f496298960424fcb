import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { z } from 'zod';
import { print, ScriptError, scriptWith, UsageError } from '../../../../scripts/lib/script.ts';
import { bundledAudit, type Manifest, manifestSchema } from '../../../../src/billing/audit/bundle-document.ts';
import type { Proof } from '../../../../src/billing/proof/document.ts';
import { messageOf } from '../../../../src/errors/message-of.ts';
import { monthIn } from '../../../../src/model/time-zones.ts';
import { all, type Check, same } from '../verify-proof/checks.ts';
import { checkDocument, signatureChecks } from '../verify-proof/document.ts';
import { pinned, shown } from './verify-proof.ts';

const usage = `
tideline verify-bundle FOLDER
  Check the bundle of a month (npm run ops -- audit --bundle) without the service and without a network: the manifest and
  its signature, every file, every proof, every refund, and what the audit found.
    --key            the public key that you trust, hex of 32 bytes (default: the key in the manifest)
    --json           {"valid", "checks": [{"name", "ok", "said"}]} on stdout
  tideline verify-proof checks a single proof of it against a node of its chain.

Exit codes: 0 everything holds, 1 something does not, 2 the arguments are wrong.
`;

export const verifyBundleCommand = scriptWith({
  usage,
  options: { key: { type: 'string' }, json: { type: 'boolean' } },
  takes: 1,
  run: async ({ key, json }, [folder]) => {
    if (folder === undefined) throw new UsageError('Expected the FOLDER of the bundle');
    const checks = checkBundle(await filesIn(folder), pinned(key));
    const valid = checks.every(({ ok }) => ok);
    const text = shown(checks, valid ? 'The bundle holds.' : 'The bundle does not hold.', valid);
    print({ json: { valid, checks }, text }, json);
    return valid ? 0 : 1;
  },
});

type Files = ReadonlyMap<string, Buffer>;

async function filesIn(folder: string): Promise<Files> {
  try {
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = found.filter((each) => each.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const inside = (path: string) => path.slice(join(folder, sep).length).replaceAll(sep, '/');
    return new Map(await Promise.all(paths.map(async (path) => [inside(path), await readFile(path)] as const)));
  } catch (error) {
    throw new ScriptError(`${folder} cannot be read: ${messageOf(error)}`);
  }
}

/** Every check of a bundle. `key`: the public key that is trusted; null: that of the manifest. */
function checkBundle(files: Files, key: string | null): Check[] {
  const manifest = parsed(manifestSchema, files.get('manifest.json'));
  if (manifest === null) return [{ name: 'manifest', ok: false, said: 'it is missing, or none of this version' }];
  const proofs = new Map<string, Proof>();
  const clauses: Check[] = [];
  for (const [path, bytes] of files) {
    if (!/^(payments|refunded)\//.test(path)) continue;
    const { proof, checks } = checkDocument(bytes, { key: key ?? manifest.signature.publicKey, anyForm: false });
    clauses.push(...checks.map((each) => ({ ...each, name: `${path} ${each.name}` })));
    if (proof === null) continue;
    proofs.set(path, proof);
    clauses.push(
      same(path, `${manifest.merchantId} ${path}`, `${proof.merchantId} ${path.split('/')[0]}/${proof.paymentId}.json`),
    );
  }
  return [
    monthCheck(manifest),
    ...signatureChecks(manifest, key),
    all('files', fileChecks(manifest, files), `${manifest.files.length} as the manifest has them`),
    all('proofs', clauses, `${proofs.size} that hold, of ${sumsText(paidOf(proofs))}`),
    all(
      'refunds',
      refundChecks(manifest, proofs),
      `${manifest.refunds.length} in the proofs, of ${sumsText(refundedOf(manifest, proofs))}`,
    ),
    auditCheck(files),
  ];
}

/** Which month this is of, so that nobody takes a test, or a part of a month, for more. */
function monthCheck({ month, timeZone = 'UTC', merchantId, isSandbox, createdAt }: Manifest): Check {
  const mode = isSandbox ? 'test mode, where no real money moves' : 'live mode';
  const early = createdAt < monthIn(timeZone, month).lt ? ', before the month was over' : '';
  return {
    name: 'month',
    ok: true,
    said: `${month} (${timeZone}) of ${merchantId}, ${mode}; written ${createdAt}${early}`,
  };
}

type Amounts = readonly { readonly tokenKey: string; readonly amount: string }[];

function paidOf(proofs: ReadonlyMap<string, Proof>): Amounts {
  return [...proofs].flatMap(([path, { terms }]) => (path.startsWith('payments/') ? [terms] : []));
}

function refundedOf({ refunds }: Manifest, proofs: ReadonlyMap<string, Proof>): Amounts {
  const tokens = new Map([...proofs.values()].map(({ paymentId, terms }) => [paymentId, terms.tokenKey]));
  return refunds.map(({ amount, paymentId }) => ({ amount, tokenKey: tokens.get(paymentId) ?? '' }));
}

function sumsText(amounts: Amounts): string {
  const sums = new Map<string, bigint>();
  for (const { tokenKey, amount } of amounts) sums.set(tokenKey, (sums.get(tokenKey) ?? 0n) + BigInt(amount));
  return [...sums].map(([tokenKey, sum]) => `${sum} base units of ${tokenKey}`).join(', ') || 'nothing';
}

function fileChecks({ files: named }: Manifest, files: Files): Check[] {
  const known = new Set(['manifest.json', ...named.map(({ path }) => path)]);
  const strangers = [...files.keys()].filter((path) => !known.has(path));
  return [
    ...named.map(({ path, sha256 }) => same(path, sha256, hashOf(files.get(path)))),
    ...strangers.map((path) => ({ name: path, ok: false, said: 'the manifest does not have it' })),
  ];
}

function refundChecks({ refunds }: Manifest, proofs: ReadonlyMap<string, Proof>): Check[] {
  const proven = [...proofs.values()].flatMap((proof) =>
    (proof.refunds ?? []).map(({ id, amount }) => `${id} ${proof.paymentId} ${amount}`),
  );
  return refunds.map(({ id, paymentId, amount }) => ({
    name: id,
    ok: proven.includes(`${id} ${paymentId} ${amount}`),
    said: 'no proof has it',
  }));
}

function auditCheck(files: Files): Check {
  const audit = parsed(bundledAudit, files.get('audit.json'));
  if (audit === null) return { name: 'audit', ok: false, said: 'audit.json is none' };
  const found = audit.differences.map(({ kind, what }) => ({ name: kind, ok: false, said: what }));
  return all('audit', found, `no difference about these payments, and ${audit.others} about others`);
}

function hashOf(bytes: Buffer | undefined): string | null {
  return bytes === undefined ? null : hash('sha256', bytes, 'hex');
}

/** null: it is not there, or of another shape. */
function parsed<S extends z.ZodType>(schema: S, bytes: Buffer | undefined): z.output<S> | null {
  try {
    return schema.parse(JSON.parse(bytes?.toString() ?? ''));
  } catch {
    return null;
  }
}
