import { createHash } from 'node:crypto';
import type { PermitDoc } from '../../../store/collections.ts';
import type { CheckedPermit, PermitDomain, PermitRefusal, Permits, PermitTerms, SignedPermit } from '../../port.ts';
import { isRefusal, type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { hexBytes } from '../wire.ts';
import { callOf, nonceIn, PermitDomains, readSignature, signerOf } from './domain.ts';

/** A nearer deadline may pass before a block has the permit. */
const PERMIT_MARGIN_S = 120;

/** Code with this prefix belongs to an account that has a key, and that delegates to a contract (EIP-7702). */
const DELEGATION_PREFIX = '0xef0100';

type Ctx = Pick<EvmContext, 'chainId' | 'link' | 'routers' | 'records' | 'clock' | 'wakeQueues'>;

/** The permit's terms and the wallet's account, as of one block. */
interface PermitState extends PermitTerms {
  readonly account: 'key' | 'delegated' | 'contract';
  readonly block: number;
}

/** Permits of EIP-2612 on one EVM chain: gives the terms to sign, checks a permit, and queues it for senders. */
export class EvmPermits implements Permits {
  readonly #ctx: Ctx;
  readonly #domains: PermitDomains;

  constructor(ctx: Ctx) {
    this.#ctx = ctx;
    this.#domains = new PermitDomains(ctx.link, ctx.chainId, ctx.clock);
  }

  async terms(token: string, wallet: string): Promise<PermitTerms | null> {
    const reading = await this.#read(token, wallet);
    // If the account has code, the token asks that code about the signature, and not every delegate accepts a plain
    // one. That shows only after the payer has signed. An approval works for all of them.
    return reading?.account === 'key' ? reading : null;
  }

  async check(permit: SignedPermit): Promise<CheckedPermit> {
    const reading = await this.#read(permit.token, permit.wallet);
    if (reading === null) return refused('no_permits');
    if (reading.account === 'contract') return refused('contract_wallet');
    if (permit.deadline < reading.now + PERMIT_MARGIN_S) return refused('too_late');
    if (!this.#isSigned(permit, reading)) return refused('not_signed');
    if (!(await this.#isTaken(permit))) return refused('not_taken');
    return { kind: 'good', nonce: reading.nonce, block: reading.block };
  }

  async submit(permit: SignedPermit, { nonce, block }: { nonce: bigint; block: number }): Promise<string> {
    const { records, routers, chainId, clock, wakeQueues } = this.#ctx;
    const { merchantId, mode, consent, token, wallet, value, deadline } = permit;
    const now = clock();
    const doc: PermitDoc = {
      _id: this.idOf(permit),
      chainId,
      token,
      wallet,
      operator: this.#operator(permit),
      merchantId,
      mode,
      router: routers.ofConsent(consent),
      ...(consent.isBounded ? { isBounded: true } : {}),
      value: String(value),
      deadline: String(deadline),
      nonce: String(nonce),
      signature: normal(permit.signature),
      block,
      state: 'waiting',
      reason: null,
      reverts: 0,
      lane: null,
      transactionId: null,
      txHash: null,
      notBefore: now,
      createdAt: now,
      updatedAt: now,
      purgeAt: null,
    };
    await records.insert('permits', [doc]);
    wakeQueues();
    return doc._id;
  }

  idOf(permit: SignedPermit): string {
    const { chainId } = this.#ctx;
    const { token, wallet, value, deadline, signature } = permit;
    const operator = this.#operator(permit);
    const parts = [chainId, token, wallet, operator, value, deadline, normal(signature)];
    return `prm_${createHash('sha256').update(parts.join(':').toLowerCase()).digest('hex')}`;
  }

  #operator({ merchantId, mode, consent }: SignedPermit): string {
    return this.#ctx.routers.operatorFor({ merchantId, mode }, consent);
  }

  #isSigned(permit: SignedPermit, { domain, nonce }: PermitState): boolean {
    const { wallet, value, deadline, signature } = permit;
    const read = readSignature(signature);
    if (read === null) return false;
    const spender = this.#operator(permit);
    return signerOf(domain, { owner: wallet, spender, value, nonce, deadline }, read) === wallet;
  }

  /** True if the token itself would accept the permit: it may refuse a permit although the domain is right. */
  async #isTaken(permit: SignedPermit): Promise<boolean> {
    const { token, wallet, value, deadline, signature } = permit;
    const read = readSignature(signature);
    if (read === null) return false;
    const spender = this.#operator(permit);
    const { v, r, s } = read;
    const call = callOf(token, 'permit', [wallet, spender, value, deadline, v, r, s]);
    const [, answer] = await this.#askAtHead([call]);
    if (isRefusal(answer)) return false;
    resultOf(answer);
    return true;
  }

  async #read(token: string, wallet: string): Promise<PermitState | null> {
    const { link, clock } = this.#ctx;
    await link.ready();
    const domain = await this.#domains.of(token);
    if (domain === null) return null;
    const [latest, nonces, code] = await this.#askAtHead([
      callOf(token, 'nonces', [wallet]),
      { method: 'eth_getCode', params: [wallet, 'latest'] },
    ]);
    return stateOf(domain, { nonces, code: resultOf(code) }, link.sawBlock(resultOf(latest)), clock());
  }

  /** The newest block, which no block seen before is newer than, and the answers as of it. */
  #askAtHead(calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
    const { link } = this.#ctx;
    const ask = () => link.batch([{ method: 'eth_getBlockByNumber', params: ['latest', false] }, ...calls]);
    return link.asOfHead(ask, ([newest]) => link.sawBlock(resultOf(newest)).number);
  }
}

function stateOf(
  domain: PermitDomain,
  { nonces, code }: { readonly nonces: RpcAnswer | undefined; readonly code: unknown },
  block: { readonly number: number; readonly timestamp: number },
  now: Date,
): PermitState | null {
  const nonce = nonceIn(nonces);
  if (nonce === null) return null;
  return {
    domain,
    nonce,
    now: Math.max(block.timestamp, Math.floor(now.getTime() / 1_000)),
    account: accountOf(hexBytes.parse(code).toLowerCase()),
    block: block.number,
  };
}

function accountOf(code: string): PermitState['account'] {
  if (code === '0x') return 'key';
  return code.startsWith(DELEGATION_PREFIX) ? 'delegated' : 'contract';
}

function normal(signature: string): string {
  return readSignature(signature)?.serialized ?? signature;
}

function refused(why: PermitRefusal): CheckedPermit {
  return { kind: 'refused', why };
}
