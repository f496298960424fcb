import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { z } from 'zod';
import type { DevnetFacts } from '../../scripts/lib/devnet-facts.ts';
import { devnetFacts, walletNamed } from '../../scripts/lib/devnet-facts.ts';
import { requestJson } from '../../scripts/lib/json-request.ts';
import { staffToken } from '../../scripts/lib/running-service.ts';
import { readLedger } from '../../stage/ledger.ts';
import type { Answer, MerchantClient } from '../../stage/merchant-client.ts';
import type { ServiceProcess } from '../../stage/processes.ts';
import { TOKEN_KEY } from '../../stage/sale.ts';
import { until } from '../../stage/until.ts';
import { runTideline } from '../scripts/support/run-script.ts';
import { auditOf } from '../support/audit.ts';
import { useGround } from '../support/ground.ts';
import { createTestMerchant } from '../support/merchant.ts';
import { startServiceProcess } from '../support/service.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { balanceOf, send, sendAny, strangeToken } from './support/depositing.ts';

const UNIT = 1_000_000n;
const PAYER = 'payer-1';
const REFUNDED = 'payer-9';

let service: ServiceProcess;
let facts: DevnetFacts;
let merchant: MerchantClient;
let receiver: Receiver;

const ground = useGround(async (opened) => {
  receiver = await openReceiver();
  opened.onStop(() => receiver.close());
  await start({});
  opened.onStop(() => service.stop());
  facts = await devnetFacts(service);
  merchant = await createTestMerchant(() => service, opened.dataDir);
  await merchant.call('PATCH', '/webhooks/endpoint', { url: receiver.url });
});

async function start(env: { readonly [name: string]: string }): Promise<void> {
  service = await startServiceProcess({ dataDir: ground.dataDir, env: { WEBHOOK_ALLOW_LOOPBACK: '1', ...env } });
}

let asked = 0;

interface Opened {
  readonly id: string;
  readonly depositAddress: string;
  readonly body: object;
}

const opened = z.object({ id: z.string(), depositAddress: z.string() });

/** The wallet of the payer that refunds go to. */
function refunded(): { readonly refundWallet: string } {
  return { refundWallet: walletNamed(facts, REFUNDED).address };
}

/** A payment of 10.00 that waits for a transfer. */
async function open(more: object = {}): Promise<Opened> {
  asked += 1;
  const body = {
    tokenKey: TOKEN_KEY,
    amount: '10.00',
    toWallet: walletNamed(facts, 'merchant').address,
    paymentMethod: 'wallet_transfer',
    idempotencyKey: `deposit-${asked}`,
    ...more,
  };
  return { ...opened.parse(await merchant.call('POST', '/payments', body)), body };
}

/** The result of `npm run tideline -- verify-proof` for the proof of a payment. */
async function provenAgainstNode(id: string) {
  const file = join(ground.dataDir, 'proof.json');
  await writeFile(file, JSON.stringify(await merchant.call('GET', `/payments/${id}/proof`)));
  const { exitCode, stderr } = await runTideline(['verify-proof', file, '--rpc', facts.rpcUrl, '--any-form']);
  return { exitCode, stderr };
}

function view(id: string): Promise<Answer> {
  return merchant.call('GET', `/payments/${id}`);
}

function untilStatus(id: string, status: string): Promise<Answer> {
  return until(
    `${id} is ${status}`,
    () => view(id),
    (answer) => answer['status'] === status,
  );
}

const depositSchema = z.object({
  id: z.string(),
  amount: z.string(),
  charged: z.string(),
  refunded: z.string(),
  left: z.string(),
  fate: z.string(),
  held: z.string().nullable(),
  unit: z.string(),
});
type Deposit = z.infer<typeof depositSchema>;

function staff<T>(method: 'GET' | 'POST', path: string, schema: z.ZodType<T>, body?: object): Promise<T> {
  const { token } = staffToken({ DATA_DIR: ground.dataDir });
  const headers = { Authorization: `Bearer ${token}`, 'X-Staff-Name': 'ada' };
  return requestJson({ method, url: `${service.url}/staff/api${path}`, headers, body, schema, expected: [200] });
}

