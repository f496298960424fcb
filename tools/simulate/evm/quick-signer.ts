import { getBigInt, Signature } from 'ethers';
import { signEip1559 } from '../../../src/chains/evm/eip1559.ts';
import type { Signer } from '../../../src/chains/evm/signer.ts';
import { digestOf } from './names.ts';

/**
 * A signer without elliptic curve arithmetic, for signing or recovery. A signature names its address, and anybody can
 * forge it. That is good enough on a chain where nobody forges.
 */
export function quickSigner(address: string): Signer {
  const signature = Signature.from({ r: quickMark(address), s: S, v: 27 });
  return {
    address,
    async signTransaction({ chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data }) {
      const plain = {
        chainId: getBigInt(chainId ?? 0),
        nonce: getBigInt(nonce ?? 0),
        maxPriorityFeePerGas: getBigInt(maxPriorityFeePerGas ?? 0),
        maxFeePerGas: getBigInt(maxFeePerGas ?? 0),
        gasLimit: getBigInt(gasLimit ?? 0),
        to: String(to),
        value: getBigInt(value ?? 0),
        data: data ?? '0x',
      };
      return signEip1559(plain, () => signature);
    },
  };
}

/** The `r` of all quick signatures of an address. */
export function quickMark(address: string): string {
  return digestOf(`quick signature of ${address.toLowerCase()}`);
}

/** Any valid `s`. */
const S = `0x${'1'.repeat(64)}`;
