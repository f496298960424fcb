import { z } from 'zod';
import { RpcFault } from '../../../devnet/solana/rpc-fault.ts';
import type { EvmContext } from '../../../src/chains/evm/context.ts';
import { routerInterface } from '../../../src/chains/evm/contracts/router.ts';
import { GasGauge } from '../../../src/chains/evm/sender/gas-gauge.ts';
import { prepare } from '../../../src/chains/evm/sender/prepare.ts';
import { encodeBatch, simulate } from '../../../src/chains/evm/sender/simulate.ts';
import { JsonRpc } from '../../../src/chains/rpc.ts';
import type { ChargeDoc } from '../../../src/store/collections.ts';
import { charge } from '../../store/support/documents.ts';
import { startJsonRpcNode } from '../support/json-rpc-node.ts';
import { linkTo } from './bench.ts';

const ROUTER = `0x${'aa'.repeat(20)}`;
const SENDER = `0x${'bb'.repeat(20)}`;
const BLOCK = { number: '0x1', hash: '0x1', timestamp: '0x1', gasLimit: '0x1c9c380', baseFeePerGas: '0x1' };

function charges(count: number, shares = 2): ChargeDoc[] {
  const to = `0x${'cc'.repeat(20)}`;
  return Array.from({ length: count }, (_, index) =>
    charge({
      key: `0x${String(index).padStart(64, '0')}`,
      token: to,
      from: to,
      gross: String(shares),
      shares: Array.from({ length: shares }, () => ({ role: 'forward', to, amount: '1' })),
    }),
  );
}

const call = z.object({ gas: z.string().optional() });

/** The answers of a node for which a batch of charges needs `gas`. */
function answerOf(gas: number, method: string, asked: unknown, gasLimit: string): unknown {
  switch (method) {
    case 'eth_estimateGas':
      return `0x${gas.toString(16)}`;
    case 'eth_getBlockByNumber':
      return { ...BLOCK, gasLimit };
    case 'eth_getBalance':
      return '0xffffffffffff';
    case 'eth_call':
      if (Number(call.parse(asked).gas ?? gas) < gas) throw new RpcFault(3, 'reverted', '0x');
      return routerInterface.encodeFunctionResult('chargeMany', [Array.from({ length: 50 }, () => '0x')]);
    default:
      return '0x1';
  }
}

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** A node, and the calls that it got. */
async function node(gas: number, blockGas = BLOCK.gasLimit) {
  const asked: string[] = [];
  const { url, stop } = await startJsonRpcNode(async (method, [first]) => {
    asked.push(method);
    return answerOf(gas, method, first, blockGas);
  });
  const rpc = new JsonRpc({ url, timeoutMs: 5_000, batchMax: 100 });
  stops.push(() => rpc.close(), stop);
  return { asked, ctx: { link: linkTo(rpc, { chainId: 1, routers: [] }) } };
}

async function limitOf(ctx: Pick<EvmContext, 'link'>, gauge: GasGauge, batch: readonly ChargeDoc[]): Promise<bigint> {
  const check = await simulate(ctx, ROUTER, SENDER, encodeBatch({ ...plain(batch), mandates: new Map() }), gauge);
  return (await prepare(ctx, ROUTER, SENDER, batch, check, gauge)).gasLimit;
}

/** Charges that ask no contract wallet. */
function plain(batch: readonly ChargeDoc[]) {
  return { charges: batch, asksWallets: false };
}

