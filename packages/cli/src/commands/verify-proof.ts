import { readFile } from 'node:fs/promises';
import { print, ScriptError, scriptWith, UsageError } from '../../../../scripts/lib/script.ts';
import { table, terminalOn } from '../../../../scripts/lib/terminal.ts';
import type { Proof } from '../../../../src/billing/proof/document.ts';
import { messageOf } from '../../../../src/errors/message-of.ts';
import type { Check } from '../verify-proof/checks.ts';
import { checkDocument } from '../verify-proof/document.ts';
import { Node } from '../verify-proof/node.ts';

const usage = `
tideline verify-proof FILE --rpc URL
  Check a proof of charge (GET /payments/{id}/proof) against any node of its chain, without the service.
    --rpc            a node of the chain, http or https
    --key            the public key that you trust, hex of 32 bytes (default: the key in the proof)
    --any-form       accept other white space and another order of fields than the service's
    --json           {"valid", "paymentId", "checks": [{"name", "ok", "said"}]} on stdout

Exit codes: 0 everything holds, 1 something does not or could not be checked, 2 the arguments are wrong.
`;

export const verifyProofCommand = scriptWith({
  usage,
  options: {
    rpc: { type: 'string' },
    key: { type: 'string' },
    'any-form': { type: 'boolean', default: false },
    json: { type: 'boolean' },
  },
  takes: 1,
  run: async ({ rpc, key, 'any-form': anyForm, json }, [file]) => {
    if (file === undefined) throw new UsageError('Expected the FILE that holds the proof');
    const { proof, checks } = checkDocument(await bytesOf(file), { key: pinned(key), anyForm });
    const node = nodeAt(rpc);
    const found = [...checks, ...(proof === null ? [] : await onChain(node, proof))];
    const valid = found.every(({ ok }) => ok);
    const report = { valid, paymentId: proof?.paymentId ?? null, checks: found };
    print({ json: report, text: shown(found, valid ? 'The proof holds.' : 'The proof does not hold.', valid) }, json);
    return valid ? 0 : 1;
  },
});

async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new ScriptError(`${file} cannot be read: ${messageOf(error)}`);
  }
}

export function pinned(key: string | undefined): string | null {
  if (key === undefined) return null;
  const plain = key.replace(/^0x/, '').toLowerCase();
  if (/^[0-9a-f]{64}$/.test(plain)) return plain;
  throw new UsageError('--key is no public key: expected 32 bytes in hex');
}

function nodeAt(url: string | undefined): Node {
  const parsed = url !== undefined && URL.canParse(url) ? new URL(url) : null;
  if (url === undefined || (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')) {
    throw new UsageError('--rpc: expected the http or https URL of a node of the chain');
  }
  return new Node(url);
}

async function onChain(node: Node, proof: Proof): Promise<Check[]> {
  switch (proof.onChain.family) {
    case 'evm':
      return (await import('../verify-proof/evm.ts')).checkOnEvm(node, proof);
    case 'solana':
      return (await import('../verify-proof/solana.ts')).checkOnSolana(node, proof);
    default: {
      const never: never = proof.onChain.family;
      throw new Error(`unknown chain family ${String(never)}`);
    }
  }
}

/** A row for each check, and the verdict. */
export function shown(checks: readonly Check[], text: string, valid: boolean): string {
  const { colors } = terminalOn(process.stdout, process.env['NO_COLOR']);
  const rows = checks.map(({ name, ok, said }) => [ok ? 'ok' : 'NO', name, said]);
  const verdict = valid ? colors.green(text) : colors.red(text);
  return `${table(['', 'what', 'found'], rows)}\n${verdict}\n`;
}
