import { concat, type HDNodeWallet, TypedDataEncoder, Wallet } from 'ethers';
import { z } from 'zod';
import type { ChainFaultPoint } from '../../../src/chains/context.ts';
import { operatorAddress, operatorOf } from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { guessedDomain, readSignature, statedDomain } from '../../../src/chains/evm/permits/domain.ts';
import { type Chain, PERMIT_FIELDS, type SignedPermit } from '../../../src/chains/port.ts';
import type { PermitDoc } from '../../../src/store/collections.ts';
import { testArtifacts } from '../contracts/test-artifacts.ts';
import { dyingAt } from '../support/faults.ts';
import { mandateCharge } from '../support/mandates.ts';
import { type Answered, type Called, refuseAbove } from '../support/proxy.ts';
import { type EvmWish, useEvm } from './bench.ts';
import { mandatePayer, signedMandate } from './signed-mandates.ts';

const { world, bench } = useEvm();

const VALUE = 50_000_000n;
const TYPES = { Permit: PERMIT_FIELDS.map((field) => ({ ...field })) };

/** A wallet with tokens and without native coin, which sends nothing. */
async function newWallet(): Promise<HDNodeWallet> {
  const wallet = Wallet.createRandom();
  await world.mint(wallet.address, VALUE);
  return wallet;
}

/** A permit as a wallet signs it for the token's current state. */
async function signedBy(
  chain: Chain,
  wallet: Pick<HDNodeWallet, 'address' | 'signTypedData'>,
  change: Partial<SignedPermit> = {},
): Promise<SignedPermit> {
  const { merchantId = 'mrc_a', token = world.token, value = VALUE } = change;
  const { consent = { isBounded: false, router: world.router } } = change;
  const terms = await chain.permits?.terms(token, wallet.address);
  if (!terms) throw new Error('the token takes no permits');
  const deadline = change.deadline ?? BigInt(terms.now + 3_600);
  const spender = operatorOf(world.router, { merchantId, mode: 'test' }, consent);
  const message = { owner: wallet.address, spender, value, nonce: terms.nonce, deadline };
  const signature = await wallet.signTypedData(terms.domain, TYPES, message);
  const signed = { merchantId, mode: 'test' as const, consent, token, wallet: wallet.address, value, deadline };
  return { ...signed, signature, ...change };
}

/** Checks the permit and puts it into the queue. */
async function submitted(chain: Chain, permit: SignedPermit): Promise<string> {
  const checked = await chain.permits?.check(permit);
  if (checked?.kind !== 'good') throw new Error(`not taken in: ${JSON.stringify(checked)}`);
  return (await chain.permits?.submit(permit, checked)) ?? '';
}

/** A permit that waits in the queue of a chain that is not started. */
async function queued(wish: EvmWish = {}) {
  const chain = bench.chain(wish);
  const wallet = await newWallet();
  const permit = await signedBy(chain, wallet);
  return { chain, wallet, permit, id: await submitted(chain, permit) };
}

function read(id: string): Promise<PermitDoc> {
  return bench.doc('permits', id);
}

function untilEnded(id: string, state: 'taken' | 'failed'): Promise<void> {
  return bench.until(`the permit is ${state}`, async () => (await read(id)).state === state);
}

function allowanceOf(wallet: string, merchantId = 'mrc_a'): Promise<bigint> {
  return world.allowance(wallet, operatorAddress(world.router, merchantId, 'test'));
}

/** Somebody who has nothing to do with wallet or merchant sends the permit. */
async function sendElsewhere(permit: SignedPermit): Promise<void> {
  await world.act(world.owner, world.token, permitCall(permit));
}

function permitCall({ wallet, merchantId, value, deadline, signature }: SignedPermit): string {
  const read = readSignature(signature);
  const spender = operatorAddress(world.router, merchantId, 'test');
  const values = [wallet, spender, value, deadline, read?.v, read?.r, read?.s];
  return testTokenInterface.encodeFunctionData('permit', values);
}

