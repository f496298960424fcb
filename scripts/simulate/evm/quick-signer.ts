import { getBigInt, Signature } from 'ethers';
import { signEip1559 } from '../../../src/chains/evm/eip1559.ts';
import type { Signer } from '../../../src/chains/evm/signer.ts';
import { digestOf } from './names.ts';

/**
 * A signer whose signatures take no multiplication on the curve, to make or to check: a hash of address and digest in the form
 * of a signature. Nobody else takes one for good; as good as a real one on a chain where nobody forges.
 */
export function quickSigner(address: string): Signer {
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
      return signEip1559(plain, (digest) => Signature.from({ r: markOf(address, digest), s: S, v: 27 }));
    },
  };
}

/** Whether the signature with this `r` is the quick one of this address. */
export function isQuickSignature(address: string, digest: string, r: string): boolean {
  return r === markOf(address, digest);
}

/** Anything that a signature may have there. */
const S = `0x${'1'.repeat(64)}`;

function markOf(address: string, digest: string): string {
  return digestOf(`quick signature of ${address.toLowerCase()} for ${digest}`);
}