async function depositsOf(id: string): Promise<Deposit[]> {
  const list = z.object({ deposits: z.array(depositSchema) });
  return (await staff('GET', `/payments/${id}/deposits`, list)).deposits;
}

function untilFates(id: string, ...fates: readonly string[]): Promise<Deposit[]> {
  return until(
    `what arrived for ${id} is ${fates.join()}`,
    () => depositsOf(id),
    (deposits) => deposits.map(({ fate }) => fate).join() === fates.join(),
  );
}

/** The movements of a deposit address: `[name or address, base units]`, negative for outgoing ones. */
async function movesAt(address: string): Promise<(readonly [string, bigint])[]> {
  const { transfers } = await readLedger(facts);
  const nameOf = (other: string): string => {
    if (other === facts.router) return 'router';
    return facts.wallets.find((wallet) => wallet.address === other)?.name ?? other;
  };
  return transfers.flatMap(({ from, to, value }) => {
    if (to === address) return [[nameOf(from), value] as const];
    return from === address ? [[nameOf(to), -value] as const] : [];
  });
}

function events(id: string): string[] {
  return receiver.received
    .map(({ envelope }) => envelope)
    .filter((envelope) => JSON.stringify(envelope['data']).includes(id))
    .map(({ event }) => event);
}

async function received(id: string, event: string): Promise<void> {
  await until(
    `${event} of ${id} is there`,
    async () => events(id),
    (all) => all.includes(event),
  );
}

describe('a wallet_transfer', () => {
  it('is answered at once with its address, which a replay shows and a read does not', async () => {
    const { id, depositAddress, body } = await open();
    const again = await merchant.call('POST', '/payments', body);
    expect(again).toMatchObject({ id, depositAddress, status: 'pending', attempts: 0, fromWallet: null });
    const expiresIn = Date.parse(String(again['depositExpiresAt'])) - Date.parse(String(again['createdAt']));
    expect(Math.abs(expiresIn - 3_600_000)).toBeLessThan(5_000);
    expect(Object.keys(await view(id))).not.toContain('depositAddress');
    expect((await open()).depositAddress).not.toBe(depositAddress);
  });

  it('is charged when the amount is there, with the shares of any other charge', async () => {
    const { id, depositAddress, body } = await open();
    await send(facts, PAYER, depositAddress, 10n * UNIT);
    const settled = await untilStatus(id, 'settled');
    expect(settled).toMatchObject({ attempts: 1, fromWallet: walletNamed(facts, PAYER).address });
    expect(settled['pullTxHash']).toBe(settled['forwardTxHash']);
    expect(await movesAt(depositAddress)).toEqual([
      [PAYER, 10n * UNIT],
      ['router', -10n * UNIT],
    ]);
    await untilFates(id, 'charged');
    await received(id, 'payment.succeeded');
    expect(await provenAgainstNode(id)).toEqual({ exitCode: 0, stderr: '' });
    expect(await merchant.call('POST', '/payments', body)).not.toHaveProperty('depositAddress');
  });

  it('may come in parts; the last one brings too much, and the rest goes to the refund wallet', async () => {
    const { id, depositAddress } = await open(refunded());
    await send(facts, PAYER, depositAddress, 4n * UNIT);
    await untilFates(id, 'open');
    await send(facts, 'payer-2', depositAddress, 9n * UNIT);
    await untilStatus(id, 'settled');
    expect(await untilFates(id, 'charged', 'refunded')).toMatchObject([
      { charged: '4.00' },
      { charged: '6.00', refunded: '3.00', left: '0.00' },
    ]);
    expect(await movesAt(depositAddress)).toEqual([
      [PAYER, 4n * UNIT],
      ['payer-2', 9n * UNIT],
      ['router', -10n * UNIT],
      [REFUNDED, -3n * UNIT],
    ]);
  });

  it('that is paid twice sends the second payment to the refund wallet', async () => {
    const { id, depositAddress } = await open(refunded());
    await send(facts, PAYER, depositAddress, 10n * UNIT);
    await untilStatus(id, 'settled');
    await send(facts, PAYER, depositAddress, 10n * UNIT);
    await untilFates(id, 'charged', 'refunded');
    expect((await movesAt(depositAddress)).slice(2)).toEqual([
      [PAYER, 10n * UNIT],
      [REFUNDED, -10n * UNIT],
    ]);
  });

  it('returns money in another token', async () => {
    const { id, depositAddress } = await open(refunded());
    await send(facts, PAYER, depositAddress, 3n * UNIT, 'usdt-local-evm');
    await send(facts, PAYER, depositAddress, 10n * UNIT);
    await untilStatus(id, 'settled');
    await untilFates(id, 'refunded', 'charged');
  });
});

