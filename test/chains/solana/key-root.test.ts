import { createPublicKey, verify } from 'node:crypto';
import { inspect } from 'node:util';
import { PublicKey } from '@solana/web3.js';
import { createMerchants } from '../../../src/billing/administration/merchants.ts';
import { Delegates, delegateName } from '../../../src/chains/solana/delegates.ts';
import { rootOfPublicKey, rootOfSeed } from '../../../src/chains/solana/key-root.ts';
import { derivedSeed, keyFromSeed } from '../../../src/chains/solana/keys.ts';
import { openDelegates } from '../../../src/chains/solana/noted-delegates.ts';
import { openMemoryStore } from '../../../src/store/memory/store.ts';
import { recordingLog } from '../../../stage/recording-log.ts';

const SEED = new Uint8Array(32).fill(7);
const root = rootOfSeed(SEED);
const publicRoot = rootOfPublicKey(root.publicKey);

/** As a validator checks it, by code that is not the service's. */
function isSignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') };
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

describe('the root of the operator', () => {
  it('gives the same address with the seed and with the public key alone', () => {
    for (let n = 0; n < 40; n += 1) {
      const [own, shown] = [root.derive(`purpose ${n}`), publicRoot.derive(`purpose ${n}`)];
      expect(shown.address).toBe(own.address);
      expect(Buffer.from(shown.publicKey)).toEqual(Buffer.from(own.publicKey));
      expect(PublicKey.isOnCurve(own.publicKey)).toBe(true);
    }
  });

  it('never changes its derivation: payers have approved these addresses', () => {
    expect(Buffer.from(root.publicKey).toString('hex')).toBe(
      'dc6a66946690f141e1920c49eb06ab52f7f586fee06e4f463e794fbc5bc998a6',
    );
    expect(root.derive('delegate:one').address).toBe('6yvrXSuB3tsZfxzRnFLauNDeskpSz4vhbNedxDNXSq1Z');
  });

  it('signs with every derived key so that others accept it, and only this message of this key', () => {
    for (let n = 0; n < 40; n += 1) {
      const [key, message] = [root.derive(`purpose ${n}`), Buffer.alloc(n * 7, n)];
      const signature = key.sign(message);
      expect(signature).toHaveLength(64);
      expect(isSignature(key.publicKey, message, signature)).toBe(true);
      expect(isSignature(key.publicKey, Buffer.concat([message, Buffer.of(0)]), signature)).toBe(false);
      expect(isSignature(root.publicKey, message, signature)).toBe(false);
      expect(Buffer.from(key.sign(message))).toEqual(Buffer.from(signature));
    }
  });

  it('uses a nonce of its own for every message and every key', () => {
    const signatures = ['a', 'b'].flatMap((purpose) =>
      ['1', '2'].map((message) => root.derive(purpose).sign(Buffer.from(message))),
    );
    expect(new Set(signatures.map((one) => Buffer.from(one.subarray(0, 32)).toString('hex'))).size).toBe(4);
  });

  it('gives other keys for another purpose and for another seed', () => {
    const other = rootOfSeed(new Uint8Array(32).fill(8));
    const addresses = [root, other].flatMap((each) => ['a', 'b'].map((purpose) => each.derive(purpose).address));
    expect(new Set(addresses).size).toBe(4);
  });

  it('signs nothing without the seed, and shows nothing of it', () => {
    const key = publicRoot.derive('a');
    expect(publicRoot.secret).toBeNull();
    expect(() => key.sign(Buffer.from('m'))).toThrow(`has no OPERATOR_SEED, and cannot sign for ${key.address}`);
    const shown = inspect([root, root.derive('a'), root.secret], { depth: 6, showHidden: true });
    expect(shown).not.toMatch(/<Buffer 07 07|7, 7, 7/);
  });

  it('refuses a public key that is no point of the prime order', () => {
    const small = Buffer.alloc(32);
    small[0] = 1;
    expect(() => rootOfPublicKey(small)).toThrow('prime order');
    expect(() => rootOfPublicKey(Buffer.alloc(31))).toThrow();
    expect(() => rootOfPublicKey(Buffer.alloc(32, 0xff))).toThrow();
  });
});

