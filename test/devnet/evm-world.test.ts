import { Contract, getAddress, type JsonRpcProvider, MaxUint256, Wallet } from 'ethers';
import { approveOperator } from '../../devnet/approve-operator.ts';
import { signLocal } from '../../devnet/evm-rpc.ts';
import { testWallets } from '../../devnet/evm-wallets.ts';
import { prepareEvmWorld, tokenMaker } from '../../devnet/evm-world.ts';
import { testTokenInterface } from '../../src/chains/evm/contracts/test-token.ts';
import type { EvmWorld } from '../../src/service/local-world.ts';
import { connectTo } from '../../stage/local-chain.ts';
import { receiptOf } from '../../stage/receipt.ts';
import type { TemporaryDevnet } from '../../stage/temporary-devnet.ts';
import { startAnvil } from '../support/anvil.ts';
import { startTestDevnet } from '../support/devnet.ts';

const TOKENS = [
  { ticker: 'USDC', decimals: 6 },
  { ticker: 'USDT', decimals: 6 },
  { ticker: 'USDC', decimals: 18 },
  { ticker: 'USDT', decimals: 18 },
];
const MILLION = 1_000_000n;
const someAddress = (digit: number) => getAddress(`0x${String(digit).repeat(40)}`);

let devnet: TemporaryDevnet;
let provider: JsonRpcProvider;
let world: EvmWorld;

beforeAll(async () => {
  devnet = await startTestDevnet({ mongo: false, evm: true });
  provider = connectTo({ rpcUrl: devnet.rpcUrl, chainId: 31337 });
  // Two services that start at the same moment on an empty chain.
  const prepare = () => prepareEvmWorld({ rpcUrl: devnet.rpcUrl, tokens: TOKENS });
  const [first, second] = await Promise.all([prepare(), prepare()]);
  expect(second).toEqual(first);
  world = first;
});

afterAll(() => provider.destroy());

const wallet = (name: string) => {
  const found = world.wallets.find((each) => each.name === name);
  if (!found) throw new Error(`no wallet ${name}`);
  return found;
};
const signer = (name: string) => new Wallet(wallet(name).privateKey, provider);
const token = (index = 0) => new Contract(world.tokens[index]?.address ?? '', testTokenInterface, provider);
const read = async (name: string, values: unknown[], index = 0): Promise<unknown> =>
  token(index).getFunction(name)(...values);

describe('the world of a local EVM chain', () => {
  it('is found, and not changed, by a second call', async () => {
    const paid = await token().connect(signer('payer-1')).getFunction('transfer').send(wallet('merchant').address, 5n);
    await receiptOf(provider, paid.hash);
    const block = await provider.getBlockNumber();
    const nonces = await makerNonces();
    const said: string[] = [];
    const log = (message: string) => said.push(message);
    expect(await prepareEvmWorld({ rpcUrl: devnet.rpcUrl, tokens: TOKENS, payeeDelay: 60, log })).toEqual(world);
    expect(said).toEqual([expect.stringMatching(/^LOCAL_PAYEE_DELAY=60 is ignored: .* was deployed with 0;/)]);
    expect(await makerNonces()).toEqual(nonces);
    expect(await read('balanceOf', [wallet('payer-1').address])).toBe(MILLION * 10n ** 6n - 5n);
    expect(await provider.getBlockNumber()).toBeLessThanOrEqual(block + 2);
  });

  it('gets its missing parts and keeps the others if it is half done', async () => {
    const third = [...TOKENS, { ticker: 'EURC', decimals: 6 }];
    // Only the first transactions of the new token's maker have reached the chain.
    const { key, steps } = tokenMaker({ ticker: 'EURC', decimals: 6 }, testWallets());
    await provider.send('anvil_setBalance', [key.address, '0x56bc75e2d63100000']);
    const sent = steps.slice(0, 5).map((step, nonce) => signLocal(key.privateKey, nonce, step));
    for (const { bytes } of sent) await provider.send('eth_sendRawTransaction', [bytes]);
    await receiptOf(provider, sent[4]?.hash ?? '');
    const more = await prepareEvmWorld({ rpcUrl: devnet.rpcUrl, tokens: third });
    expect(more.tokens.slice(0, 4)).toEqual(world.tokens);
    const added = new Contract(more.tokens[4]?.address ?? '', testTokenInterface, provider);
    expect(await added.getFunction('totalSupply')()).toBe(12n * MILLION * 10n ** 6n);
    expect(await added.getFunction('refusing')(wallet('refuses').address)).toBe(true);
  });

  it('reports the obstacle if the chain makes no blocks', async () => {
    const anvil = await startAnvil({ automine: false });
    await expect(prepareEvmWorld({ rpcUrl: anvil.rpcUrl, tokens: [], doneMs: 300 })).rejects.toThrow(
      'did not make the router (0 of 1 transactions) within 300 ms; the node',
    );
    await anvil.stop();
  });

  async function makerNonces(): Promise<number[]> {
    const owners = await Promise.all(world.tokens.map((_, index) => read('owner', [], index)));
    return Promise.all(owners.map((owner) => provider.getTransactionCount(String(owner))));
  }
});

