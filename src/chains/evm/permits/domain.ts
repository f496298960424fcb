import { Interface, recoverAddress, Signature, TypedDataEncoder } from 'ethers';
import { z } from 'zod';
import { isDue } from '../../../store/is-due.ts';
import { PERMIT_FIELDS, type PermitDomain } from '../../port.ts';
import type { RpcAnswer, RpcCall } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { decodeAnswer } from '../token-check.ts';

/** How long a token's domain is remembered, in milliseconds: tokens behind proxies do change. */
const REMEMBERED_MS = 3_600_000;
/** How long a token without a domain is remembered: the node may have refused the question. */
const SILENCE_REMEMBERED_MS = 60_000;

const QUESTIONS = ['eip712Domain', 'DOMAIN_SEPARATOR', 'PERMIT_TYPEHASH', 'name', 'version'] as const;

type Ctx = Pick<EvmContext, 'link' | 'chainId' | 'clock'>;

/**
 * Reads and remembers the EIP-712 domains of a chain's tokens. Null: the token has no permits of EIP-2612. Throws when
 * the node does not answer.
 */
export function permitDomains(ctx: Ctx): (token: string) => Promise<PermitDomain | null> {
  const all = new Map<string, { readonly domain: PermitDomain | null; readonly until: number }>();
  return async (token) => {
    const now = ctx.clock().getTime();
    const known = all.get(token);
    if (known !== undefined && !isDue(known.until, now, REMEMBERED_MS)) return known.domain;
    const domain = await readDomain(ctx, token);
    all.set(token, { domain, until: now + (domain === null ? SILENCE_REMEMBERED_MS : REMEMBERED_MS) });
    return domain;
  };
}

async function readDomain({ link, chainId }: Ctx, token: string): Promise<PermitDomain | null> {
  const answers = await link.batch(QUESTIONS.map((name) => callOf(token, name, [])));
  const [stated, separator, typeHash, name, version] = QUESTIONS.map((question, index) =>
    readAnswer(question, answers[index]),
  );
  const hash = bytes32.safeParse(typeHash);
  if (hash.success && hash.data !== PERMIT_TYPEHASH) return null;
  const parsed = bytes32.safeParse(separator);
  const form = statedSchema.safeParse(stated);
  if (form.success) {
    const domain = statedDomain(form.data);
    return !parsed.success || isDomainOf(parsed.data, domain) ? domain : null;
  }
  const named = z.tuple([z.string()]).safeParse(name);
  if (!parsed.success || !named.success) return null;
  const versioned = z.tuple([z.string()]).safeParse(version);
  return guessedDomain(parsed.data, {
    address: token,
    chainId,
    name: named.data[0],
    version: versioned.success ? versioned.data[0] : null,
  });
}

const bytes32 = z.tuple([z.string().regex(/^0x[0-9a-f]{64}$/)]).transform(([word]) => word);

/** A token's answer to `eip712Domain`, in the order of its fields. */
const statedSchema = z
  .tuple([z.string(), z.string(), z.string(), z.bigint(), z.string(), z.string()])
  .rest(z.unknown())
  .transform(([fields, name, version, chainId, verifyingContract, salt]) => {
    return { fields: Number(fields), name, version, chainId, verifyingContract, salt };
  });
type Stated = z.infer<typeof statedSchema>;

/** A call of a token, as of a block: a quantity or a tag. */
export function callOf(token: string, name: string, args: readonly unknown[], block = 'latest'): RpcCall {
  return {
    method: 'eth_call',
    params: [{ to: token, data: permitInterface.encodeFunctionData(name, args) }, block],
  };
}

/** The wallet's nonce in an answer to `nonces`; null: the token has none. Throws when the node did not answer. */
export function nonceIn(answer: RpcAnswer | undefined): bigint | null {
  const read = z.tuple([z.bigint()]).safeParse(readAnswer('nonces', answer));
  return read.success ? read.data[0] : null;
}

function readAnswer(name: string, answer: RpcAnswer | undefined): unknown[] | null {
  return decodeAnswer(permitInterface, name, answer);
}

/** The functions of a token with permits (EIP-2612, EIP-5267). ERC-20 requires none of them, so each may be missing. */
const permitInterface = new Interface([
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
const PERMIT_TYPEHASH = '0x6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9';

interface SignedTerms {
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

function isDomainOf(separator: string, domain: PermitDomain): boolean {
  return TypedDataEncoder.hashDomain(domain) === separator.toLowerCase();
}
