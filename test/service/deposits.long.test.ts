import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { z } from 'zod';
import { askStaff } from '../../scripts/lib/staff.ts';
import { deployTestTokenData, testTokenInterface } from '../../src/chains/evm/contracts/test-token.ts';
import { type Merchant, refusalOf } from '../../stage/merchant.ts';
import { TOKEN_KEY, units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { runTideline } from '../scripts/support/run-script.ts';
import { auditOf } from '../support/audit.ts';
import { useStage } from '../support/stage.ts';
import { type Deposit, depositsOf, sendDeposit, untilOutcomes } from './support/staff-deposits.ts';

const PAYER = 'payer-1';
const REFUNDED = 'payer-9';

let merchant: Merchant;

const stage = useStage({}, async (opened) => {
  merchant = await opened.createMerchant();
});

const addressOf = (name: string) => stage().chain.addressOf(name);

/** The wallet of the payer that refunds go to. */
const refunded = () => ({ refundWallet: addressOf(REFUNDED) });

let asked = 0;

/** A payment of 10.00 that waits for a transfer. */
async function open(more: object = {}): Promise<{ readonly id: string; readonly depositAddress: string }> {
  asked += 1;
  const { id, depositAddress } = await merchant.api.payments.create({
    tokenKey: TOKEN_KEY,
    amount: '10.00',
    toWallet: merchant.payoutWallet,
    paymentMethod: 'wallet_transfer',
    idempotencyKey: `deposit-${asked}`,
    ...more,
  });
  return { id, depositAddress: depositAddress ?? '' };
}

/** A transfer that a test wallet signs itself. */
async function send(from: string, to: string, amount: string | bigint): Promise<void> {
  const { chain } = stage();
  await chain.transfer(chain.wallet(from), to, amount);
}

async function untilStatus(id: string, status: string) {
  const ask = async () => merchant.api.payments.get(id);
  return until(`${id} is ${status}`, ask, (payment) => payment.status === status);
}

/** The movements of a deposit address: `[name or address, base units]`, negative for outgoing ones. */
async function movesAt(address: string): Promise<(readonly [string, bigint])[]> {
  const { chain } = stage();
  const names = new Map([
    [chain.router, 'router'],
    ...chain.facts.wallets.map((each) => [each.address, each.name] as const),
  ]);
  const nameOf = (other: string): string => names.get(other) ?? other;
  return (await chain.transfers()).flatMap(({ from, to, value }) => {
    if (to === address) return [[nameOf(from), value] as const];
    return from === address ? [[nameOf(to), -value] as const] : [];
  });
}

const moves = (...rows: readonly (readonly [name: string, amount: string])[]) =>
  rows.map(([name, amount]) => [name, units(amount)]);

describe('a wallet_transfer', () => {
  it('is charged when the amount is there, with the shares of any other charge, and its proof holds', async () => {
    const { id, depositAddress } = await open();
    await send(PAYER, depositAddress, '10.00');
    const settled = await untilStatus(id, 'settled');
    expect(settled).toMatchObject({ attempts: 1, fromWallet: addressOf(PAYER), forwardTxHash: settled.pullTxHash });
    expect(await movesAt(depositAddress)).toEqual(moves([PAYER, '10.00'], ['router', '-10.00']));
    await untilOutcomes(stage(), id, 'charged');
    await merchant.expectEvents(id, ['payment.succeeded']);
    const file = join(stage().dataDir, 'proof.json');
    await writeFile(file, JSON.stringify(await merchant.client.call('GET', `/payments/${id}/proof`)));
    const end = await runTideline(['verify-proof', file, '--rpc', stage().chain.facts.rpcUrl, '--any-form']);
    expect(end).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('may come in parts; the last one brings too much, and the rest goes to the refund wallet', async () => {
    const { id, depositAddress } = await open(refunded());
    await send(PAYER, depositAddress, '4.00');
    await untilOutcomes(stage(), id, 'open');
    await send('payer-2', depositAddress, '9.00');
    await untilStatus(id, 'settled');
    expect(await untilOutcomes(stage(), id, 'charged', 'refunded')).toMatchObject([
      { charged: '4.00' },
      { charged: '6.00', refunded: '3.00', left: '0.00' },
    ]);
    const arrived = [[PAYER, '4.00'] as const, ['payer-2', '9.00'] as const];
    expect(await movesAt(depositAddress)).toEqual(moves(...arrived, ['router', '-10.00'], [REFUNDED, '-3.00']));
  });
});

describe('money that must not be returned automatically', () => {
  it('is held without a refund wallet, whoever signed the transfer, until staff send it with a reason', async () => {
    const { id, depositAddress } = await open();
    await send(PAYER, depositAddress, '12.00');
    await untilStatus(id, 'settled');
    const [held] = await untilOutcomes(stage(), id, 'held');
    expect(held).toMatchObject({ charged: '10.00', left: '2.00', held: 'no_refund_wallet' });
    await sendDeposit(stage(), held, addressOf('payer-3'));
    await untilOutcomes(stage(), id, 'refunded');
    const sent = moves([PAYER, '12.00'], ['router', '-10.00'], ['payer-3', '-2.00']);
    expect(await movesAt(depositAddress)).toEqual(sent);
    const again = sendDeposit(stage(), held, addressOf('payer-3'));
    await expect(again).rejects.toThrow('Deposit is refunded; send needs held');
  });

  it('is held if the refund wallet refuses it, and can be sent to another wallet', async () => {
    const { id, depositAddress } = await open({ refundWallet: addressOf('refuses') });
    await send(PAYER, depositAddress, '11.00');
    await untilStatus(id, 'settled');
    const [held] = await untilOutcomes(stage(), id, 'held');
    expect(held).toMatchObject({ held: 'refund_refused', left: '1.00' });
    await sendDeposit(stage(), held, addressOf('payer-3'));
    await untilOutcomes(stage(), id, 'refunded');
  });
});

describe('assets outside of the catalog', () => {
  /** A token of 6 decimals that no catalog has; the payer has a million of it. */
  async function strangeToken(): Promise<string> {
    const { chain } = stage();
    const payer = chain.wallet(PAYER);
    const owner = payer.address;
    const data = deployTestTokenData({ name: 'Bridged USD', symbol: 'USDC.e', decimals: 6, owner });
    const token = (await chain.send(payer, { data })).contractAddress ?? '';
    const mint = testTokenInterface.encodeFunctionData('mint', [owner, 10n ** 12n]);
    await chain.send(payer, { to: token, data: mint });
    return token;
  }

  it('are seen, held, shown as a trouble, and sent by staff: another token, and the native coin', async () => {
    const { chain } = stage();
    const HALF = 5n * 10n ** 17n;
    const { id, depositAddress } = await open();
    const token = await strangeToken();
    await chain.transfer(chain.wallet(PAYER), depositAddress, '5.00', token);
    await chain.send(chain.wallet(PAYER), { to: depositAddress, value: HALF });
    const refused = await refusalOf(merchant.api.payments.cancel(id));
    expect(refused).toContain('the native coin lies at its deposit');
    const deposits = await untilOutcomes(stage(), id, 'held', 'held');
    const seen = deposits.map(({ held, left, unit }: Deposit) => [held, left, unit]);
    expect(seen).toContainEqual(['not_in_catalog', '0.50', 'native coin']);
    expect(seen).toContainEqual(['not_in_catalog', '5000000.00', `base units of ${token}`]);
    const sections = z.object({ sections: z.array(z.object({ items: z.array(z.looseObject({ id: z.string() })) })) });
    const trouble = (await askStaff(stage().staff(), 'GET', '/trouble', sections)).sections.flatMap(
      ({ items }) => items,
    );
    expect(trouble).toContainEqual(expect.objectContaining({ id, title: '0.50 native coin' }));

    const to = Wallet.createRandom().address;
    for (const deposit of deposits) await sendDeposit(stage(), deposit, to);
    await untilOutcomes(stage(), id, 'refunded', 'refunded');
    const balances = async (address: string) => [
      await chain.balanceOf(address, token),
      await chain.provider.getBalance(address),
    ];
    expect([await balances(to), await balances(depositAddress)]).toEqual([
      [units('5.00'), HALF],
      [0n, 0n],
    ]);
    expect(await merchant.api.payments.cancel(id)).toMatchObject({ status: 'canceled' });
  }, 120_000);

  it('do not block a cancel if nobody knows their value', async () => {
    const { chain } = stage();
    const { id, depositAddress } = await open();
    await chain.transfer(chain.wallet(PAYER), depositAddress, 7n, await strangeToken());
    await untilOutcomes(stage(), id, 'held');
    expect(await merchant.api.payments.cancel(id)).toMatchObject({ status: 'canceled' });
    expect(await depositsOf(stage(), id)).toMatchObject([{ fate: 'held', held: 'not_in_catalog', left: '7.00' }]);
  }, 120_000);
});

describe('a cancel', () => {
  it('is refused when anything has been sent, however little', async () => {
    const { id, depositAddress } = await open();
    await send(PAYER, depositAddress, 1n);
    expect(await refusalOf(merchant.api.payments.cancel(id))).toContain(
      'cancel needs pending with no charge started and nothing sent to its deposit address',
    );
    await send(PAYER, depositAddress, units('10.00') - 1n);
    await untilStatus(id, 'settled');
  });
});

describe('in the end', () => {
  it('no other event was sent, and the audit finds no difference among charges, refunds and held money', async () => {
    merchant.expectNoFurtherEvents();
    expect(await auditOf(stage().dataDir)).toMatchObject({ exitCode: 0, differences: [] });
  }, 120_000);
});
