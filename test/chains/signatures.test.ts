import { generateKeyPairSync, sign } from 'node:crypto';
import { encodeBase58, hashMessage, Wallet } from 'ethers';
import { isSignedBy } from '../../src/chains/signatures.ts';

const MESSAGE = 'I let Acme charge 9.90 USDC\n\nNonce: ü';

const silent = {
  acceptsSignature: async () => {
    throw new Error('the node does not answer');
  },
};
const noContract = { acceptsSignature: async () => false };

function solana() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const wallet = encodeBase58(publicKey.export({ type: 'spki', format: 'der' }).subarray(12));
  const signature = encodeBase58(sign(null, Buffer.from(MESSAGE), privateKey));
  return { family: 'solana', wallet, message: MESSAGE, signature } as const;
}

describe('a signature of an EVM account', () => {
  const payer = Wallet.createRandom();

  it('is accepted without the chain', async () => {
    const signature = await payer.signMessage(MESSAGE);
    const signed = { family: 'evm', wallet: payer.address, message: MESSAGE, signature } as const;
    expect(await isSignedBy(signed, silent)).toBe(true);
    expect(await isSignedBy({ ...signed, message: `${MESSAGE} ` }, noContract)).toBe(false);
    expect(await isSignedBy({ ...signed, wallet: Wallet.createRandom().address }, noContract)).toBe(false);
  });

  it('is checked by the contract if no key made it, and never guessed', async () => {
    const signed = { family: 'evm', wallet: payer.address, message: MESSAGE, signature: '0xabcd' } as const;
    const asked: unknown[] = [];
    const contract = {
      acceptsSignature: async (...question: unknown[]) => {
        asked.push(question);
        return true;
      },
    };
    expect(await isSignedBy(signed, contract)).toBe(true);
    expect(asked).toEqual([[payer.address, hashMessage(MESSAGE), '0xabcd']]);
    await expect(isSignedBy(signed, silent)).rejects.toThrow('does not answer');
  });

  it.each(['', '0x1', 'nonsense', `0x${'00'.repeat(4_097)}`])('is invalid: %.20s', async (signature) => {
    const signed = { family: 'evm', wallet: payer.address, message: MESSAGE, signature } as const;
    expect(await isSignedBy(signed, silent)).toBe(false);
  });
});

describe('a signature of a Solana key', () => {
  it('is accepted for the exact text, and for no other', async () => {
    const signed = solana();
    expect(await isSignedBy(signed, silent)).toBe(true);
    expect(await isSignedBy({ ...signed, message: `${MESSAGE} ` }, silent)).toBe(false);
    expect(await isSignedBy({ ...signed, wallet: solana().wallet }, silent)).toBe(false);
  });

  it.each(['', '0x00', '1'.repeat(64), 'z'.repeat(200), '2222'])('is invalid: %.20s', async (signature) => {
    expect(await isSignedBy({ ...solana(), signature }, silent)).toBe(false);
  });
});
