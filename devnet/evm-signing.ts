import { SigningKey, Transaction } from 'ethers';

export const LOCAL_EVM_CHAIN_ID = 31337;

/** A transaction to sign; `to` is null for the creation of a contract. */
export interface LocalTransaction {
  to: string | null;
  data: string;
  gasLimit: bigint;
}

/** A signed transaction as 0x-hex. */
export interface SignedTransaction {
  hash: string;
  bytes: string;
}

const GWEI = 10n ** 9n;

/**
 * Signs for the local chain. The fees are fixed, and far above any base fee of the chain. So a transaction with a nonce
 * always has the same bytes, whoever signs it, and sending it twice has no effect.
 */
export function signLocal(privateKey: string, nonce: number, transaction: LocalTransaction): SignedTransaction {
  const signed = Transaction.from({
    type: 2,
    chainId: LOCAL_EVM_CHAIN_ID,
    nonce,
    maxFeePerGas: 1000n * GWEI,
    maxPriorityFeePerGas: GWEI,
    ...transaction,
  });
  signed.signature = new SigningKey(privateKey).sign(signed.unsignedHash);
  return { hash: signed.hash ?? '', bytes: signed.serialized };
}
