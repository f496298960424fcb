import type { PermitToSign, TypedData } from '../../../src/checkout/wire.ts';
import { say } from '../../i18n/say.ts';
import { later } from '../later.ts';
import { agreementCall, allowanceCall, approveCall, isRevokedIn, revokeCall } from './calls.ts';
import { fieldOf } from './field-of.ts';
import type { Agreement, Agreements, Approval, Drafted, Network, Taking, Wallet } from './wallet.ts';
import { WalletError, walletError } from './wallet-error.ts';

/** An EIP-1193 provider, as far as it is used here. */
export interface Provider {
  request(call: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
  on?(event: string, listener: (...given: never[]) => void): unknown;
  removeListener?(event: string, listener: (...given: never[]) => void): unknown;
}

/** The source of a wallet's provider, which may change between requests. */
export interface ProviderSource {
  now(): Provider;
  /** Calls back after a change; returns the function that ends this. */
  onReplaced(listener: () => void): () => void;
  /** Ends a connection that would outlive the page. */
  end?(): void;
}

/** A wallet may report a switch before it has switched. */
const SWITCHED_MS = 5_000;
const SWITCHED_POLL_MS = 250;

/** Events of a wallet that can make its earlier answers invalid. */
const CHANGES = ['accountsChanged', 'chainChanged', 'connect', 'disconnect'];

/** The data with which a wallet can add an unknown chain; null: only its owner can add it. */
export type ChainFacts = (chainId: number) => Promise<{ readonly rpcUrl: string } | null>;

export async function connectProvider(source: ProviderSource, name: string, factsOf: ChainFacts): Promise<Wallet> {
  const [address] = accountsIn(await ask(source, 'eth_requestAccounts'));
  if (address === undefined) throw new WalletError('rejected', say('wallet_error.no_account', { wallet: name }));
  return new ProviderWallet(source, name, address, factsOf);
}

/** The account, if the provider shows it to this page without a prompt; null: it shows another one, or none. */
export async function reconnectProvider(
  source: ProviderSource,
  name: string,
  factsOf: ChainFacts,
  address: string,
): Promise<Wallet | null> {
  const [shown] = accountsIn(await ask(source, 'eth_accounts'));
  const isSame = shown?.toLowerCase() === address.toLowerCase();
  return shown !== undefined && isSame ? new ProviderWallet(source, name, shown, factsOf) : null;
}

/** A call of a contract without money. */
interface Call {
  readonly from: string;
  readonly to: string;
  readonly value: '0x0';
  readonly data: string;
}

class ProviderWallet implements Wallet {
  readonly family = 'evm';
  readonly name: string;
  readonly address: string;
  readonly #source: ProviderSource;
  readonly #factsOf: ChainFacts;
  /** The ids of its batches, which `landed` distinguishes from hashes. */
  readonly #batches = new Set<string>();
  #refusesBatches = false;

  constructor(source: ProviderSource, name: string, address: string, factsOf: ChainFacts) {
    this.#source = source;
    this.name = name;
    this.address = address;
    this.#factsOf = factsOf;
  }

