import { Wallet } from 'ethers';
import { OPEN } from '../../../src/chains/consent.ts';
import { chargedTopic } from '../../../src/chains/evm/contracts/charge-logs.ts';
import {
  depositAddress,
  operatorAddress,
  paymentChargeKey,
  refundKey,
} from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { PERMIT_FIELDS } from '../../../src/chains/permit-fields.ts';
import type { Chain, SignedPermit } from '../../../src/chains/port.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { Bench } from './bench.ts';
import { expectPulledOnce } from './once.ts';
import { type Grant, startWorld, type World, waitingCharge } from './world.ts';

/** Routers from before mandates, deployed with their own creation code (docs/rules.md, "Routers"). */
let world: World;
let before: string;
let bench: Bench;
let stopPump: () => void = () => {};

beforeAll(async () => {
  world = await startWorld();
  before = await world.deployRouter('before-mandates');
  stopPump = world.pump();
});
afterEach(() => bench?.stop());
afterAll(async () => {
  stopPump();
  await world?.stop();
});

/** A charge as it was stored before routers were named: of the first router, which is the old one. */
async function chargeOfBefore(grant: Grant = {}): Promise<ChargeDoc> {
  return waitingCharge(world, { from: await world.payer('mrc_a', { router: before, ...grant }) });
}

async function madeBy({ key }: ChargeDoc): Promise<string[]> {
  const logs = await world.anvil.provider.getLogs({ fromBlock: 0, topics: [chargedTopic, key] });
  return logs.map(({ address }) => address);
}

async function permitOf(chain: Chain, wallet: Pick<Wallet, 'address' | 'signTypedData'>): Promise<SignedPermit> {
  const terms = await chain.permits?.terms(world.usdc, wallet.address);
  if (!terms) throw new Error('the token takes no permits');
  const deadline = BigInt(terms.now + 3_600);
  const value = 50_000_000n;
  const spender = operatorAddress(before, 'mrc_a', 'test');
  const message = { owner: wallet.address, spender, value, nonce: terms.nonce, deadline };
  const types = { Permit: PERMIT_FIELDS.map((field) => ({ ...field })) };
  const signature = await wallet.signTypedData(terms.domain, types, message);
  const of = { merchantId: 'mrc_a', mode: 'test', consent: OPEN, token: world.usdc, wallet: wallet.address } as const;
  return { ...of, value, deadline, signature };
}

describe('a router from before mandates', () => {
  it('makes the charges that began on it, beside a newer one, and says why it refuses one', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ routers: [world.router, before] });
    const [one, other, poor] = [await chargeOfBefore(), await chargeOfBefore(), await chargeOfBefore({ balance: 0n })];
    const newer = waitingCharge(world, { from: await world.payer('mrc_a'), router: world.router });
    await bench.charge(one, poor, other, newer);
    await chain.start();
    await bench.untilState([one, other, newer], 'final');
    await bench.untilState([poor], 'refused');
    expect(await Promise.all([one, other, newer, poor].map(madeBy))).toEqual([[before], [before], [world.router], []]);
    expect(await bench.read(poor)).toMatchObject({ refusal: { kind: 'pull_failed' } });
    await expectPulledOnce(world, one, other, newer);
    expect((await chain.health()).trouble).toBeNull();
    expect(await chain.acceptsMandates()).toBe(true);
  });

  it('charges a key once, whoever asked first', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ routers: [world.router, before] });
    const charge = await chargeOfBefore();
    await bench.charge(charge);
    await chain.start();
    await bench.untilState([charge], 'final');
    const again = { ...charge, _id: `${charge.key}:2`, attempt: 2 };
    await bench.charge(again);
    chain.wake();
    await bench.untilState([again], 'final');
    await expectPulledOnce(world, charge);
  });

  it('moves deposits, and refunds the rest of them', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ routers: [world.router, before] });
    const account = paymentChargeKey('pay_before');
    const from = depositAddress(before, account);
    await world.mint(from, 12_000_000n);
    const charge = { ...waitingCharge(world, { from, key: account }), deposit: { kind: 'charge', account } } as const;
    await bench.charge(charge);
    await chain.start();
    await bench.untilState([charge], 'final');
    const to = Wallet.createRandom().address;
    const gross = 12_000_000n - BigInt(charge.gross);
    const shares = [['forward', to, gross]] as const;
    const refund = { ...waitingCharge(world, { from, gross, shares, key: refundKey('dep_before:1') }) };
    const refunded = { ...refund, deposit: { kind: 'refund', account } } as const;
    await bench.charge(refunded);
    chain.wake();
    await bench.untilState([refunded], 'final');
    expect([await world.balanceOf(to), await world.balanceOf(from)]).toEqual([gross, 0n]);
  });

  it('passes on a permit for its open operator', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ routers: [world.router, before] });
    await chain.start();
    const wallet = Wallet.createRandom();
    await world.mint(wallet.address, 50_000_000n);
    const permit = await permitOf(chain, wallet);
    const checked = await chain.permits?.check(permit);
    if (checked?.kind !== 'good') throw new Error(`not accepted: ${JSON.stringify(checked)}`);
    const id = (await chain.permits?.submit(permit, checked)) ?? '';
    chain.wake();
    await bench.until(
      'the permit is taken',
      async () => (await bench.records.get('permits', [id]))[0]?.state === 'taken',
    );
    const data = testTokenInterface.encodeFunctionData('allowance', [
      wallet.address,
      operatorAddress(before, 'mrc_a', 'test'),
    ]);
    const allowance = await world.anvil.provider.send('eth_call', [{ to: world.usdc, data }, 'latest']);
    expect(BigInt(String(allowance))).toBe(50_000_000n);
  });

  it('as the newest: what exists is charged, nobody can sign a mandate, and health says what to do', async () => {
    bench = new Bench(world);
    const chain = bench.chain({ routers: [before] });
    expect(await chain.acceptsMandates()).toBe(false);
    const charge = await chargeOfBefore();
    await bench.charge(charge);
    await chain.start();
    await bench.untilState([charge], 'final');
    expect((await chain.health()).trouble).toContain(
      `deploy one with npm run ops -- contracts deploy --chain ${world.chainId}, and put it first in ROUTER_${world.chainId}`,
    );
  });
});
