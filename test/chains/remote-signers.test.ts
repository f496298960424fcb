import { createPublicKey, verify } from 'node:crypto';
import { Transaction, Wallet } from 'ethers';
import { Blocked } from '../../src/chains/context.ts';
import { createLocalSigner, createRemoteSigner } from '../../src/chains/evm/signer.ts';
import { createRemoteSolanaSigner, fromBase58, keyFromSeed, secretOf } from '../../src/chains/solana/keys.ts';
import { HttpSigner, SIGNER_TOKEN } from '../support/http-signer.ts';

/** Any well-known key, so that the signatures are known too. */
const KEY = `0x${'46'.repeat(32)}`;
const SEED = Buffer.alloc(32, 7);
const sender = new Wallet(KEY).address;
const feePayer = keyFromSeed(SEED).address;

const CALL = {
  type: 2,
  chainId: 8453,
  nonce: 3,
  to: '0x3535353535353535353535353535353535353535',
  data: '0xabcdef',
  gasLimit: 100_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 1_000_000_000n,
};

const service = await HttpSigner.start({ evm: [`0x${'11'.repeat(32)}`, KEY], solana: [secretOf(SEED)] });
beforeEach(() => {
  service.mood = 'honest';
});
afterAll(() => service.close());

const at = () => ({ url: service.url, token: SIGNER_TOKEN });

describe('a sender whose key is at a signer', () => {
  it('signs on EVM what a local key signs', async () => {
    const remote = await createRemoteSigner(at(), sender).signTransaction(CALL);
    expect(remote).toBe(await createLocalSigner(KEY).signTransaction(CALL));
    expect(Transaction.from(remote)).toMatchObject({ from: sender, nonce: 3, data: '0xabcdef' });
  });

  it('signs on Solana what a local key signs', async () => {
    const message = Buffer.from('a message');
    const signature = await createRemoteSolanaSigner(at(), feePayer).sign(message);
    expect(Buffer.from(signature)).toEqual(Buffer.from(keyFromSeed(SEED).sign(message)));
    const x = Buffer.from(fromBase58(feePayer) ?? []).toString('base64url');
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    expect(verify(null, message, publicKey, signature)).toBe(true);
  });

  it('asks for the keys once', async () => {
    const signer = createRemoteSigner(at(), sender);
    await signer.signTransaction(CALL);
    const before = service.asked;
    await signer.signTransaction({ ...CALL, nonce: 4 });
    expect(service.asked).toBe(before + 1);
  });
});

describe('a signer that does not do its work', () => {
  const refusals = async (): Promise<string[]> => {
    const signing = [
      createRemoteSigner(at(), sender).signTransaction(CALL),
      Promise.resolve(createRemoteSolanaSigner(at(), feePayer).sign(Buffer.from('a message'))),
    ];
    return Promise.all(
      signing.map(async (one) => {
        const error: unknown = await one.then(
          () => null,
          (reason: unknown) => reason,
        );
        expect(error).toBeInstanceOf(Blocked);
        return error instanceof Error ? error.message : '';
      }),
    );
  };

  it('is away: the sentence names it, and what waits', async () => {
    service.mood = 'away';
    const [evm, solana] = await refusals();
    expect(evm).toContain(`the signer at ${service.url} does not answer (`);
    expect(evm).toContain(`charges of the sender ${sender} wait`);
    expect(solana).toContain(`charges of the sender ${feePayer} wait`);
  });

  it('signs something else: nothing is returned', async () => {
    service.mood = 'wrong';
    for (const refusal of await refusals()) expect(refusal).toContain('something that is no signature by its key');
  });

  it('has another key, or takes no such token', async () => {
    const stranger = Wallet.createRandom().address;
    await expect(createRemoteSigner(at(), stranger).signTransaction(CALL)).rejects.toThrow(
      `the signer at ${service.url} has no key of it: charges of the sender ${stranger} wait`,
    );
    const unknown = createRemoteSigner({ url: service.url, token: 'another' }, sender);
    await expect(unknown.signTransaction(CALL)).rejects.toThrow('answered 401; 200 was expected');
  });
});
