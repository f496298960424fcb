import { Interface, id } from 'ethers';
import { z } from 'zod';
import { RpcFault } from '../../../../../devnet/solana/rpc-fault.ts';
import {
  depositAddress,
  implementationAddresses,
  mandateOperatorAddress,
  operatorAddress,
} from '../../../../../src/chains/evm/contracts/router.ts';
import { createLocalSigner } from '../../../../../src/chains/evm/signer.ts';
import { SimEvm } from '../../../../../tools/simulate/evm/node.ts';
import { testArtifacts } from '../../../../chains/contracts/test-artifacts.ts';
import { startWorld, type World } from '../../../../chains/evm/world.ts';

export const MERCHANTS = ['mrc_a', 'mrc_b'] as const;
/** The mandate operators of the same merchants. */
export const BOUND = ['bound_a', 'bound_b'] as const;
export const TOKENS = ['plain', 'other', 'fee', 'false'] as const;
export const KEYS = [0, 1, 2, 3, 4, 5].map((index) => id(`differential key ${index}`));

/** The time of the first block, Unix seconds. */
export const START = 1_800_000_000;
/** Seconds for which an announced payee waits. */
const PAYEE_DELAY = 2;

/** The addresses in one of the two places, by name. */
export type Named = Readonly<Record<string, string>>;

export interface Call {
  readonly from: string;
  readonly to: string;
  readonly data: string;
  /** Hashes (0x-hex) that differ from one place to the other. */
  readonly digests?: readonly string[];
}

/** The visible result of a call, with names instead of addresses that differ between the places. */
export interface Seen {
  readonly ok: boolean;
  readonly data: string;
}

/** One of the places where the same calls are made. */
export interface SimulatedChain {
  readonly named: Named;
  readonly chainId: number;
  /** The time of the newest block, Unix seconds. */
  now(): number;
  /** The result of a call without a transaction. */
  ask(call: Call): Promise<Seen>;
  /** Puts a call into a block, one second and `wait` more after the block before. Returns whether it succeeded, and its logs. */
  land(call: Call, wait?: number): Promise<{ readonly ok: boolean; readonly logs: readonly string[] }>;
}

type Send = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** A place over a node's JSON-RPC; `send` throws if the node refuses. */
function placeOf(
  send: Send,
  options: {
    readonly named: Named;
    readonly chainId: number;
    /** The time of the newest block. */
    readonly now: number;
    readonly land: (call: Call, time: number) => Promise<unknown>;
  },
): SimulatedChain {
  const { named, chainId } = options;
  let { now } = options;
  const masks = Object.entries(named).map(([name, at]) => [at.slice(2).toLowerCase(), name.padEnd(40, '_')] as const);
  const mask = (text: string, digests: readonly string[] = []): string => {
    const hashes = digests.map((hash, index) => [hash.slice(2), `digest${index}`.padEnd(64, '_')] as const);
    const named = [...hashes, ...masks].reduce((masked, [at, name]) => masked.replaceAll(at, name), text);
    return named.replace(OTHER_SIGNER, '$1somebody');
  };
  return {
    named,
    chainId,
    now: () => now,
    async ask({ digests, ...call }) {
      try {
        return { ok: true, data: mask(String(await send('eth_call', [call, 'latest'])), digests) };
      } catch (error) {
        return { ok: false, data: mask(revertData(error), digests) };
      }
    },
    async land({ digests, ...call }, wait = 0) {
      now += 1 + wait;
      const { status, logs } = receipt.parse(await options.land(call, now));
      return {
        ok: status === '0x1',
        logs: logs.map(({ address, topics, data }) => mask([address, ...topics, data].join(' '), digests)),
      };
    },
  };
}

/** The recovered signer in `ERC2612InvalidSigner` depends on the token's address. */
const OTHER_SIGNER = /(4b800e460{24})[0-9a-f]{40}/g;

const receipt = z.object({
  status: z.string(),
  logs: z.array(z.object({ address: z.string(), topics: z.array(z.string()), data: z.string() })),
});

const refused = z.object({ info: z.object({ error: z.object({ data: z.string() }) }) });
const alsoRefused = z.object({ error: z.object({ data: z.string() }) });
const fault = z.object({ data: z.string() });

/** The revert data in an error of ethers or of the simulated node. Throws for any other error. */
function revertData(error: unknown): string {
  if (error instanceof RpcFault) return fault.parse(error).data;
  const found = refused.safeParse(error);
  if (found.success) return found.data.info.error.data;
  const other = alsoRefused.safeParse(error);
  if (other.success) return other.data.error.data;
  throw error;
}