/** The id of a permit whose process died at this point of its submission. */
async function leftAt(point: ChainFaultPoint): Promise<{ readonly id: string; readonly wallet: HDNodeWallet }> {
  const mortal = dyingAt(point);
  const { chain, wallet, id } = await queued(mortal);
  await chain.start();
  await bench.until('it dies', mortal.isDead);
  await chain.stop();
  return { id, wallet };
}

describe('a submitted permit', () => {
  it('gives the allowance to the mandate operator alone if it is for mandates', async () => {
    world.pump();
    const chain = bench.chain();
    const payer = await mandatePayer(world, { allowance: 0n });
    const consent = { isBounded: true, router: world.router };
    const id = await submitted(chain, await signedBy(chain, payer.wallet, { consent, value: 10_000_000n }));
    const charge = mandateCharge(world, await signedMandate(world, bench.records, payer));
    await chain.start();
    await untilEnded(id, 'taken');
    expect(await allowanceOf(payer.address)).toBe(0n);
    const isReported = (address: string) =>
      bench.listener.allowances.some((each) => each.wallet === address.toLowerCase() && each.consent.isBounded);
    await bench.until('its log is reported', () => isReported(payer.address));
    await bench.settle(charge);
  });

  it('is sent once, at a nonce of the sender, and gives the allowance of a wallet that has sent nothing', async () => {
    world.pump();
    const chain = bench.chain();
    const wallet = await newWallet();
    const permit = await signedBy(chain, wallet);
    const id = await submitted(chain, permit);
    expect(await submitted(chain, permit)).toBe(id);
    await chain.start();
    await untilEnded(id, 'taken');
    expect(await allowanceOf(wallet.address)).toBe(VALUE);
    expect(bench.listener.wallets).toContain(wallet.address.toLowerCase());
    const charge = bench.chargeOf({ from: wallet.address });
    await bench.settle(charge);
    const [first, second, third] = await bench.transactions();
    expect(first).toMatchObject({ permitId: id, chargeIds: [], reverted: false });
    expect(second).toMatchObject({ chargeIds: [charge._id], nonce: (first?.nonce ?? 0) + 1 });
    expect(third).toBeUndefined();
    expect(await read(id)).toMatchObject({ txHash: first?.txHash, reason: null, reverts: 0 });
    expect(await world.anvil.provider.getTransactionCount(wallet.address)).toBe(0);
  });

  const POINTS: readonly ChainFaultPoint[] = [
    'sender.started.after',
    'sender.stored.before',
    'sender.stored.after',
    'sender.broadcast.after',
  ];

  it.each(POINTS)('is finished by another process if the first dies at %s', async (point) => {
    world.pump();
    const { id, wallet } = await leftAt(point);
    await bench.start();
    await untilEnded(id, 'taken');
    expect(await allowanceOf(wallet.address)).toBe(VALUE);
    expect(await bench.transactions()).toHaveLength(1);
  });

  it('is sent again if its transaction can never land', async () => {
    world.pump();
    const { id } = await leftAt('sender.stored.after');
    const [lost] = await bench.transactions();
    await bench.records.change('transactions', lost?._id ?? '', {}, { set: { state: 'expired' } });
    const nonce = `0x${((lost?.nonce ?? 0) + 1).toString(16)}`;
    await world.rpc('anvil_setNonce', [lost?.sender, nonce]);
    await bench.start({ timing: { orphanMs: 100 } });
    await untilEnded(id, 'taken');
    expect((await bench.transactions()).map(({ state, permitId }) => [state === 'expired', permitId])).toEqual([
      [true, id],
      [false, id],
    ]);
  });

  it('is accepted without our transaction if somebody else has sent it', async () => {
    const { chain, permit, id } = await queued();
    await sendElsewhere(permit);
    await chain.start();
    await untilEnded(id, 'taken');
    expect(await read(id)).toMatchObject({ txHash: null, reason: null });
    expect(bench.listener.wallets).toContain(permit.wallet.toLowerCase());
    expect(await bench.transactions()).toEqual([]);
  });

  it('is accepted if somebody is first in the same block, and ours reverts', async () => {
    const { chain, wallet, permit, id } = await queued();
    await chain.start();
    await bench.until('it is on its way', async () => (await read(id)).state === 'sent');
    const before = { gas: '0x493e0', maxPriorityFeePerGas: '0x2540be400', maxFeePerGas: '0x4a817c800' };
    await world.setGas(wallet.address);
    await world.rpc('eth_sendTransaction', [
      { from: world.owner, to: world.token, data: permitCall(permit), ...before },
    ]);
    const lower = testTokenInterface.encodeFunctionData('approve', [chain.operatorFor('mrc_a', 'test'), 1n]);
    const after = { ...before, maxPriorityFeePerGas: '0x2540be3ff' };
    await world.rpc('eth_sendTransaction', [{ from: wallet.address, to: world.token, data: lower, ...after }]);
    await world.mine(2);
    await untilEnded(id, 'taken');
    expect(await bench.transactions()).toEqual([expect.objectContaining({ permitId: id, reverted: true })]);
    expect(await read(id)).toMatchObject({ reverts: 1, txHash: null });
  });

  /** The answer of Alchemy's free plan. */
  const BLOCKS_10 = {
    method: 'eth_getLogs',
    most: 10,
    message: 'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.',
  };

  it.each([
    ['knows the state of old blocks', true],
    ['knows only the newest state', false],
  ])('is found from somebody else if the node gives ten blocks of logs, and %s', async (_what, keepsState) => {
    const proxy = await bench.proxy();
    const refused = refuseAbove(proxy, BLOCKS_10);
    const { rewriteOne } = proxy;
    proxy.rewriteOne = (answer, call) => {
      const isOld = call.method === 'eth_call' && String(call.params[1]).startsWith('0x');
      if (isOld && !keepsState) return { error: { code: -32000, message: 'missing trie node' } };
      return rewriteOne(answer, call);
    };
    const chain = bench.chain({ rpcUrl: proxy.url });
    const judged = async (spent: bigint) => {
      const permit = await signedBy(chain, await newWallet());
      const checked = await chain.permits?.check(permit);
      if (checked?.kind !== 'good') throw new Error('not taken in');
      await world.mine(150);
      await sendElsewhere(permit);
      await world.setGas(permit.wallet);
      await world.approve(permit.wallet, 'mrc_a', VALUE - spent);
      await world.mine(150);
      return (await chain.permits?.submit(permit, checked)) ?? '';
    };
    const first = await judged(1n);
    await chain.start();
    await untilEnded(first, 'taken');
    const known = refused.count;
    proxy.seen.length = 0;
    const second = await judged(2n);
    await untilEnded(second, 'taken');
    expect(refused.count).toBe(known);
    const asked = proxy.seen.filter(({ method, params }) => {
      return method === 'eth_getLogs' && JSON.stringify(params).includes(world.token);
    });
    expect(asked.length).toBeGreaterThan(keepsState ? 0 : 10);
    expect((await chain.health()).trouble).toBeNull();
  });

  it('continues reading where it stopped, and lets charges pass in between', async () => {
    const proxy = await bench.proxy();
    proxy.answer('eth_call', (answer, { params: [, block] }) =>
      String(block).startsWith('0x') ? { error: { code: -32000, message: 'missing trie node' } } : answer,
    );
    const wish = { rpcUrl: proxy.url, sizes: { logBlocks: 5 }, timing: { postponeMs: 50 } };
    const { chain, wallet, id } = await queued(wish);
    const { block } = await read(id);
    const other = await signedBy(chain, wallet, { merchantId: 'mrc_other' });
    await world.mine(150);
    await sendElsewhere(other);
    const head = await world.height();
    await chain.start();
    await untilEnded(id, 'failed');
    expect(await read(id)).toMatchObject({ reason: 'nonce_used', block: block + 100 });
    expect(head - block).toBeGreaterThan(100);
    const ranges = proxy.seen.flatMap(({ method, params }) => {
      return method === 'eth_getLogs' && JSON.stringify(params).includes(wallet.address.slice(2).toLowerCase())
        ? [JSON.stringify(params)]
        : [];
    });
    expect(new Set(ranges).size).toBe(ranges.length);
  });

  it('pauses while the asked node is behind, and does not know its nonce yet', async () => {
    const wallet = await newWallet();
    const proxy = await bench.proxy();
    const chain = bench.chain({ rpcUrl: proxy.url });
    const first = await signedBy(chain, wallet, { merchantId: 'mrc_other' });
    const before = await world.height();
    await sendElsewhere(first);
    const id = await submitted(chain, await signedBy(chain, wallet));
    const isAsked = ({ method }: Called): boolean => method === 'eth_call' || method === 'eth_estimateGas';
    proxy.replace = (call) => {
      const [asked] = call.params;
      return isAsked(call) ? { ...call, params: [asked, `0x${before.toString(16)}`] } : call;
    };
    proxy.seen.length = 0;
    await chain.start();
    await bench.until(
      'it was judged',
      async () => proxy.seen.filter(({ method }) => method === 'eth_estimateGas').length > 1,
    );
    expect(await read(id)).toMatchObject({ state: 'waiting', reason: null });
    proxy.replace = (call) => call;
    world.pump();
    await untilEnded(id, 'taken');
    expect(await allowanceOf(wallet.address)).toBe(VALUE);
  });

  it('fails if its deadline passes before it can be sent, and charges continue', async () => {
    world.pump();
    const { chain, id } = await queued();
    const charge = await bench.newCharge();
    await world.rpc('evm_increaseTime', [7_200]);
    await world.mine();
    await chain.start();
    await bench.charge(charge);
    await untilEnded(id, 'failed');
    expect(await read(id)).toMatchObject({ reason: 'expired' });
    await bench.untilState([charge], 'final');
  });

  it('is sent although one node says that its deadline has passed', async () => {
    world.pump();
    const proxy = await bench.proxy();
    const { chain, permit, id } = await queued({ rpcUrl: proxy.url });
    const timestamp = `0x${(permit.deadline + 1n).toString(16)}`;
    const late = (answer: Answered) => ({ ...answer, result: { ...Object(answer.result), timestamp } });
    proxy.answer('eth_getBlockByNumber', late);
    await chain.start();
    await bench.until('it has ended', async () => ['taken', 'failed'].includes((await read(id)).state));
    expect(await read(id)).toMatchObject({ state: 'taken', reason: null });
  });
});