describe('the delegates of a merchant from before', () => {
  const [id, OTHER] = ['mrc_old', 'mrc_other'];
  const earlier = keyFromSeed(derivedSeed(SEED, delegateName({ merchantId: id, mode: 'test' }, false)));

  async function withMerchants() {
    const { records } = openMemoryStore();
    const clock = () => new Date();
    const merchants = createMerchants({ records, clock, feeBps: 0, onCreated: async () => undefined });
    const { merchant } = await merchants.create({ name: 'New' });
    const { delegates: _, ...before } = merchant;
    await records.insert('merchants', [
      { ...before, _id: id },
      { ...before, _id: OTHER },
    ]);
    const { log, lines } = recordingLog();
    return {
      records,
      lines,
      newId: merchant._id,
      open: (of: typeof root) => openDelegates({ records, root: of, log }),
    };
  }

  it('stay as they were; a process without the seed waits until they are noted', async () => {
    const { open, lines, newId } = await withMerchants();
    const waiting = open(publicRoot);
    const worker = await open(root);
    const serving = await waiting;
    expect(worker.of({ merchantId: id, mode: 'test' }, false).address).toBe(earlier.address);
    expect(serving.of({ merchantId: id, mode: 'test' }, false).address).toBe(earlier.address);
    expect(serving.of({ merchantId: id, mode: 'live' }, false).address).toBe(
      worker.of({ merchantId: id, mode: 'live' }, false).address,
    );
    const bounded = serving.of({ merchantId: id, mode: 'test' }, true).address;
    expect(bounded).toBe(worker.of({ merchantId: id, mode: 'test' }, true).address);
    expect(bounded).not.toBe(earlier.address);
    expect(serving.of({ merchantId: newId, mode: 'test' }, false).address).toBe(
      root.derive(delegateName({ merchantId: newId, mode: 'test' }, false)).address,
    );
    const signature = worker.of({ merchantId: id, mode: 'test' }, false).sign(Buffer.from('m'));
    expect(isSignature(earlier.publicKey, Buffer.from('m'), signature)).toBe(true);
    expect(lines).toEqual([]);
  });

  it('are not taken from a database that somebody has altered, and are put right by a process with the seed', async () => {
    const { open, records, lines } = await withMerchants();
    await open(root);
    const thief = keyFromSeed(new Uint8Array(32).fill(9)).address;
    const name = Buffer.from(root.publicKey).toString('hex');
    await records.change('merchants', id, {}, { set: { [`delegates.${name}.test`]: thief } });
    const serving = await open(publicRoot);
    expect(() => serving.of({ merchantId: id, mode: 'test' }, false)).toThrow('No trusted address');
    expect(lines).toMatchObject([{ level: 'error', detail: { merchantId: id } }]);
    const worker = await open(root);
    expect(worker.of({ merchantId: id, mode: 'test' }, false).address).toBe(earlier.address);
    expect((await open(publicRoot)).of({ merchantId: id, mode: 'test' }, false).address).toBe(earlier.address);
  });

  it('are not taken from another merchant', async () => {
    const { open, records } = await withMerchants();
    await open(root);
    const [other] = await records.get('merchants', [OTHER]);
    await records.change('merchants', id, {}, { set: { delegates: other?.delegates } });
    const serving = await open(publicRoot);
    expect(() => serving.of({ merchantId: id, mode: 'test' }, false)).toThrow('No trusted address');
  });

  it('leave a deposit from before with its own key', () => {
    const delegates = new Delegates(root);
    const account = '0x12';
    const old = keyFromSeed(derivedSeed(SEED, `deposit:${account}`)).address;
    const use = { merchantId: id, mode: 'test', deposit: { kind: 'charge', account } } as const;
    expect(delegates.mover({ ...use, from: old }).address).toBe(old);
    const from = delegates.ofDeposit(account).address;
    expect(delegates.mover({ ...use, from }).address).toBe(from);
    expect(from).not.toBe(old);
  });
});