function namesOf(
  router: string,
  others: { readonly owner: string; readonly sender: string } & Record<(typeof TOKENS)[number], string>,
): Named {
  const made = implementationAddresses(router);
  return {
    router,
    operatorCode: made.operator,
    depositCode: made.deposit,
    mandateCode: made.mandate,
    ...Object.fromEntries(MERCHANTS.map((merchant) => [merchant, operatorAddress(router, merchant, 'test')])),
    ...Object.fromEntries(
      MERCHANTS.map((merchant, index) => [BOUND[index] ?? '', mandateOperatorAddress(router, merchant, 'test')]),
    ),
    ...Object.fromEntries(KEYS.map((key, index) => [`deposit${index}`, depositAddress(router, key)])),
    ...others,
  };
}

/** A new simulated chain. */
export function simulatedPlace(): SimulatedChain {
  let now = START;
  const sim = new SimEvm({
    now: () => now * 1_000,
    random: () => 0,
    payeeDelay: PAYEE_DELAY,
    tokens: [
      { ticker: 'USDC', decimals: 6 },
      { ticker: 'USDT', decimals: 6 },
      { ticker: 'FEE', decimals: 18, flaw: 'fee' },
      { ticker: 'FALSE', decimals: 18, flaw: 'false' },
    ],
  });
  const { router, owner, senders, tokens, chainId } = sim.world;
  const [plain, other, fee, lying] = tokens.map(({ address }) => address);
  if (!other || !fee || !lying || !plain) throw new Error('four tokens were asked for');
  const named = namesOf(router, { owner, sender: senders[0] ?? '', plain, other, fee, false: lying });
  const send: Send = async (method, params) => sim.ask(method, params);
  return placeOf(send, {
    named,
    chainId,
    now,
    async land({ from, to, data }, time) {
      now = time;
      const hash = sim.act(from, to, data);
      sim.mine();
      return sim.ask('eth_getTransactionReceipt', [hash]);
    },
  });
}

/** An anvil with the same contracts, which returns to its beginning before each run. */
export class RealPlace {
  readonly #world: World;
  readonly #named: Named;
  #beginning: unknown = null;
  #begun = START;

  private constructor(world: World, named: Named) {
    this.#world = world;
    this.#named = named;
  }

  static async start(): Promise<RealPlace> {
    const world = await startWorld({ payeeDelay: PAYEE_DELAY, args: ['--timestamp', String(START - 100_000)] });
    const { provider } = world.anvil;
    const artifacts = await testArtifacts();
    const made: string[] = [];
    for (const name of ['FeeToken', 'FalseToken'] as const) {
      const { bytecode } = artifacts[name];
      const gas = '0xe4e1c0';
      const hash = await provider.send('eth_sendTransaction', [{ from: world.owner, data: bytecode, gas }]);
      await world.mine();
      const created = z.object({ contractAddress: z.string() });
      made.push(created.parse(await provider.send('eth_getTransactionReceipt', [hash])).contractAddress);
    }
    const { router, owner, usdc: plain, usdt: other } = world;
    const sender = createLocalSigner(world.senderKeys[0] ?? '').address;
    const named = namesOf(router, { owner, sender, plain, other, fee: made[0] ?? '', false: made[1] ?? '' });
    return new RealPlace(world, named);
  }

  /** Runs `prepare`, whose changes then belong to the beginning. */
  async begin(prepare: (place: SimulatedChain) => Promise<void>): Promise<void> {
    const place = this.#place();
    await prepare(place);
    this.#begun = place.now();
    this.#beginning = await this.#send('evm_snapshot', []);
  }

  async place(): Promise<SimulatedChain> {
    await this.#send('evm_revert', [this.#beginning]);
    this.#beginning = await this.#send('evm_snapshot', []);
    return this.#place();
  }

  readonly #send: Send = (method, params) => this.#world.anvil.provider.send(method, [...params]);

  #place(): SimulatedChain {
    const { chainId } = this.#world;
    const send = this.#send;
    return placeOf(send, {
      named: this.#named,
      chainId,
      now: this.#begun,
      async land(call, time) {
        await send('anvil_setBalance', [call.from, '0x21e19e0c9bab2400000']);
        await send('evm_setNextBlockTimestamp', [time]);
        const hash = await send('eth_sendTransaction', [{ ...call, gas: '0xe4e1c0' }]);
        await send('evm_mine', []);
        return send('eth_getTransactionReceipt', [hash]);
      },
    });
  }

  stop(): Promise<void> {
    return this.#world.stop();
  }
}

/** The calls that any token answers. */
export const erc20 = new Interface([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
]);

/** What any clone of the router answers. */
export const cloneInterface = new Interface(['function router() view returns (address)']);