it.each(['0x1', '0xffffffffffffffff'])('gas of %s that a node names stops no permit', async (gas) => {
  world.pump();
  const node = await bench.proxy();
  node.answer('eth_estimateGas', { result: gas });
  const { chain, id } = await queued({ rpcUrl: node.url });
  await chain.start();
  await untilEnded(id, 'taken');
});

describe('a permit is refused', () => {
  it('if it is late, altered, of another key or another nonce', async () => {
    const chain = bench.chain();
    const [wallet, other] = [await newWallet(), await newWallet()];
    const good = await signedBy(chain, wallet);
    const why = async (change: Partial<SignedPermit>) => chain.permits?.check({ ...good, ...change });
    expect(await why({})).toMatchObject({ kind: 'good', nonce: 0n });
    const soon = BigInt(((await chain.permits?.terms(world.token, wallet.address))?.now ?? 0) + 60);
    const late = await signedBy(chain, wallet, { deadline: soon });
    expect(await chain.permits?.check(late)).toEqual({ kind: 'refused', why: 'too_late' });
    const refused = { kind: 'refused', why: 'not_signed' };
    expect(await why({ value: VALUE + 1n })).toEqual(refused);
    expect(await why({ merchantId: 'mrc_b' })).toEqual(refused);
    expect(await why({ wallet: other.address })).toEqual(refused);
    expect(await why({ token: world.usdt })).toEqual(refused);
    expect(await why({ signature: `0x${'11'.repeat(65)}` })).toEqual(refused);
    await sendElsewhere(good);
    expect(await why({})).toEqual(refused);
  });

  it('of a contract, and for a token without permits', async () => {
    const chain = bench.chain();
    const permit = await signedBy(chain, await newWallet());
    expect(await chain.permits?.check({ ...permit, wallet: world.router })).toEqual({
      kind: 'refused',
      why: 'contract_wallet',
    });
    expect(await chain.permits?.terms(world.token, world.router)).toBeNull();
    const { NoReturnToken } = await testArtifacts();
    const token = await world.deploy(concat([NoReturnToken.bytecode]));
    expect(await chain.permits?.terms(token, permit.wallet)).toBeNull();
    expect(await chain.permits?.check({ ...permit, token })).toEqual({ kind: 'refused', why: 'no_permits' });
  });

  it('only once if its signature has the short form', async () => {
    const chain = bench.chain();
    const permit = await signedBy(chain, await newWallet());
    const compact = readSignature(permit.signature)?.compactSerialized ?? '';
    expect(await chain.permits?.check({ ...permit, signature: compact })).toMatchObject({ kind: 'good' });
    expect(chain.permits?.idOf({ ...permit, signature: compact })).toBe(chain.permits?.idOf(permit));
  });
});

