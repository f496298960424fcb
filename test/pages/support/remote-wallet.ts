import { SignClient } from '@walletconnect/sign-client';
import type { Wallet } from 'ethers';
import { answerAs, newOwner, type Owner } from './page-wallet.ts';

type Client = Awaited<ReturnType<typeof SignClient.init>>;

const METHODS = ['eth_sendTransaction', 'personal_sign', 'eth_signTypedData_v4'];
const REFUSED = { code: 5000, message: 'User rejected.' };

/** What the wallet grants to a page that asks for a connection; null: its owner refuses. */
export interface Grant {
  readonly chainIds: readonly number[];
  readonly methods: readonly string[];
}

/**
 * A wallet on another device than the page, such as on a phone: the library of WalletConnect in this process, with a
 * real key on the real local chain. Like most of them it passes no reads on to a node.
 */
export class RemoteWallet {
  readonly owner: Owner;
  grant: Grant | null;
  readonly #client: Client;
  readonly #prefix: string;

  private constructor(client: Client, prefix: string, wallet: Wallet) {
    this.#client = client;
    this.#prefix = prefix;
    this.owner = newOwner(wallet);
    this.grant = { chainIds: [this.owner.chainId], methods: METHODS };
    client.on('session_proposal', ({ id }) => void this.#answerProposal(id));
    client.on('session_request', ({ id, topic, params: { request } }) => void this.#answer(id, topic, request));
  }

  static async open(relayUrl: string, wallet: Wallet): Promise<RemoteWallet> {
    // The library keeps a client per prefix in a global variable.
    const customStoragePrefix = wallet.address;
    const client = await SignClient.init({
      projectId: 'of-the-wallet',
      relayUrl,
      customStoragePrefix,
      storageOptions: { database: ':memory:' },
      metadata: { name: 'Satchel', description: '', url: 'https://satchel.example.com', icons: [] },
      logger: 'silent',
      telemetryEnabled: false,
    });
    return new RemoteWallet(client, customStoragePrefix, wallet);
  }

  /** Scans the code. */
  async pair(uri: string): Promise<void> {
    await this.#client.pair({ uri });
  }

  /** The pages to which it is connected. */
  get connected(): readonly string[] {
    return this.#client.session.getAll().map(({ peer }) => peer.metadata.url);
  }

  async close(): Promise<void> {
    this.#client.core.heartbeat.stop();
    await this.#client.core.relayer.transportClose();
    for (const suffix of ['', '_count'])
      Reflect.deleteProperty(globalThis, `_walletConnectCore_${this.#prefix}${suffix}`);
  }

  async #answerProposal(id: number): Promise<void> {
    if (this.grant === null) return this.#client.reject({ id, reason: REFUSED });
    const { chainIds, methods } = this.grant;
    const chains = chainIds.map((chainId) => `eip155:${chainId}`);
    const accounts = chains.map((chain) => `${chain}:${this.owner.wallet.address}`);
    const namespaces = {
      eip155: { chains, accounts, methods: [...methods], events: ['accountsChanged', 'chainChanged'] },
    };
    await this.#client.approve({ id, namespaces });
  }

  async #answer(id: number, topic: string, { method, params }: { method: string; params: unknown }): Promise<void> {
    const response = { id, jsonrpc: '2.0', ...(await answerAs(this.owner, method, params)) };
    await this.#client.respond({ topic, response });
  }
}
