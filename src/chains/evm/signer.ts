import {
  computeAddress,
  getBigInt,
  hexlify,
  keccak256,
  recoverAddress,
  Signature,
  Transaction,
  type TransactionLike,
  Wallet,
} from 'ethers';
import { RemoteKey, type RemoteSigner } from '../remote-key.ts';
import { getAddress } from './address.ts';
import { type Eip1559, signEip1559 } from './eip1559.ts';

/** Signs for one sender. The key stays inside, so a key service can implement this. */
export interface Signer {
  /** EIP-55. */
  readonly address: string;
  /** The signed bytes (0x-hex) of an EIP-1559 transaction. */
  signTransaction(transaction: TransactionLike<string>): Promise<string>;
}

/**
 * A signer with its key in memory. The key appears in no property, no message and no inspection of the signer.
 * @throws Error if it is not a key; the error does not repeat it
 */
export function createLocalSigner(privateKey: string): Signer {
  const wallet = openWallet(privateKey);
  const address = getAddress(wallet.address);
  return {
    address,
    async signTransaction(transaction) {
      const plain = plainOf(transaction);
      if (plain !== null) return signEip1559(plain, (digest) => wallet.signingKey.sign(digest));
      const unsigned = Transaction.from(transaction);
      unsigned.signature = wallet.signingKey.sign(unsigned.unsignedHash);
      return unsigned.serialized;
    },
  };
}

/**
 * A signer with its key at Web3Signer, which hashes what it signs.
 * @throws Blocked when the service does not answer, lacks the key, or answers with another signature
 */
export function createRemoteSigner(at: RemoteSigner, address: string): Signer {
  const key = new RemoteKey({
    ...at,
    scheme: 'eth1',
    address,
    addressOf: (publicKey) =>
      computeAddress(publicKey.length === PLAIN_KEY_LENGTH ? `0x04${publicKey.slice(2)}` : publicKey),
    isSignature: (signature, data) => recoverAddress(keccak256(data), hexlify(signature)) === address,
  });
  return {
    address,
    async signTransaction(transaction) {
      const unsigned = Transaction.from(transaction);
      const signature = await key.sign(Buffer.from(unsigned.unsignedSerialized.slice(2), 'hex'));
      unsigned.signature = Signature.from(hexlify(signature));
      return unsigned.serialized;
    },
  };
}

/** `0x` and 64 bytes: Web3Signer leaves out the byte 04 that marks an uncompressed key. */
const PLAIN_KEY_LENGTH = 130;

/** For a process that only serves requests: it knows the sender, and `signTransaction` rejects. */
export function signerWithoutKey(address: string): Signer {
  return {
    address,
    signTransaction: () => Promise.reject(new Error(`This process has no key of the sender ${address}`)),
  };
}

/** A call with all fields given, as the queues sign it; null: something else. */
function plainOf(transaction: TransactionLike<string>): Eip1559 | null {
  const { type, to, data, chainId, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas, value, ...others } =
    transaction;
  if (type !== 2 || typeof to !== 'string' || typeof data !== 'string' || Object.keys(others).length > 0) return null;
  const numbers = [chainId, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas];
  if (numbers.some((each) => each === null || each === undefined)) return null;
  return {
    to: getAddress(to),
    data,
    chainId: getBigInt(chainId ?? 0),
    nonce: getBigInt(nonce ?? 0),
    gasLimit: getBigInt(gasLimit ?? 0),
    maxFeePerGas: getBigInt(maxFeePerGas ?? 0),
    maxPriorityFeePerGas: getBigInt(maxPriorityFeePerGas ?? 0),
    value: getBigInt(value ?? 0),
  };
}

function openWallet(privateKey: string): Wallet {
  try {
    return new Wallet(privateKey);
  } catch {
    throw new Error('A sender key is not a private key: expected 32 bytes in hex');
  }
}