describe('an account that delegates to a contract (EIP-7702)', () => {
  it('is offered no permit, but a permit that its token accepts is taken', async () => {
    const chain = bench.chain();
    const wallet = await newWallet();
    const permit = await signedBy(chain, wallet);
    await world.rpc('anvil_setCode', [wallet.address, `0xef0100${world.router.slice(2)}`]);
    expect(await chain.permits?.terms(world.token, wallet.address)).toBeNull();
    expect(await chain.permits?.check(permit)).toMatchObject({ kind: 'good' });
  });
});

describe('the domain of a token', () => {
  it("equals the token's own statement", async () => {
    const chain = bench.chain();
    const terms = await chain.permits?.terms(world.token, Wallet.createRandom().address);
    expect(terms?.domain).toEqual({
      name: 'Test USDC',
      version: '1',
      chainId: world.chainId,
      verifyingContract: world.token,
    });
    const stated = { name: 'A', version: '2', chainId: 5n, verifyingContract: world.token, salt: '0x01' };
    expect(statedDomain({ fields: 0b10101, ...stated })).toEqual({ name: 'A', chainId: 5, salt: '0x01' });
    expect(z.object({}).parse(statedDomain({ fields: 0, ...stated }))).toEqual({});
  });

  const address = '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359';
  const salt = `0x${(137).toString(16).padStart(64, '0')}`;
  const token = { address, chainId: 137, name: 'USD Coin', version: '2' };

  it.each([
    ['names a version', { name: 'USD Coin', version: '2', chainId: 137, verifyingContract: address }],
    [
      'signs with another version than it says',
      { name: 'USD Coin', version: '1', chainId: 137, verifyingContract: address },
    ],
    ['has the chain as salt', { name: 'USD Coin', version: '1', verifyingContract: address, salt }],
    ['has no version', { name: 'USD Coin', chainId: 137, verifyingContract: address }],
  ])('is found by its separator if the token %s', (_how, domain) => {
    expect(guessedDomain(TypedDataEncoder.hashDomain(domain), token)).toEqual(domain);
  });

  it('is unknown if no known domain has the separator', () => {
    const separator = TypedDataEncoder.hashDomain({ name: 'USD Coin', chainId: 1, verifyingContract: address });
    expect(guessedDomain(separator, { ...token, version: null })).toBeNull();
  });
});
