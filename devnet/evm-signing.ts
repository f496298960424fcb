import { SigningKey, Transaction } from 'ethers';

/** The id of the local EVM chain. */
export const LOCAL_EVM_CHAIN_ID = 31337;

/** A transaction to be signed; `to` is null where it makes a contract. */
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
 * Signs for the local chain. The fees are fixed, far above any base fee that it reaches, so the same transaction at the
 * same nonce always gives the same bytes, whoever signs it and when: sent twice it is still one.
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
