import { Interface, recoverAddress, Signature, TypedDataEncoder } from 'ethers';
import { PERMIT_FIELDS } from '../../permit-fields.ts';
import type { PermitDomain } from '../../port.ts';

/** The functions of a token with permits (EIP-2612, EIP-5267). ERC-20 requires none of them, so each may be missing. */
export const permitInterface = new Interface([
  'function nonces(address owner) view returns (uint256)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function PERMIT_TYPEHASH() view returns (bytes32)',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
]);

const TYPES = { Permit: PERMIT_FIELDS.map((field) => ({ ...field })) };

/** The hash of the struct's type. A token that gives another hash has permits of another kind, as DAI has. */
export const PERMIT_TYPEHASH = '0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9';

/** The terms that the payer signs. */
export interface SignedTerms {
  readonly owner: string;
  readonly spender: string;
  readonly value: bigint;
  readonly nonce: bigint;
  readonly deadline: bigint;
}

/** The account whose key has signed these terms; null: no key gives this signature. */
export function signerOf(domain: PermitDomain, terms: SignedTerms, signature: Signature): string | null {
  try {
    return recoverAddress(TypedDataEncoder.hash(domain, TYPES, terms), signature);
  } catch {
    return null;
  }
}

/** Reads 65 bytes, or 64 (EIP-2098), in hex; null: it is not a signature, or one in a form that can be altered. */
export function readSignature(hex: string): Signature | null {
  try {
    return Signature.from(hex);
  } catch {
    return null;
  }
}

/** A token's answer to `eip712Domain`, in the order of its fields. */
export interface Stated {
  readonly fields: number;
  readonly name: string;
  readonly version: string;
  readonly chainId: bigint;
  readonly verifyingContract: string;
  readonly salt: string;
}

/** The domain that a token states (EIP-5267): the bits of `fields` say which fields are part of it. */
export function statedDomain({ fields, name, version, chainId, verifyingContract, salt }: Stated): PermitDomain {
  return {
    ...(fields & 1 ? { name } : {}),
    ...(fields & 2 ? { version } : {}),
    ...(fields & 4 ? { chainId: Number(chainId) } : {}),
    ...(fields & 8 ? { verifyingContract } : {}),
    ...(fields & 16 ? { salt } : {}),
  };
}

/**
 * The domain with this separator, among those that tokens without EIP-5267 are known to use; null: none of them. Some
 * tokens give no version, or sign with another version; some on Polygon have the chain's id as salt.
 */
export function guessedDomain(
  separator: string,
  token: { readonly address: string; readonly chainId: number; readonly name: string; readonly version: string | null },
): PermitDomain | null {
  const { address: verifyingContract, chainId, name } = token;
  const salt = `0x${chainId.toString(16).padStart(64, '0')}`;
  const versions = [...new Set([...(token.version === null ? [] : [token.version]), '1', '2'])];
  const candidates: PermitDomain[] = [
    ...versions.flatMap((version) => [
      { name, version, chainId, verifyingContract },
      { name, version, verifyingContract, salt },
    ]),
    { name, chainId, verifyingContract },
  ];
  return candidates.find((domain) => isDomainOf(separator, domain)) ?? null;
}

export function isDomainOf(separator: string, domain: PermitDomain): boolean {
  return TypedDataEncoder.hashDomain(domain) === separator.toLowerCase();
}
