import { recoverAddress } from 'ethers';
import type { Proof } from '../../../../src/billing/proof/document.ts';
import { mandateHash } from '../../../../src/chains/evm/contracts/mandates.ts';
import { NOTHING_CHARGED, underMandate, withAmounts } from '../../../../src/chains/mandate-rules.ts';
import { inWords, MANDATE_WORDS } from '../../../../src/chains/mandate-words.ts';
import { isEd25519Signed } from '../../../../src/chains/signatures.ts';
import { namesMandate, solanaMandateHash } from '../../../../src/chains/solana/mandates.ts';
import { all, type Check, same } from './checks.ts';

export type ProvenMandate = NonNullable<Proof['mandate']>;

/** What only a node knows about a charge under a mandate. */
export interface NodeFacts {
  /** The time of the charge's block, Unix seconds. */
  readonly time: number;
  /** The recipients that the merchant had announced to the router before. */
  readonly announced: ReadonlySet<string>;
}

/** The checks of the mandate that need no node; none without a mandate. */
export function mandateChecks(proof: Proof): Check[] {
  const mandate = proof.mandate ?? null;
  return mandate === null ? [] : [hashCheck(proof, mandate), signatureCheck(proof, mandate)];
}

function hashCheck(proof: Proof, mandate: ProvenMandate): Check {
  const { onChain } = proof;
  const clauses = [
    same('hash', hashOf(proof, mandate), mandate.id),
    same('payer', mandate.payer, onChain.from),
    same('token', mandate.token, onChain.token),
    same('router', mandate.router ?? 'none', onChain.router ?? 'none'),
    same('cycle', proof.terms.cycle ?? 1, mandate.cycle),
  ];
  return all('mandate', clauses, `${mandate.id}, for this payer, token and merchant`);
}

function hashOf({ onChain, merchantId, isSandbox }: Proof, mandate: ProvenMandate): string {
  const { router, payees } = mandate;
  if (router !== null) {
    const signed = { ...withAmounts(mandate), payees: [...payees], merchant: onChain.merchant };
    return mandateHash(onChain.chainId, router, signed);
  }
  return solanaMandateHash({ ...mandate, chainId: onChain.chainId, merchantId, mode: isSandbox ? 'test' : 'live' });
}

function signatureCheck({ onChain }: Proof, { id, payer, message, signature }: ProvenMandate): Check {
  const name = "payer's signature";
  if (onChain.family === 'solana') {
    const ok = namesMandate(message, id) && isEd25519Signed(payer, message, signature);
    return { name, ok, said: ok ? 'Ed25519, over a message that names the mandate' : 'it is not of this payer' };
  }
  return isOfKey({ id, payer, signature })
    ? { name, ok: true, said: `of the key of ${payer}` }
    : { name, ok: true, said: 'not checked here: no key made it, so only a contract of the payer can confirm it' };
}

/** True if the key of the payer made the signature (EVM). */
export function isOfKey({ id, payer, signature }: Pick<ProvenMandate, 'id' | 'payer' | 'signature'>): boolean {
  try {
    return recoverAddress(id, signature).toLowerCase() === payer.toLowerCase();
  } catch {
    return false;
  }
}

/** Checks that the charge kept to the mandate, charges before it left aside: amount, recipients, fee, and moment. */
export function keptCheck({ onChain }: Proof, mandate: ProvenMandate, { time, announced }: NodeFacts): Check {
  const verdict = underMandate(NOTHING_CHARGED, {
    mandate: { ...withAmounts(mandate), ...alike(mandate) },
    hash: mandate.id,
    cycle: BigInt(mandate.cycle),
    shares: onChain.shares.map(({ to, amount }) => ({ to: comparable(to), amount: BigInt(amount) })),
    now: BigInt(time),
    isAnnounced: (recipient) => announced.has(recipient),
    isSigned: () => true,
  });
  const name = 'kept to the mandate';
  if (verdict.kind === 'kept') return { name, ok: true, said: 'amount, recipients, fee and moment' };
  return { name, ok: false, said: verdict.kind === 'seen' ? 'its cycle is zero' : inWords(MANDATE_WORDS, verdict) };
}

function alike({ payees, platform }: ProvenMandate) {
  return { payees: payees.map(comparable), platform: comparable(platform) };
}

/** Hex addresses are equal in either case; base58 is case-sensitive. */
export function comparable(address: string): string {
  return address.startsWith('0x') ? address.toLowerCase() : address;
}
