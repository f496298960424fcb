import { getAddress, Transaction, type TransactionLike, Wallet } from 'ethers';

/** Who signs for one sender. The key stays inside: a key service can stand here. */
export interface Signer {
  /** EIP-55. */
  readonly address: string;
  /** The signed bytes (0x-hex) of an EIP-1559 transaction. */
  signTransaction(transaction: TransactionLike<string>): Promise<string>;
}

/**
 * A signer with its key in memory. The key appears in no property, no message and no inspection of it.
 * @throws Error that does not repeat the key if it is not one
 */
export function createLocalSigner(privateKey: string): Signer {
  const wallet = openWallet(privateKey);
  const address = getAddress(wallet.address);
  return {
    address,
    async signTransaction(transaction) {
      const unsigned = Transaction.from(transaction);
      unsigned.signature = wallet.signingKey.sign(unsigned.unsignedHash);
      return unsigned.serialized;
    },
  };
}

function openWallet(privateKey: string): Wallet {
  try {
    return new Wallet(privateKey);
  } catch {
    throw new Error('A sender key is not a private key: expected 32 bytes in hex');
  }
}