describe('the gas of a batch', () => {
  it('is requested from the node once, and then confirmed by the simulation', async () => {
    const { asked, ctx } = await node(4_000_000);
    const gauge = new GasGauge();
    const first = await limitOf(ctx, gauge, charges(50));
    const second = await limitOf(ctx, gauge, charges(50));
    expect(asked.filter((method) => method === 'eth_estimateGas')).toHaveLength(1);
    expect(asked.filter((method) => method === 'eth_call')).toHaveLength(2);
    expect(first).toBe(5_333_333n);
    expect(second).toBeGreaterThanOrEqual(first);
    expect(second).toBeLessThan((first * 5n) / 4n);
  });

  it("is at least the router's reserve, also if a node estimates less", async () => {
    const { ctx } = await node(21_000);
    expect(await limitOf(ctx, new GasGauge(), charges(2))).toBe(800_000n);
  });

  it('suffices for a charge with the most shares, whatever gas a node names for a block', async () => {
    const { ctx } = await node(1_600_000, '0x0');
    expect(await limitOf(ctx, new GasGauge(), charges(1, 16))).toBe(2_133_333n);
  });

  it('is requested from the node again when an estimate does not suffice', async () => {
    const gauge = new GasGauge();
    gauge.learn(charges(50), 2_000_000n);
    const { asked, ctx } = await node(4_000_000);
    expect(await limitOf(ctx, gauge, charges(50))).toBe(5_333_333n);
    expect(asked.filter((method) => method === 'eth_call')).toHaveLength(2);
    expect(asked.filter((method) => method === 'eth_estimateGas')).toHaveLength(1);
    await limitOf(ctx, gauge, charges(50));
    expect(asked.filter((method) => method === 'eth_estimateGas')).toHaveLength(1);
  });

  it('follows the number of charges and of their shares', () => {
    const gauge = new GasGauge();
    expect(gauge.guess(plain(charges(1)))).toBeNull();
    gauge.learn(charges(50), 5_000_000n);
    const [one, ten, wide] = [charges(1), charges(10), charges(10, 5)].map((batch) => gauge.guess(plain(batch)) ?? 0n);
    expect(one).toBeLessThan(ten ?? 0n);
    expect(ten).toBeLessThan(wide ?? 0n);
  });

  it('decides how many charges are sent together', () => {
    const gauge = new GasGauge();
    expect(gauge.fitting(plain(charges(100)))).toHaveLength(50);
    gauge.learn(charges(50), 4_000_000n);
    gauge.saw(60_000_000n);
    expect(gauge.fitting(plain(charges(100)))).toHaveLength(100);
    const wide = gauge.fitting(plain(charges(100, 8)));
    expect(wide.length).toBeLessThan(100);
    expect(gauge.guess(plain(charges(wide.length + 1, 8)))).toBeGreaterThan(12_582_912n);
    expect(gauge.guess(plain([...wide]))).toBeLessThanOrEqual(12_582_912n);
    gauge.saw(5_000_000n);
    expect(gauge.fitting(plain(charges(100)))).toHaveLength(16);
    gauge.saw(0n);
    expect(gauge.fitting(plain(charges(100)))).toHaveLength(13);
    gauge.refused(1n);
    gauge.learn(charges(50), 4_000_000n);
    expect(gauge.fitting(plain(charges(100, 16)))).toHaveLength(1);
  });

  it('is the full budget of each charge that asks a contract wallet, and never learned', () => {
    const gauge = new GasGauge();
    const asking = (count: number) => ({ charges: charges(count), asksWallets: true });
    const each = (gauge.guess(asking(2)) ?? 0n) - (gauge.guess(asking(1)) ?? 0n);
    const [{ shares } = { shares: [] }] = charges(1);
    expect(each).toBeGreaterThan(300_000n + 400_000n + 80_000n * BigInt(shares.length));
    expect(gauge.fitting(asking(50))).toHaveLength(1);
    gauge.saw(30_000_000n);
    const { length } = gauge.fitting(asking(50));
    expect(length).toBeGreaterThan(10);
    expect(gauge.guess(asking(length))).toBeLessThanOrEqual(15_000_000n);
    expect(gauge.guess(asking(length + 1))).toBeGreaterThan(15_000_000n);
  });

  it('is the full budget of each charge of a transaction that reverted, unless that falls short', () => {
    const gauge = new GasGauge();
    const reverted = plain(charges(2).map((charge) => ({ ...charge, batchMax: 2 })));
    const full = gauge.guess({ ...reverted, asksWallets: true });
    expect(gauge.guess(reverted)).toBe(full);
    gauge.fellShort(reverted.charges);
    expect(gauge.guess(reverted)).toBeNull();
    expect(gauge.guess({ ...reverted, asksWallets: true })).toBe(full);
  });

  it('is still requested from the node now and then', () => {
    const gauge = new GasGauge();
    gauge.learn(charges(1), 600_000n);
    let guesses = 0;
    while (guesses < 10_000 && gauge.guess(plain(charges(1))) !== null) guesses += 1;
    expect(guesses).toBeGreaterThan(50);
    expect(guesses).toBeLessThan(10_000);
  });
});
