import bs58 from 'bs58';
import { say } from '../../i18n/say.ts';
import { toBase64 } from '../base64.ts';
import type { Devnet } from '../devnet.ts';
import { bytesOf } from './solana-draft.ts';
import type { Approval, Drafted, Wallet, WalletOption } from './wallet.ts';
import { WalletError } from './wallet-error.ts';

type Local = NonNullable<Devnet['solana']>;

/** The wallets of the local Solana chain, whose keys are public. */
export function testSolanaWallets({ solana }: Devnet): WalletOption[] {
  return (solana?.wallets ?? []).map(({ name, address, secretKey, behaviour }) => {
    const walletName = `Test wallet ${name}`;
    const connect = async () => {
      if (solana === undefined) throw new WalletError('failed', say('wallet_error.no_local_solana'));
      return new KeyWallet(walletName, address, await keyOf(secretKey), solana);
    };
    return {
      id: `test-solana-${name}`,
      name,
      icon: null,
      family: 'solana',
      kind: 'test',
      note: behaviour,
      connects: (other) => other === walletName,
      connect,
      reconnect: connect,
    };
  });
}

const SIGNATURE_LENGTH = 64;

/** The bytes before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8 = [48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 112, 4, 34, 4, 32];

function keyOf(secretKey: string): Promise<CryptoKey> {
  const seed = bs58.decode(secretKey).slice(0, 32);
  return crypto.subtle.importKey('pkcs8', new Uint8Array([...PKCS8, ...seed]), 'Ed25519', false, ['sign']);
}

/** Signs without a prompt, and sends to the local chain. */
class KeyWallet implements Wallet {
  readonly family = 'solana';
  readonly name: string;
  readonly address: string;
  readonly signTypedData = null;
  readonly approveInOne = null;
  readonly agreements = null;
  readonly #key: CryptoKey;
  readonly #chain: Local;

  constructor(name: string, address: string, key: CryptoKey, chain: Local) {
    this.name = name;
    this.address = address;
    this.#key = key;
    this.#chain = chain;
  }

  async isOn({ chainId }: Pick<Approval['payToken'], 'chainId'>): Promise<boolean> {
    return chainId === this.#chain.chainId;
  }

  async switchTo(): Promise<void> {
    throw new WalletError('unknown_chain', say('wallet_error.only_local'));
  }

  async signText(message: string): Promise<string> {
    return bs58.encode(await this.#sign(new TextEncoder().encode(message)));
  }

  /** The service simulates when it drafts the transaction. */
  async check() {
    return 'accepted' as const;
  }

  async approve({ draft }: Approval): Promise<string> {
    return this.send({ family: 'solana', transaction: await draft() });
  }

  /** The draft lacks one signature: it has a byte with their number, the empty slot, and the message to sign. */
  async send(drafted: Drafted): Promise<string> {
    const transaction = bytesOf(drafted);
    if (transaction[0] !== 1) throw new WalletError('failed', say('wallet_error.signatures'));
    const signature = await this.#sign(transaction.slice(1 + SIGNATURE_LENGTH));
    transaction.set(signature, 1);
    await this.#ask('sendTransaction', [
      toBase64(transaction),
      { encoding: 'base64', preflightCommitment: 'confirmed' },
    ]);
    return bs58.encode(signature);
  }

  async landed(hash: string) {
    const answer = await this.#ask('getSignatureStatuses', [[hash]]);
    const [status] = answer?.value ?? [];
    if (status == null) return 'not_yet' as const;
    return status.err === null ? ('good' as const) : ('reverted' as const);
  }

  onChange(): () => void {
    return () => {};
  }

  async currentAddress(): Promise<string | null> {
    return this.address;
  }

  async #sign(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    return new Uint8Array(await crypto.subtle.sign('Ed25519', this.#key, bytes));
  }

  async #ask(method: string, params: readonly unknown[]): Promise<Statuses | null> {
    const response = await fetch(this.#chain.rpcUrl, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const answer: { result?: Statuses; error?: { message?: string } } = await response.json();
    if (answer.error) throw new WalletError('failed', answer.error.message ?? `The local chain refused ${method}.`);
    return answer.result ?? null;
  }
}

interface Statuses {
  readonly value?: readonly ({ readonly err: unknown } | null)[];
}