  async isOn({ chainId }: Pick<Network, 'chainId'>): Promise<boolean> {
    return Number(await ask(this.#source, 'eth_chainId')) === chainId;
  }

  async switchTo(network: Network): Promise<void> {
    const chainId = hexId(network.chainId);
    try {
      await ask(this.#source, 'wallet_switchEthereumChain', [{ chainId }]);
    } catch (error) {
      if (!(error instanceof WalletError) || error.kind !== 'unknown_chain') throw error;
      await this.#add(network, chainId);
    }
    const deadline = Date.now() + SWITCHED_MS;
    while (!(await this.isOn(network))) {
      if (Date.now() > deadline)
        throw new WalletError('failed', say('wallet_error.other_network', { wallet: this.name }));
      await later(SWITCHED_POLL_MS);
    }
  }

  async #add({ chainId: id, label }: Network, chainId: string): Promise<void> {
    const facts = await this.#factsOf(id);
    if (facts === null) {
      const values = { network: label, chainId: String(id), wallet: this.name };
      throw new WalletError('unknown_chain', say('wallet_error.add_network', values));
    }
    const nativeCurrency = { name: 'Ether', symbol: 'ETH', decimals: 18 };
    const params = [{ chainId, chainName: label, rpcUrls: [facts.rpcUrl], nativeCurrency }];
    await ask(this.#source, 'wallet_addEthereumChain', params);
    if (Number(await ask(this.#source, 'eth_chainId')) !== id) {
      await ask(this.#source, 'wallet_switchEthereumChain', [{ chainId }]);
    }
  }

  async signText(message: string): Promise<string> {
    return textIn(await ask(this.#source, 'personal_sign', [hexOf(message), this.address]));
  }

  readonly signTypedData = async (data: PermitToSign | TypedData): Promise<string> =>
    textIn(await ask(this.#source, 'eth_signTypedData_v4', [this.address, JSON.stringify(data)]));

  async check(approval: Approval): Promise<Taking> {
    const refusal = await this.#refusalOf(this.#approvalCall(approval));
    if (refusal === null) return 'accepted';
    const hasGranted = approval.value > 0n && (await this.#allowance(approval)) > 0n;
    if (hasGranted && (await this.#refusalOf(this.#approvalCall({ ...approval, value: 0n }))) === null) {
      return (await this.#canBatch(approval.payToken)) ? 'in_one' : 'reset_first';
    }
    throw new WalletError('refused', refusal);
  }

  /** A wallet that would first have to turn the account into a contract (`ready`) is not asked for that. */
  async #canBatch({ chainId }: Network): Promise<boolean> {
    if (this.#refusesBatches) return false;
    const id = hexId(chainId);
    const known = await ask(this.#source, 'wallet_getCapabilities', [this.address, [id]]).catch(() => null);
    return isAtomic(fieldOf(known, id)) || isAtomic(fieldOf(known, EVERY_CHAIN));
  }

  readonly approveInOne = async (approval: Approval): Promise<string> => {
    try {
      const calls = [0n, approval.value].map((value) => this.#approvalCall({ ...approval, value }));
      return await this.#sendCalls(calls, approval.payToken);
    } catch (error) {
      if (isUnsupported(error)) this.#refusesBatches = true;
      throw error;
    }
  };

  async #sendCalls(own: readonly Call[], network: Network): Promise<string> {
    const calls = own.map(({ from: _own, ...call }) => call);
    const chainId = hexId(network.chainId);
    const batch = { version: '2.0.0', from: this.address, chainId, atomicRequired: calls.length > 1, calls };
    const id = textIn(fieldOf(await ask(this.#source, 'wallet_sendCalls', [batch]), 'id'));
    this.#batches.add(id);
    return id;
  }

  readonly isBatch = (id: string): boolean => this.#batches.has(id);

  readonly agreements: Agreements = {
    end: ({ payToken, router, merchant, agreement }) =>
      this.#sendChecked(this.#call(router, revokeCall(merchant, agreement)), payToken),
    isEnded: async ({ router, merchant, agreement }: Agreement) => {
      const call = { to: router, data: agreementCall(this.address, merchant, agreement) };
      return isRevokedIn(textIn(await ask(this.#source, 'eth_call', [call, 'latest'])));
    },
  };

  /** The contract's reason for a refusal; null: no refusal, or the node does not say. */
  async #refusalOf(call: Call): Promise<string | null> {
    try {
      const answer = await this.#source.now().request({ method: 'eth_call', params: [call, 'latest'] });
      // Old tokens return nothing; a returned 0 is a refusal.
      if (typeof answer === 'string' && /^0x0{64}$/.test(answer)) return say('wallet_error.no_reason');
      await this.#source.now().request({ method: 'eth_estimateGas', params: [call] });
      return null;
    } catch (error) {
      return revertIn(error);
    }
  }

  async #allowance({ payToken, operator }: Approval): Promise<bigint> {
    const call = { to: payToken.token, data: allowanceCall(this.address, operator) };
    return BigInt(textIn(await ask(this.#source, 'eth_call', [call, 'latest'])));
  }

  #approvalCall({ payToken, operator, value }: Approval): Call {
    return this.#call(payToken.token, approveCall(operator, value));
  }

  #call(to: string, data: string): Call {
    return { from: this.address, to, value: '0x0', data };
  }

  approve(approval: Approval): Promise<string> {
    return this.#send(this.#approvalCall(approval), approval.payToken);
  }

  async send(drafted: Drafted, network: Network): Promise<string> {
    if (drafted.family !== 'evm') throw new Error('this wallet sends transactions of EVM chains only');
    return this.#sendChecked(this.#call(drafted.to, drafted.data), network);
  }

  async #sendChecked(call: Call, network: Network): Promise<string> {
    const refusal = await this.#refusalOf(call);
    if (refusal !== null) throw new WalletError('failed', refusal);
    return this.#send(call, network);
  }

  /** Wallets of smart accounts may send calls only (EIP-5792). */
  async #send(call: Call, network: Network): Promise<string> {
    try {
      return textIn(await ask(this.#source, 'eth_sendTransaction', [call]));
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      return this.#sendCalls([call], network);
    }
  }

  async landed(hash: string) {
    if (this.isBatch(hash)) return batchState(await ask(this.#source, 'wallet_getCallsStatus', [hash]));
    const receipt = await ask(this.#source, 'eth_getTransactionReceipt', [hash]).catch((error: unknown) => {
      if (isUnsupported(error)) return UNREAD;
      throw error;
    });
    if (receipt === UNREAD) return 'unknown';
    if (typeof receipt !== 'object' || receipt === null || !('status' in receipt)) return 'not_yet';
    return Number(receipt.status) === 1 ? 'good' : 'reverted';
  }

  onChange(listener: () => void): () => void {
    let stop = listenTo(this.#source.now(), listener);
    const stopWatching = this.#source.onReplaced(() => {
      stop();
      stop = listenTo(this.#source.now(), listener);
      listener();
    });
    return () => {
      stop();
      stopWatching();
    };
  }

  readonly leave = (): void => this.#source.end?.();

  async currentAddress(): Promise<string | null> {
    return accountsIn(await ask(this.#source, 'eth_accounts'))[0] ?? null;
  }
}

function listenTo(provider: Provider, listener: () => void): () => void {
  for (const event of CHANGES) provider.on?.(event, listener);
  return () => {
    for (const event of CHANGES) provider.removeListener?.(event, listener);
  };
}

async function ask(source: ProviderSource, method: string, params: readonly unknown[] = []): Promise<unknown> {
  try {
    return await source.now().request({ method, params });
  } catch (error) {
    throw walletError(error);
  }
}

/** Instead of an answer: the wallet passes no reads on to a node. */
const UNREAD = Symbol('unread');

function isUnsupported(error: unknown): boolean {
  return error instanceof WalletError && error.kind === 'unsupported';
}

/** The key of capabilities on all chains (EIP-5792). */
const EVERY_CHAIN = '0x0';

/** The capabilities of a wallet on one chain: it carries out a batch as a whole or not at all. */
function isAtomic(capabilities: unknown): boolean {
  return fieldOf(fieldOf(capabilities, 'atomic'), 'status') === 'supported';
}

/** A batch that failed in part cannot exist, because it was requested as a whole. */
function batchState(answer: unknown): 'not_yet' | 'good' | 'reverted' {
  const status = Number(fieldOf(answer, 'status'));
  if (status >= 200 && status < 300) return 'good';
  return status >= 400 ? 'reverted' : 'not_yet';
}

function hexId(chainId: number): string {
  return `0x${chainId.toString(16)}`;
}

/** Wallets wrap the answer of their node, some of them twice. */
const WRAPPERS = ['data', 'originalError', 'error', 'cause', 'info'];
const WRAPPED_MOST = 4;

/** A node's words for a revert, or for an invalid instruction, which old tokens use to refuse. */
const REVERTED = /revert|invalid ?(fe)? ?opcode/i;

/** The reason of a revert; null: another error, which proves nothing about the call. */
function revertIn(error: unknown, depth = 0): string | null {
  if (typeof error !== 'object' || error === null || depth > WRAPPED_MOST) return null;
  for (const key of WRAPPERS) {
    const inner = revertIn(fieldOf(error, key), depth + 1);
    if (inner !== null) return inner;
  }
  const message = fieldOf(error, 'message');
  const text = typeof message === 'string' ? message : '';
  if (fieldOf(error, 'code') !== 3 && !REVERTED.test(text)) return null;
  const reason = /revert(?:ed)?(?: with reason(?: string)?)?:? +["']?([^"']+)["']?$/i.exec(text)?.[1];
  return reason === undefined ? say('wallet_error.no_reason') : say('wallet_error.reason', { reason });
}

function accountsIn(answer: unknown): string[] {
  return Array.isArray(answer) ? answer.filter((each) => typeof each === 'string') : [];
}

function textIn(answer: unknown): string {
  if (typeof answer === 'string') return answer;
  throw new WalletError('failed', say('wallet_error.no_text'));
}

function hexOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
