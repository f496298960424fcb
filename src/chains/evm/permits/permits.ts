import { createHash } from 'node:crypto';
import type { Signature } from 'ethers';
import type { PermitDoc } from '../../../store/collections.ts';
import type { CheckedPermit, PermitDomain, PermitRefusal, Permits, PermitTerms, SignedPermit } from '../../port.ts';
import { isRefusal, type RpcAnswer, type RpcCall, resultOf } from '../../rpc.ts';
import type { EvmContext } from '../context.ts';
import { hexBytes } from '../wire.ts';
import { callOf, nonceIn, permitDomains, readSignature, signerOf } from './domain.ts';

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
export function evmPermits(ctx: Ctx): Permits {
  const { chainId, link, routers, records, clock } = ctx;
  const domainOf = permitDomains(ctx);

  const operatorOf = ({ merchantId, mode, consent }: SignedPermit): string =>
    routers.operatorFor({ merchantId, mode }, consent);

  const isSigned = (permit: SignedPermit, signature: Signature, { domain, nonce }: PermitState): boolean => {
    const { wallet: owner, value, deadline } = permit;
    return signerOf(domain, { owner, spender: operatorOf(permit), value, nonce, deadline }, signature) === owner;
  };

  /** The newest block, which no block seen before is newer than, and the answers as of it. */
  const askAtHead = (calls: readonly RpcCall[]): Promise<RpcAnswer[]> => {
    const ask = () => link.batch([{ method: 'eth_getBlockByNumber', params: ['latest', false] }, ...calls]);
    return link.asOfHead(ask, ([newest]) => link.sawBlock(resultOf(newest)).number);
  };

  /** True if the token itself would accept the permit: it may refuse a permit although the domain is right. */
  const isTaken = async (permit: SignedPermit, { v, r, s }: Signature): Promise<boolean> => {
    const { token, wallet, value, deadline } = permit;
    const call = callOf(token, 'permit', [wallet, operatorOf(permit), value, deadline, v, r, s]);
    const [, answer] = await askAtHead([call]);
    if (isRefusal(answer)) return false;
    resultOf(answer);
    return true;
  };

  const read = async (token: string, wallet: string): Promise<PermitState | null> => {
    await link.ready();
    const domain = await domainOf(token);
    if (domain === null) return null;
    const [latest, nonces, code] = await askAtHead([
      callOf(token, 'nonces', [wallet]),
      { method: 'eth_getCode', params: [wallet, 'latest'] },
    ]);
    return stateOf(domain, { nonces, code: resultOf(code) }, link.sawBlock(resultOf(latest)), clock());
  };

  const idOf: Permits['idOf'] = (permit) => {
    const { token, wallet, value, deadline, signature } = permit;
    const parts = [chainId, token, wallet, operatorOf(permit), value, deadline, normal(signature)];
    return `prm_${createHash('sha256').update(parts.join(':').toLowerCase()).digest('hex')}`;
  };

  return {
    idOf,

    async terms(token, wallet) {
      const reading = await read(token, wallet);
      // If the account has code, the token asks that code about the signature, and not every delegate accepts a plain
      // one. That shows only after the payer has signed. An approval works for all of them.
      return reading?.account === 'key' ? reading : null;
    },

    async check(permit) {
      const reading = await read(permit.token, permit.wallet);
      if (reading === null) return refused('no_permits');
      if (reading.account === 'contract') return refused('contract_wallet');
      if (permit.deadline < reading.now + PERMIT_MARGIN_S) return refused('too_late');
      const signature = readSignature(permit.signature);
      if (signature === null || !isSigned(permit, signature, reading)) return refused('not_signed');
      if (!(await isTaken(permit, signature))) return refused('not_taken');
      return { kind: 'good', nonce: reading.nonce, block: reading.block };
    },

    async submit(permit, { nonce, block }) {
      const { merchantId, mode, consent, token, wallet, value, deadline } = permit;
      const now = clock();
      const doc: PermitDoc = {
        _id: idOf(permit),
        chainId,
        token,
        wallet,
        operator: operatorOf(permit),
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
      ctx.wakeQueues();
      return doc._id;
    },
  };
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