describe('money that must not be returned automatically', () => {
  it('is held without a refund wallet, whoever signed the transfer, until staff send it with a reason', async () => {
    const { id, depositAddress } = await open();
    await send(facts, PAYER, depositAddress, 12n * UNIT);
    await untilStatus(id, 'settled');
    const [held] = await untilFates(id, 'held');
    expect(held).toMatchObject({ charged: '10.00', left: '2.00', held: 'no_refund_wallet' });
    const list = z.object({ deposits: z.array(depositSchema) });
    expect((await staff('GET', '/deposits', list)).deposits).toContainEqual(held);

    const to = walletNamed(facts, 'payer-3').address;
    const reason = 'the payer asked for it, ticket 7';
    await staff('POST', `/deposits/${held?.id}/send`, depositSchema, { to, reason });
    await untilFates(id, 'refunded');
    expect(await movesAt(depositAddress)).toEqual([
      [PAYER, 12n * UNIT],
      ['router', -10n * UNIT],
      ['payer-3', -2n * UNIT],
    ]);
    const journal = z.object({
      entries: z.array(z.object({ action: z.string(), by: z.string(), reason: z.string() })),
    });
    const { entries } = await staff('GET', `/merchants/${merchant.id}/journal`, journal);
    expect(entries[0]).toEqual({ action: 'deposit.sent', by: 'staff:ada', reason });
    await expect(staff('POST', `/deposits/${held?.id}/send`, depositSchema, { to, reason })).rejects.toThrow(
      'Deposit is refunded; send needs held',
    );
  });

  it('is held if the refund costs more than it', async () => {
    const { id, depositAddress } = await open(refunded());
    await send(facts, PAYER, depositAddress, 10n * UNIT + 9_999n);
    await untilStatus(id, 'settled');
    expect(await untilFates(id, 'held')).toMatchObject([{ held: 'below_cost', left: '0.009999' }]);
  });

  it('is held if the refund wallet refuses it', async () => {
    const { id, depositAddress } = await open({ refundWallet: walletNamed(facts, 'refuses').address });
    await send(facts, PAYER, depositAddress, 11n * UNIT);
    await untilStatus(id, 'settled');
    const [held] = await untilFates(id, 'held');
    expect(held).toMatchObject({ held: 'refund_refused', left: '1.00' });
    const [to, reason] = [walletNamed(facts, REFUNDED).address, 'it takes nothing'];
    await staff('POST', `/deposits/${held?.id}/send`, depositSchema, { to, reason });
    await untilFates(id, 'refunded');
  });
});

