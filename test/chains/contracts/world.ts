import { concat, getAddress, Interface, toQuantity } from 'ethers';
import {
  encodeChargeMany,
  merchantSalt,
  operatorAddress,
  type RouterCharge,
  routerInterface,
} from '../../../src/chains/evm/contracts/router.ts';
import { testTokenInterface } from '../../../src/chains/evm/contracts/test-token.ts';
import { EvmWorld, freshAddress, type SendOptions, type Sent } from '../evm/world.ts';
import { newKey } from '../support/world.ts';
import { type TestContract, testArtifacts } from './test-artifacts.ts';

/** As in `HostileToken.sol`. */
const HOSTILE_MODES = [
  'Honest',
  'BurnsGasOnPull',
  'BurnsGasOnPush',
  'BurnsGasOnBalance',
  'BombsOnPull',
  'BombsOnPush',
  'BombsOnBalance',
  'AnswersWithMegabytes',
  'AnswersBalanceShort',
  'LiesOnPull',
  'LiesOnPush',
  'SkimsOnPush',
  'CallsBack',
  'RevertsInSilence',
  'KeepsFee',
  'AnswersPullWithFalse',
  'AnswersPushWithFalse',
] as const;
export type HostileMode = (typeof HOSTILE_MODES)[number];

interface CallOptions extends SendOptions {
  readonly from?: string;
}

/** A chain to call the router directly, as its senders and others can. */
export class RouterWorld extends EvmWorld {
  get sender(): string {
    return this.senders[0];
  }

  get otherSender(): string {
    return this.senders[1];
  }

  /** Deploys one of the tokens of `solidity/`. Returns its address and its ABI. */
  async deployTest(name: TestContract): Promise<{ address: string; abi: Interface }> {
    const artifact = (await testArtifacts())[name];
    return { address: await this.deploy(`0x${artifact.bytecode.slice(2)}`), abi: new Interface(artifact.abi) };
  }

  async setMode({ address, abi }: { address: string; abi: Interface }, mode: HostileMode): Promise<void> {
    await this.act(this.owner, address, abi.encodeFunctionData('setMode', [HOSTILE_MODES.indexOf(mode)]));
  }

  /** A payer with a balance who approves the merchant's operator; every token here can be minted. */
  async payerOf(
    options: { merchant?: string; token?: string; balance?: bigint; allowance?: bigint } = {},
  ): Promise<string> {
    const { merchant = 'm1', token, balance = 1_000_000n, allowance = balance } = options;
    const payer = freshAddress();
    await this.mint(payer, balance, token);
    await this.approveOperator(payer, operatorAddress(this.router, merchant, 'test'), allowance, token);
    return payer;
  }

  /** A charge of 1000 in three shares to new addresses, with a new key; `merchant` is an id. */
  newCharge(from: string, rest: Partial<Omit<RouterCharge, 'merchant'>> & { merchant?: string } = {}): RouterCharge {
    const { merchant = 'm1', ...fields } = rest;
    return {
      key: newKey(),
      token: this.token,
      from,
      gross: 1000n,
      to: [freshAddress(), freshAddress(), freshAddress()],
      amounts: [900n, 90n, 10n],
      ...fields,
      merchant: merchantSalt(merchant, 'test'),
    };
  }

  charge(charge: RouterCharge, { from = this.sender, ...options }: CallOptions = {}): Promise<Sent> {
    return this.send(from, this.router, encodeCharge(charge), options);
  }

  chargeMany(charges: readonly RouterCharge[], { from = this.sender, ...options }: CallOptions = {}): Promise<Sent> {
    return this.send(from, this.router, encodeChargeMany(charges), options);
  }

  /** The next block has exactly this time. */
  async at(moment: number): Promise<void> {
    await this.rpc('evm_setNextBlockTimestamp', [toQuantity(moment)]);
  }

  code(address: string): Promise<string> {
    return this.anvil.provider.getCode(address);
  }
}

/** Call data of `charge`: one charge; on failure the whole transaction reverts with data for `decodeReason`. */
export function encodeCharge(charge: RouterCharge): string {
  return routerInterface.encodeFunctionData('charge', [charge]);
}

/** A chain for the tests of this file. */
export function useRouter(): RouterWorld {
  const world = new RouterWorld();
  beforeAll(() => world.start());
  afterAll(() => world.stop());
  return world;
}

/** The number of `token`'s Transfer logs from `from` (topic 1). */
export function transfersFrom(sent: Sent, token: string, from: string): number {
  const topic = testTokenInterface.getEvent('Transfer')?.topicHash;
  const word = concat([`0x${'00'.repeat(12)}`, from]).toLowerCase();
  return sent.logs.filter(
    (log) => getAddress(log.address) === token && log.topics[0] === topic && log.topics[1] === word,
  ).length;
}
