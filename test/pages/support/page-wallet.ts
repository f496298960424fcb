import { getBytes, hexlify, JsonRpcProvider, randomBytes, type Wallet } from 'ethers';
import { z } from 'zod';
import type { Chromium, Visit, VisitOptions } from '../../support/browser.ts';
import type { counterfactualWallet } from '../../support/counterfactual.ts';

const LOCAL_CHAIN = 31_337;

/** How the extension announces itself; a late one by `arriveOfTest()` of the page, `legacy` at `window.ethereum`. */
type Arrival = 'at_once' | 'late' | 'late_legacy';

/** The decisions of the wallet's owner, made by the test. */
export interface Owner {
  /** Requests that the owner declines, as in EIP-1193: code 4001. A method, or MANDATE or PERMIT. */
  declines: string[];
  /** Methods that the wallet does not have. */
  lacks: string[];
  /** The wallet's current chain. */
  chainId: number;
  /** The chains that it knows. */
  knows: number[];
  /** What it says about batches (EIP-5792); null: it has no such methods. */
  atomic: 'supported' | 'ready' | 'unsupported' | null;
  /** It cancels or speeds up its transactions: the hash that it has returned never lands. */
  replaces: boolean;
  /** It claims to have switched to another chain, and switches when this is called. */
  switchesLate: ((change: () => void) => void) | null;
  /** The owner of the shown account. */
  wallet: Wallet;
  /** Awaited before an answer, as the time that the owner needs. */
  ponders: (method: string) => Promise<void>;
  /** All its requests, in order: the method, or MANDATE or PERMIT for typed data. */
  readonly asked: string[];
  /** The contract that it shows instead of the key's account, and that its first transaction creates; null: none. */
  account: Awaited<ReturnType<typeof counterfactualWallet>> | null;
  /** The fields of the signed mandates. */
  readonly mandates: z.output<typeof mandate>[];
}

/** Requests for typed data, by the primary type. */
export const MANDATE = 'eth_signTypedData_v4 Mandate';
export const PERMIT = 'eth_signTypedData_v4 Permit';

export interface WalletVisitOptions extends VisitOptions {
  readonly arrives?: Arrival;
}

/**
 * A browser extension as a page sees it: announced by EIP-6963, called by EIP-1193. This process answers its requests,
 * with a real key on the real local chain.
 */
export async function visitWithWallet(
  chromium: Chromium,
  wallet: Wallet,
  { arrives = 'at_once', at, ...options }: WalletVisitOptions = {},
): Promise<Visit & { readonly owner: Owner }> {
  const owner = newOwner(wallet);
  const visit = await chromium.visit({ ...options, inject: `(${EXTENSION})(${JSON.stringify(arrives)})` });
  const answerPage = (_source: unknown, method: string, given: unknown) => answerAs(owner, method, given);
  await visit.page.context().exposeBinding('walletOfTest', answerPage);
  if (at !== undefined) await visit.page.goto(at);
  return Object.assign(visit, { owner });
}

export function newOwner(wallet: Wallet): Owner {
  return {
    declines: [],
    lacks: [],
    chainId: LOCAL_CHAIN,
    knows: [LOCAL_CHAIN],
    atomic: null,
    replaces: false,
    switchesLate: null,
    wallet,
    ponders: async () => {},
    asked: [],
    account: null,
    mandates: [],
  };
}

type Answer = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** The answer of a wallet with this owner, as in JSON-RPC. */
export async function answerAs(owner: Owner, method: string, given: unknown): Promise<Answer> {
  const params = z.array(z.unknown()).parse(given);
  const request = requestOf(method, params);
  owner.asked.push(request);
  const { wallet: shown } = owner;
  await owner.ponders(request);
  try {
    if (owner.lacks.includes(method)) throw new Refusal(-32601, `The method "${method}" does not exist.`);
    if (owner.declines.includes(request)) throw new Refusal(4001, 'User rejected the request.');
    return { result: await answer(shown, owner, method, params) };
  } catch (error) {
    const said = ofNode.safeParse(error);
    if (said.success) return { error: said.data.error };
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: error instanceof Refusal ? error.code : -32603, message } };
  }
}

class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const call = z.object({ to: z.string(), data: z.string() });
const batchSchema = z.strictObject({
  version: z.literal('2.0.0'),
  from: z.string(),
  chainId: z.literal(`0x${LOCAL_CHAIN.toString(16)}`),
  atomicRequired: z.boolean(),
  calls: z.array(z.strictObject({ to: z.string(), data: z.string(), value: z.literal('0x0') })),
});
const chain = z.object({ chainId: z.string() });
const failed = z.object({ error: z.object({ code: z.number(), message: z.string() }) });
/** A node's answer, as ethers wraps it. */
const ofNode = z.union([z.object({ info: failed }).transform(({ info }) => info), failed]);
const typed = z.object({
  types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
  primaryType: z.enum(['Mandate', 'Permit']),
  domain: z.record(z.string(), z.union([z.string(), z.number()])),
  message: z.record(z.string(), z.unknown()),
});
const mandate = z.looseObject({
  payer: z.string(),
  perCharge: z.string(),
  charges: z.int(),
  payees: z.array(z.string()),
});