describe('assets outside of the catalog', () => {
  const HALF = 5n * 10n ** 17n;

  it('are seen, held, shown as a trouble, and sent by staff: another token, and the native coin', async () => {
    const { id, depositAddress } = await open();
    const token = await strangeToken(facts, PAYER);
    await sendAny(facts, PAYER, depositAddress, 5n * UNIT, token);
    await sendAny(facts, PAYER, depositAddress, HALF, null);
    await expect(merchant.call('POST', `/payments/${id}/cancel`)).rejects.toThrow(
      'the native coin lies at its deposit',
    );
    const deposits = await untilFates(id, 'held', 'held');
    const seen = deposits.map(({ held, left, unit }) => [held, left, unit]);
    expect(seen).toContainEqual(['not_in_catalog', '0.50', 'native coin']);
    expect(seen).toContainEqual(['not_in_catalog', '5000000.00', `base units of ${token}`]);
    const sections = z.object({ sections: z.array(z.object({ items: z.array(z.looseObject({ id: z.string() })) })) });
    const trouble = (await staff('GET', '/trouble', sections)).sections.flatMap(({ items }) => items);
    expect(trouble).toContainEqual(expect.objectContaining({ id, title: '0.50 native coin' }));

    const to = Wallet.createRandom().address;
    for (const deposit of deposits) {
      await staff('POST', `/deposits/${deposit.id}/send`, depositSchema, { to, reason: 'the payer has asked for it' });
    }
    await untilFates(id, 'refunded', 'refunded');
    expect([await balanceOf(facts, to, token), await balanceOf(facts, to, null)]).toEqual([5n * UNIT, HALF]);
    expect([await balanceOf(facts, depositAddress, token), await balanceOf(facts, depositAddress, null)]).toEqual([
      0n,
      0n,
    ]);
    expect(await merchant.call('POST', `/payments/${id}/cancel`)).toMatchObject({ status: 'canceled' });
  }, 120_000);

  it('do not block a cancel if nobody knows their value', async () => {
    const { id, depositAddress } = await open();
    const token = await strangeToken(facts, PAYER);
    await sendAny(facts, PAYER, depositAddress, 7n, token);
    await untilFates(id, 'held');
    expect(await merchant.call('POST', `/payments/${id}/cancel`)).toMatchObject({ status: 'canceled' });
    expect(await untilFates(id, 'held')).toMatchObject([{ held: 'not_in_catalog', left: '7.00' }]);
  }, 120_000);
});

describe('a cancel', () => {
  it('is refused when anything has been sent, however little', async () => {
    const { id, depositAddress } = await open();
    await send(facts, PAYER, depositAddress, 1n);
    await expect(merchant.call('POST', `/payments/${id}/cancel`)).rejects.toThrow(
      'cancel needs pending with no charge started and nothing sent to its deposit address',
    );
    await send(facts, PAYER, depositAddress, 10n * UNIT - 1n);
    await untilStatus(id, 'settled');
  });

  it('is final before that, and later money goes to the refund wallet', async () => {
    const { id, depositAddress } = await open(refunded());
    expect(await merchant.call('POST', `/payments/${id}/cancel`)).toMatchObject({ status: 'canceled' });
    await received(id, 'payment.canceled');
    await send(facts, PAYER, depositAddress, 10n * UNIT);
    await untilFates(id, 'refunded');
    expect(await movesAt(depositAddress)).toEqual([
      [PAYER, 10n * UNIT],
      [REFUNDED, -10n * UNIT],
    ]);
    expect(events(id)).not.toContain('payment.succeeded');
  });
});

describe('an hour later', () => {
  it('a payment with too little or no money has failed; the money goes back, also if it comes late', async () => {
    const [little, nothing] = [await open(refunded()), await open(refunded())];
    await send(facts, PAYER, little.depositAddress, 4n * UNIT);
    await untilFates(little.id, 'open');
    await service.stop();
    await start({ FAULTS_CLOCK_MS: String(61 * 60_000) });
    for (const { id } of [little, nothing]) {
      expect(await untilStatus(id, 'failed')).toMatchObject({ failureReason: 'insufficient_balance', attempts: 0 });
      await received(id, 'payment.failed');
    }
    await untilFates(little.id, 'refunded');
    await send(facts, 'payer-2', nothing.depositAddress, 10n * UNIT);
    await untilFates(nothing.id, 'refunded');
    expect(await movesAt(nothing.depositAddress)).toEqual([
      ['payer-2', 10n * UNIT],
      [REFUNDED, -10n * UNIT],
    ]);
  }, 120_000);
});

describe('the audit', () => {
  it('finds no difference among charges from deposits, refunds and held money', async () => {
    expect(await auditOf(ground.dataDir)).toMatchObject({ exitCode: 0, differences: [] });
  }, 120_000);
});
