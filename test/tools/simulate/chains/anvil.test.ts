import { id } from 'ethers';
import { decodeReason } from '../../../../src/chains/evm/contracts/reasons.ts';
import {
  decodeChargeMany,
  encodeChargeMany,
  encodeSeen,
  merchantSalt,
} from '../../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../../src/chains/evm/contracts/test-token.ts';
import { JsonRpc, NodeRefused, type RpcTransport, resultOf } from '../../../../src/chains/rpc.ts';
import { SimEvm } from '../../../../tools/simulate/evm/node.ts';
import { EvmWorld } from '../../../chains/evm/world.ts';

const PAYER = `0x${'a1'.repeat(20)}`;
const PAYEE = `0x${'b2'.repeat(20)}`;
const STRANGER = `0x${'c3'.repeat(20)}`;
const SPENDER = { merchantId: 'mrc_a', isBounded: false };

/** A chain whose payer has 1,000 base units, of which the operator may take 100. */
interface TestChain {
  readonly rpc: Pick<RpcTransport, 'call' | 'close'>;
  readonly router: string;
  readonly token: string;
  readonly sender: string;
}

async function anvilChain(world: EvmWorld): Promise<TestChain> {
  await world.mint(PAYER, 1_000n);
  await world.refuse(STRANGER);
  await world.approve(PAYER, SPENDER.merchantId, 100n);
  return {
    rpc: new JsonRpc({ url: world.rpcUrl, timeoutMs: 20_000, batchMax: 100 }),
    router: world.router,
    token: world.token,
    sender: world.senders[0] ?? '',
  };
}

async function simulatedChain(): Promise<TestChain> {
  const sim = await SimEvm.open({ now: Date.now, random: () => 0 });
  sim.mint(PAYER, 1_000n);
  sim.refuse(STRANGER, true);
  sim.approve(PAYER, SPENDER, 100n);
  await sim.chain.mine();
  const { router, tokens, senders } = sim.world;
  const call = async (method: string, params: readonly unknown[]) => resultOf(await sim.answer({ method, params }));
  return { rpc: { call, close: async () => undefined }, router, token: tokens[0].address, sender: senders[0] ?? '' };
}

interface Call {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly gas?: string;
}

/** `chargeMany` by the sender: each number is the gross of a charge of its own. */
function charges({ router, token, sender }: TestChain, ...grosses: readonly bigint[]): Call {
  const merchant = merchantSalt('mrc_a', 'test');
  const open = grosses.map((gross, index) => {
    return { key: id(`key ${index}`), merchant, token, from: PAYER, gross, to: [PAYEE], amounts: [gross] };
  });
  return { from: sender, to: router, data: encodeChargeMany(open) };
}

function transfer({ token }: TestChain, to: string, amount: bigint): Call {
  return { from: PAYER, to: token, data: testTokenInterface.encodeFunctionData('transfer', [to, amount]) };
}

/** The answer to a call. Refusals by the node itself have no data. */
async function ask({ rpc }: TestChain, method: string, call: Call): Promise<{ ok: boolean; data: string | null }> {
  try {
    return { ok: true, data: String(await rpc.call(method, [call, 'latest'])) };
  } catch (error) {
    if (!(error instanceof NodeRefused)) throw error;
    return { ok: false, data: error.data };
  }
}

/** The reason in revert data without the addresses, which differ. */
function kindOf(data: string): string {
  return data === '0x' ? 'made' : decodeReason(data).kind;
}

describe('the same calls on anvil and on a simulated chain', () => {
  const world = new EvmWorld();
  let chains: readonly [anvil: TestChain, simulated: TestChain];

  beforeAll(async () => {
    await world.start();
    chains = [await anvilChain(world), await simulatedChain()];
  });

  afterAll(async () => {
    await chains?.[0].rpc.close();
    await world.stop();
  });

  /** The two answers, each as `read` reads it. */
  async function both<T>(read: (chain: TestChain) => Promise<T>): Promise<[anvil: T, simulated: T]> {
    const [anvil, simulated] = chains;
    return [await read(anvil), await read(simulated)];
  }

  it.each<[string, (chain: TestChain) => Call]>([
    ['a view of the router', ({ router, sender }) => ({ from: sender, to: router, data: encodeSeen(id('key 0')) })],
    ['a transfer', (chain) => transfer(chain, PAYEE, 5n)],
    ['an error of the token with values', (chain) => transfer(chain, PAYEE, 1_001n)],
    ['another error of the token', (chain) => transfer(chain, STRANGER, 1n)],
    ['a function that is not there', ({ token }) => ({ from: PAYER, to: token, data: '0x12345678' })],
    ['an address without code', () => ({ from: PAYER, to: PAYEE, data: '0x12345678' })],
    ['too little gas for the token', (chain) => ({ ...transfer(chain, PAYEE, 5n), gas: '0x5a00' })],
  ])('are answered with the same data: %s', async (_, call) => {
    const [anvil, simulated] = await both((chain) => ask(chain, 'eth_call', call(chain)));
    expect(simulated).toEqual(anvil);
  });

  it.each<[string, (chain: TestChain) => Call, readonly string[]]>([
    ['each charge', (chain) => charges(chain, 60n, 60n, 40n), ['made', 'pull_failed', 'made']],
    ['another sender', (chain) => ({ ...charges(chain, 1n), from: STRANGER }), ['not_sender']],
    ['too little gas', (chain) => ({ ...charges(chain, 1n), gas: '0x30d40' }), ['gas_too_low']],
  ])('have the same reasons of the router: %s', async (_, call, reasons) => {
    const [anvil, simulated] = await both(async (chain) => {
      const { ok, data } = await ask(chain, 'eth_call', call(chain));
      return (ok ? decodeChargeMany(data ?? '') : [data ?? '']).map(kindOf);
    });
    expect(anvil).toEqual(reasons);
    expect(simulated).toEqual(anvil);
  });

  it.each<[string, (chain: TestChain) => Call]>([
    ['a transfer', (chain) => transfer(chain, PAYEE, 5n)],
    ['one charge', (chain) => charges(chain, 10n)],
    ['charges of which one fails', (chain) => charges(chain, 60n, 60n, 40n)],
  ])('need the same gas within 3 percent: %s', async (_, call) => {
    const [anvil, simulated] = await both(async (chain) => {
      return Number((await ask(chain, 'eth_estimateGas', call(chain))).data);
    });
    expect(Math.abs(simulated / anvil - 1)).toBeLessThan(0.03);
  });

  it('have no estimate when they revert', async () => {
    const [anvil, simulated] = await both((chain) => ask(chain, 'eth_estimateGas', transfer(chain, PAYEE, 1_001n)));
    expect(simulated).toEqual(anvil);
    expect(simulated.ok).toBe(false);
  });
});
