import { createHash, createPublicKey, verify } from 'node:crypto';
import { id } from 'ethers';
import type { JsonObject } from '../../../../machines/json.ts';
import { type Proof, proofSchema } from '../../../../src/billing/proof/document.ts';
import { mandateKey } from '../../../../src/chains/mandate-reader.ts';
import { canonical } from '../../../../src/engine/canonical.ts';
import { all, type Check, same } from './checks.ts';
import { mandateChecks } from './mandate.ts';

export interface DocumentOptions {
  /** The trusted public key, hex of 32 bytes; null: the key in the proof. */
  readonly key: string | null;
  /** Accepts other white space and another order of fields than canonical JSON has. */
  readonly anyForm: boolean;
}

/** The result without a node. `proof` is null if the bytes are not a proof. */
export interface DocumentVerdict {
  readonly proof: Proof | null;
  readonly checks: readonly Check[];
}

interface Signed extends JsonObject {
  readonly signature: { readonly keyId: string; readonly publicKey: string; readonly value: string };
}

/** Checks the bytes of a proof: form, signature, and whether its facts agree. */
export function checkDocument(bytes: Uint8Array, { key, anyForm }: DocumentOptions): DocumentVerdict {
  const read = readProof(bytes);
  if (typeof read === 'string') return { proof: null, checks: [{ name: 'form', ok: false, said: read }] };
  const { proof, isCanonical } = read;
  const form: Check = {
    name: 'form',
    ok: isCanonical || anyForm,
    said: isCanonical
      ? 'canonical JSON'
      : `${anyForm ? '' : 'not '}taken although it is not canonical JSON: its bytes are not those that were signed`,
  };
  return {
    proof,
    checks: [
      form,
      ...signatureChecks(proof, key),
      keyCheck(proof),
      termsCheck(proof),
      sharesCheck(proof),
      ...refundsCheck(proof),
      ...mandateChecks(proof),
    ],
  };
}

function readProof(bytes: Uint8Array): { readonly proof: Proof; readonly isCanonical: boolean } | string {
  let text: string;
  let json: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    json = JSON.parse(text);
  } catch {
    return 'it is not JSON';
  }
  const parsed = proofSchema.safeParse(json);
  if (parsed.success) return { proof: parsed.data, isCanonical: text.replace(/\n$/, '') === canonical(parsed.data) };
  const [issue] = parsed.error.issues;
  return `it is not a proof of charge: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`;
}

/** Checks the Ed25519 signature of a document over its canonical JSON without the value. `pinned`: the trusted key. */
export function signatureChecks(
  { signature: { value, ...signature }, ...rest }: Signed,
  pinned: string | null,
): Check[] {
  const x = Buffer.from(signature.publicKey, 'hex').toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const signed = Buffer.from(canonical({ ...rest, signature }));
  const ok = verify(null, signed, publicKey, Buffer.from(value, 'hex'));
  const thumbprint = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  return [
    { name: 'signature', ok, said: ok ? 'Ed25519, over all of it' : 'it is not of these bytes and this key' },
    same('key id', thumbprint, signature.keyId),
    pinned === null
      ? { name: 'key', ok: true, said: `${signature.publicKey} as the proof says; pin it with --key` }
      : same('key', pinned, signature.publicKey),
  ];
}

/**
 * The key follows from the ids alone; under a mandate, from its agreement and the cycle. On Solana it has a secret
 * part, which the service keeps, because it is in the keys of later charges too.
 */
function keyCheck({ chargeKey, paymentId, mandate, onChain, terms: { subscriptionId, cycle } }: Proof): Check {
  if (mandate) return same('charge key', mandateKey(mandate.agreement, mandate.cycle), chargeKey);
  const isCycle = subscriptionId !== null && cycle !== null;
  const key = id(isCycle ? `subscription:${subscriptionId}:${cycle}` : `payment:${paymentId}`);
  if (onChain.family === 'evm' || key === chargeKey) return same('charge key', key, chargeKey);
  return {
    name: 'charge key',
    ok: true,
    said: 'it has a secret part: that it is of this payment is the word of the service',
  };
}

function termsCheck({ terms, onChain, merchantId, isSandbox }: Proof): Check {
  const [amount, fee, rest] = [terms.amount, terms.platformAmount, terms.merchantAmount].map(BigInt);
  const clauses = [
    same('parts', String(amount), String((fee ?? 0n) + (rest ?? 0n))),
    same('fee', String(((amount ?? 0n) * BigInt(terms.feeBps)) / 10_000n), String(fee)),
    same('payer', terms.payer ?? onChain.from, onChain.from),
    ...(terms.chainId === onChain.chainId ? [same('charged', terms.amount, onChain.gross)] : []),
    ...(onChain.family === 'evm'
      ? [same('merchant', id(`${merchantId}:${isSandbox ? 'test' : 'live'}`), onChain.merchant)]
      : []),
  ];
  return all('terms', clauses, `${terms.amount} base units of ${terms.tokenKey}, and the parts add up`);
}

/** Each share has its own log or instruction, because one that is named twice was paid only once. */
function sharesCheck({ onChain: { shares, gross }, terms: { recipient } }: Proof): Check {
  const sum = shares.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const forward = shares.find(({ role }) => role === 'forward');
  const clauses = [
    same('sum', gross, String(sum)),
    same('places on the chain', shares.length, new Set(shares.map(({ logIndex }) => logIndex)).size),
    ...(forward ? [same('recipient', recipient ?? forward.to, forward.to)] : []),
  ];
  return all('shares', clauses, `${shares.length} that add up to ${gross}`);
}

/** Each refund has its own transfer, and all of them return no more than was charged. */
function refundsCheck({ refunds, onChain: { gross } }: Proof): Check[] {
  if (refunds === undefined) return [];
  const sum = refunds.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const places = new Set(refunds.map(({ transaction, logIndex }) => `${transaction} ${logIndex}`));
  const isTooMuch = sum > BigInt(gross);
  const clauses = [
    same('places on the chain', refunds.length, places.size),
    { name: 'sum', ok: !isTooMuch, said: `${sum} of ${gross} that were charged` },
  ];
  return [all('refunds', clauses, `${refunds.length} that return ${sum} of ${gross}`)];
}
