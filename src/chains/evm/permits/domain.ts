import { z } from 'zod';
import type { PermitDomain } from '../../port.ts';
import { isRefusal, type RpcAnswer, type RpcCall } from '../../rpc.ts';
import type { EvmLink } from '../link.ts';
import { hexBytes } from '../wire.ts';
import { guessedDomain, isDomainOf, PERMIT_TYPEHASH, permitInterface, type Stated, statedDomain } from './eip2612.ts';

/** How long a token's domain is remembered, in milliseconds: tokens behind proxies do change. */
const REMEMBERED_MS = 3_600_000;
/** How long a token without a domain is remembered: the node may have refused the question. */
const SILENCE_REMEMBERED_MS = 60_000;

const QUESTIONS = ['eip712Domain', 'DOMAIN_SEPARATOR', 'PERMIT_TYPEHASH', 'name', 'version'] as const;

/** The EIP-712 domains of a chain's tokens, read from the tokens themselves. */
export class PermitDomains {
  readonly #link: EvmLink;
  readonly #chainId: number;
  readonly #clock: () => Date;
  readonly #known = new Map<string, { readonly domain: PermitDomain | null; readonly until: number }>();

  constructor(link: EvmLink, chainId: number, clock: () => Date) {
    this.#link = link;
    this.#chainId = chainId;
    this.#clock = clock;
  }

  /** Null: the token has no permits of EIP-2612. Throws when the node does not answer. */
  async of(token: string): Promise<PermitDomain | null> {
    const now = this.#clock().getTime();
    const known = this.#known.get(token);
    if (known !== undefined && now < known.until) return known.domain;
    const domain = await this.#ask(token);
    this.#known.set(token, { domain, until: now + (domain === null ? SILENCE_REMEMBERED_MS : REMEMBERED_MS) });
    return domain;
  }

  async #ask(token: string): Promise<PermitDomain | null> {
    const answers = await this.#link.batch(QUESTIONS.map((name) => callOf(token, name, [])));
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
      chainId: this.#chainId,
      name: named.data[0],
      version: versioned.success ? versioned.data[0] : null,
    });
  }
}

const bytes32 = z.tuple([z.string().regex(/^0x[0-9a-f]{64}$/)]).transform(([word]) => word);

const statedSchema = z
  .tuple([z.string(), z.string(), z.string(), z.bigint(), z.string(), z.string()])
  .rest(z.unknown())
  .transform(([fields, name, version, chainId, verifyingContract, salt]): Stated => {
    return { fields: Number(fields), name, version, chainId, verifyingContract, salt };
  });

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

/** A token's answer, as a list; null: the token does not know the question. Throws when the node did not answer. */
function readAnswer(name: string, answer: RpcAnswer | undefined): unknown[] | null {
  if (answer === undefined) return null;
  if (!answer.ok) {
    if (isRefusal(answer)) return null;
    throw answer.error;
  }
  try {
    return permitInterface.decodeFunctionResult(name, hexBytes.parse(answer.result)).toArray();
  } catch {
    return null;
  }
}