async function answer(wallet: Wallet, owner: Owner, method: string, params: readonly unknown[]): Promise<unknown> {
  switch (method) {
    case 'eth_requestAccounts':
    case 'eth_accounts':
      return [owner.account?.address ?? wallet.address];
    case 'eth_chainId':
      return `0x${owner.chainId.toString(16)}`;
    case 'wallet_switchEthereumChain': {
      const wanted = Number(chain.parse(params[0]).chainId);
      if (!owner.knows.includes(wanted)) throw new Refusal(4902, 'Unrecognized chain ID.');
      const change = () => {
        owner.chainId = wanted;
      };
      if (owner.switchesLate === null) change();
      else owner.switchesLate(change);
      return null;
    }
    case 'wallet_addEthereumChain':
      owner.knows.push(Number(chain.parse(params[0]).chainId));
      return null;
    case 'personal_sign':
      return wallet.signMessage(getBytes(z.string().parse(params[0])));
    case 'eth_signTypedData_v4': {
      const { types, primaryType, domain, message } = typedIn(params);
      const { EIP712Domain: _domain, ...rest } = types;
      const { chainId = owner.chainId } = domain;
      // As MetaMask does.
      if (chainId !== owner.chainId) {
        throw new Refusal(-32602, `Provided chainId "${chainId}" must match the active chainId "${owner.chainId}"`);
      }
      if (primaryType === 'Mandate') owner.mandates.push(mandate.parse(message));
      const signature = await wallet.signTypedData(domain, rest, message);
      return owner.account?.wrap(signature) ?? signature;
    }
    case 'eth_sendTransaction':
      if (owner.replaces) return hexlify(randomBytes(32));
      return send(wallet, owner, call.parse(params[0]));
    case 'wallet_getCapabilities':
      if (owner.atomic === null) throw new Refusal(-32601, 'The method does not exist.');
      return { [`0x${owner.chainId.toString(16)}`]: { atomic: { status: owner.atomic } } };
    case 'wallet_sendCalls': {
      const batch = batchSchema.parse(params[0]);
      if (batch.atomicRequired && owner.atomic !== 'supported') throw new Refusal(5760, 'Atomicity not supported.');
      const hashes: string[] = [];
      for (const each of batch.calls) {
        const hash = await send(wallet, owner, each);
        await wallet.provider?.waitForTransaction(hash);
        hashes.push(hash);
      }
      return { id: hashes.join('-') };
    }
    case 'wallet_getCallsStatus':
      return { version: '2.0.0', id: params[0], status: 200, atomic: true, receipts: [] };
    default:
      if (owner.chainId !== LOCAL_CHAIN) throw new Refusal(-32603, 'wrong chain');
      if (!(wallet.provider instanceof JsonRpcProvider)) throw new Error('no node');
      return wallet.provider.send(method, [...params]);
  }
}

async function send(wallet: Wallet, { account }: Owner, { to, data }: z.output<typeof call>): Promise<string> {
  if (account === null) return (await wallet.sendTransaction({ to, data })).hash;
  const code = await wallet.provider?.getCode(account.address);
  if (code === '0x') await (await wallet.sendTransaction(account.creation)).wait();
  return (await wallet.sendTransaction({ to: account.address, data: account.execution(to, data) })).hash;
}

function typedIn(params: readonly unknown[]): z.output<typeof typed> {
  return typed.parse(JSON.parse(z.string().parse(params[1])));
}

/** A request as tests name it: typed data by its primary type. */
function requestOf(method: string, params: readonly unknown[]): string {
  return method === 'eth_signTypedData_v4' ? `${method} ${typedIn(params).primaryType}` : method;
}

const EXTENSION = `(arrives) => {
  const listeners = new Map();
  let isReplaced = false;

  const emit = (event, value) => (listeners.get(event) ?? []).forEach((listener) => listener(value));
  const makeProvider = (isAlive) => ({
    async request({ method, params = [] }) {
      if (!isAlive()) throw new Error('The extension has been updated.');
      const { result, error } = await window.walletOfTest(method, params);
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      if (method === 'wallet_switchEthereumChain') emit('chainChanged', params[0].chainId);
      return result;
    },
    on(event, listener) { listeners.set(event, [...(listeners.get(event) ?? []), listener]); },
    removeListener(event, listener) {
      listeners.set(event, (listeners.get(event) ?? []).filter((each) => each !== listener));
    },
  });
  let provider = makeProvider(() => !isReplaced);
  window.addEventListener('accountsChangedOfTest', () => emit('accountsChanged', []));
  const icon = 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="4" fill="teal"/></svg>');
  const info = Object.freeze({ uuid: '350670db-19fa-4704-a166-e52e178b59d2', name: 'Pocket', icon, rdns: 'com.example.pocket' });
  const announce = () =>
    window.dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }));
  window.replaceOfTest = () => {
    isReplaced = true;
    provider = makeProvider(() => true);
    announce();
  };
  window.arriveOfTest = () => {
    if (arrives === 'late_legacy') {
      window.ethereum = provider;
      window.dispatchEvent(new Event('ethereum#initialized'));
      return;
    }
    window.addEventListener('eip6963:requestProvider', announce);
    announce();
  };
  if (arrives === 'at_once') window.arriveOfTest();
}`;