describe('the wallets that approve every operator', () => {
  const allowances = (operator: string) =>
    Promise.all(
      ['approved', 'empty', 'reverts'].flatMap((name) =>
        TOKENS.map((_, index) => read('allowance', [wallet(name).address, operator], index)),
      ),
    );

  it('have approved it without limit when the call has resolved', async () => {
    await approveOperator(world, someAddress(1));
    expect(await allowances(someAddress(1))).toEqual(Array.from({ length: 12 }, () => MaxUint256));
    expect(await read('allowance', [wallet('payer-1').address, someAddress(1)])).toBe(0n);
  });

  it('do so for many merchants at the same time, even if two services and a person send from them', async () => {
    const twin = await prepareEvmWorld({ rpcUrl: devnet.rpcUrl, tokens: TOKENS });
    const operators = [2, 3, 4, 5].map(someAddress);
    const person = signer('approved');
    await Promise.all([
      ...operators.map((operator) => approveOperator(world, operator)),
      ...operators.map((operator) => approveOperator(twin, operator)),
      person.sendTransaction({ to: wallet('merchant').address, value: 1n }).catch(() => undefined),
    ]);
    for (const operator of operators) {
      expect(await allowances(operator)).toEqual(Array.from({ length: 12 }, () => MaxUint256));
    }
  });

  it('approve nothing twice', async () => {
    const count = () => provider.getTransactionCount(wallet('approved').address);
    const before = await count();
    await approveOperator(world, someAddress(1));
    expect(await count()).toBe(before);
  });
});

describe('the behaviour of the test wallets', () => {
  const errorOf = (call: Promise<unknown>) =>
    call.then(
      () => 'no error',
      (error: { data?: string }) => testTokenInterface.parseError(error.data ?? '0x')?.name ?? String(error),
    );
  const transfer = (from: string, to: string, amount: bigint) =>
    token()
      .getFunction('transfer')
      .staticCall(wallet(to).address, amount, { from: wallet(from).address });
  const pull = (from: string, to: string) =>
    token()
      .getFunction('transferFrom')
      .staticCall(wallet(from).address, wallet(to).address, 1n, { from: someAddress(1) });

  it.each([
    { name: 'approved', outcome: 'no error' },
    { name: 'empty', outcome: 'ERC20InsufficientBalance' },
    { name: 'reverts', outcome: 'SenderFrozen' },
    { name: 'payer-2', outcome: 'ERC20InsufficientAllowance' },
  ])('$name: a pull by an operator gives $outcome', async ({ name, outcome }) => {
    expect(await errorOf(pull(name, 'merchant'))).toBe(outcome);
  });

  it('refuses: transfers to it revert, of every token', async () => {
    expect(await errorOf(transfer('payer-3', 'refuses', 1n))).toBe('RecipientRefuses');
    expect(await errorOf(transfer('payer-3', 'merchant', 1n))).toBe('no error');
    for (const index of TOKENS.keys()) {
      expect(await read('refusing', [wallet('refuses').address], index)).toBe(true);
    }
  });
});
