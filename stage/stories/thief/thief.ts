import { type Interface, type TransactionReceipt, Wallet } from 'ethers';
import { z } from 'zod';
import { localKey } from '../../../devnet/evm-wallets.ts';
import type { MandateCharge } from '../../../src/chains/evm/contracts/mandates.ts';
import { decodeReason } from '../../../src/chains/evm/contracts/reasons.ts';
import {
  encodeChargeMany,
  merchantSalt,
  type RouterCharge,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import type { LocalChain } from '../../local-chain.ts';
import { until } from '../../until.ts';

/** Enough for a charge with a signature; fixed, because nodes estimate no gas for a call that reverts. */
const GAS = 3_000_000n;

/** Somebody with one sender key of the service, and with the source code, which is public. */
export class Thief {
  /** Fresh addresses, which no payer has signed and no merchant has registered. */
  readonly wallet = Wallet.createRandom().address;
  readonly feeWallet = Wallet.createRandom().address;
  readonly #chain: LocalChain;
  readonly #sender: Wallet;

  constructor(chain: LocalChain) {
    this.#chain = chain;
    this.#sender = new Wallet(localKey('sender 1').privateKey, chain.provider);
  }

  owns(address: string): boolean {
    return address === this.wallet || address === this.feeWallet;
  }

  /** Sends one charge in a real transaction. Resolves with the answer of the router. */
  async charge(item: { readonly open: RouterCharge } | { readonly bounded: MandateCharge }): Promise<string> {
    const { router } = this.#chain;
    const data = 'open' in item ? encodeChargeMany([item.open]) : encodeChargeMany([], [item.bounded]);
    const { logs } = await this.send(router, data);
    const reason = logs.flatMap(({ topics, data: of }) => {
      const event = routerInterface.parseLog({ topics, data: of });
      return event?.name === 'Refused' ? [z.string().parse(event.args.getValue('reason'))] : [];
    })[0];
    return reason === undefined ? 'charged' : refused(reason);
  }

  async announce(merchantId: string, payee: string): Promise<void> {
    const args = [merchantSalt(merchantId, 'test'), payee];
    await this.send(this.#chain.router, routerInterface.encodeFunctionData('announcePayee', args));
  }

  /** Calls a contract in a real transaction. Resolves with the error that reverts it. */
  async call(to: string, abi: Interface, name: string, args: readonly unknown[]): Promise<string> {
    const data = abi.encodeFunctionData(name, args);
    const { status } = await this.send(to, data);
    if (status === 1) return 'done';
    const answer = await this.#chain.provider.call({ from: this.#sender.address, to, data }).catch(revertData);
    return `refused, ${abi.parseError(answer)?.name}`;
  }

  async send(to: string, data: string): Promise<TransactionReceipt> {
    const { hash } = await this.#sender.sendTransaction({ to, data, gasLimit: GAS });
    const receipt = () => this.#chain.provider.getTransactionReceipt(hash);
    return until('it is in a block', receipt, (found) => found !== null);
  }
}

/** The error of the contract, with the kind of the token's refusal if it has one. */
function refused(data: string): string {
  const reason = decodeReason(data);
  const inner = 'inner' in reason ? `: ${reason.inner.kind.replaceAll('_', ' ')}` : '';
  return `refused, ${routerInterface.parseError(data)?.name ?? reason.kind}${inner}`;
}

function revertData(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'data' in error) return String(error.data);
  throw error;
}
