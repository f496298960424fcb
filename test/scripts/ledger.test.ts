import { Interface, type JsonRpcProvider, Wallet } from 'ethers';
import { prepareEvmWorld } from '../../devnet/evm-world.ts';
import { Expectations } from '../../scripts/demo/expectations.ts';
import { type Claim, Ledger, type LedgerAccounts } from '../../scripts/demo/ledger.ts';
import type { Terminal } from '../../scripts/lib/terminal.ts';
import { terminalOn } from '../../scripts/lib/terminal.ts';
import type { EvmWorld } from '../../src/service/local-world.ts';
import { connectTo } from '../../stage/connect.ts';
import { receiptOf } from '../../stage/receipt.ts';
import { startTestDevnet } from '../support/devnet.ts';

const TOKEN = { ticker: 'USDC', decimals: 6 };
const erc20 = new Interface(['function transfer(address to, uint256 amount)']);

let world: EvmWorld;
let provider: JsonRpcProvider;
let accounts: LedgerAccounts;
let token: { address: string; decimals: number };
const lines: string[] = [];
const terminal: Terminal = terminalOn(
  { isTTY: false, write: (text: string | Uint8Array) => lines.push(String(text)) > 0 },
  '1',
);

beforeAll(async () => {
  const devnet = await startTestDevnet({ mongo: false });
  world = await prepareEvmWorld({ rpcUrl: devnet.rpcUrl, tokens: [TOKEN] });
  provider = connectTo({ rpcUrl: devnet.rpcUrl, chainId: 31337 });
  token = { address: world.tokens[0]?.address ?? '', decimals: TOKEN.decimals };
  const account = (name: string) => ({ name, address: walletNamed(name).address });
  accounts = { payer: account('payer-1'), merchant: account('merchant'), platform: account('platform'), contracts: [] };
});

afterAll(() => provider.destroy());

function walletNamed(name: string) {
  const found = world.wallets.find((wallet) => wallet.name === name);
  if (!found) throw new Error(`no wallet ${name}`);
  return found;
}

/** Moves 9.90 from the payer to the merchant. Resolves with the hash when that is in a block. */
async function transfer(): Promise<string> {
  const payer = new Wallet(walletNamed('payer-1').privateKey, provider);
  const data = erc20.encodeFunctionData('transfer', [accounts.merchant.address, 9_900_000n]);
  const sent = await payer.sendTransaction({ to: token.address, data });
  await receiptOf(provider, sent.hash);
  return sent.hash;
}

function payment(change: Partial<Claim>): Claim {
  return {
    id: 'pay_1',
    status: 'settled',
    amount: '9.90',
    merchantAmount: '9.90',
    platformAmount: '0.00',
    pullTxHash: null,
    ...change,
  };
}

describe("the demo's ledger", () => {
  it('is equal if the service reports the movements', async () => {
    const ledger = await Ledger.open(provider, token, accounts);
    const pullTxHash = await transfer();
    const expectations = new Expectations();
    const rows = await ledger.close([payment({ pullTxHash })], terminal, expectations);
    expect(rows.map(({ name, moved, claimed }) => [name, moved, claimed])).toEqual([
      ['payer-1', -9_900_000n, -9_900_000n],
      ['merchant', 9_900_000n, 9_900_000n],
      ['platform', 0n, 0n],
    ]);
    expect(expectations.held).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain('NOT EQUAL');
  });

  it('finds a movement without a payment', async () => {
    const ledger = await Ledger.open(provider, token, accounts);
    await transfer();
    const closing = ledger.close([], terminal, new Expectations());
    await expect(closing).rejects.toThrow('payer-1: chain and service agree about the moved amount');
    expect(lines.join('')).toContain('NOT EQUAL');
  });

  it('finds a payment without a movement', async () => {
    const ledger = await Ledger.open(provider, token, accounts);
    const closing = ledger.close([payment({})], terminal, new Expectations());
    await expect(closing).rejects.toThrow('payer-1: chain and service agree about the moved amount');
  });

  it('finds a payment that names the transaction of another one', async () => {
    const before = await transfer();
    const ledger = await Ledger.open(provider, token, accounts);
    const pullTxHash = await transfer();
    const closing = ledger.close([payment({ pullTxHash: before })], terminal, new Expectations());
    await expect(closing).rejects.toThrow('pay_1: the transaction moves the amounts of the payment');
    expect(pullTxHash).not.toBe(before);
  });

  it('finds one base unit', async () => {
    const ledger = await Ledger.open(provider, token, accounts);
    const pullTxHash = await transfer();
    const said = payment({ pullTxHash, amount: '9.900001', merchantAmount: '9.900001' });
    await expect(ledger.close([said], terminal, new Expectations())).rejects.toThrow('agree about the moved amount');
  });
});
