import { getAddress, Wallet } from 'ethers';
import { z } from 'zod';
import { chargedTopic, depositRefundedTopic } from '../../src/chains/evm/contracts/charge-logs.ts';
import type { ChargeDoc, ChargeState } from '../../src/store/collections.ts';
import type { Store } from '../../src/store/port.ts';
import type { Transfer } from '../../stage/erc20.ts';
import { type Merchant, operatorFor } from '../../stage/merchant.ts';
import type { Payer } from '../../stage/payer.ts';
import type { Environment } from '../../stage/processes.ts';
import type { OnSale } from '../../stage/seller.ts';
import { challengeSchema, signChallenge } from '../../stage/sign-challenge.ts';
import type { StagedSubscription } from '../../stage/subscription.ts';
import { TOKEN_KEY, units } from '../../stage/tokens.ts';
import { until } from '../../stage/until.ts';
import { runOps } from '../scripts/support/run-script.ts';
import { PLATFORM, type PlayedChain, playChain, SENDING } from '../support/public-chain.ts';
import { useStage } from '../support/stage.ts';
import { sendDeposit, untilOutcomes } from './support/staff-deposits.ts';

/**
 * A router is replaced under load (docs/rules.md, "Routers"): real processes on a real database and node. When the list
 * of routers changes, charges wait, are in flight, are final and still watched, and past due; permits wait; deposits
 * are not swept. Afterwards everything settles, and the Transfer logs say that nothing was lost or doubled.
 */
const SEPOLIA = 84_532;
const [refunds, elsewhere] = [Wallet.createRandom().address, Wallet.createRandom().address];

let sepolia: PlayedChain;
let old: string;
let newer: string;
let store: Store;
let merchant: Merchant;
let onSale: OnSale;

const stage = useStage(
  async () => {
    // A block is finalized after 32 more: charges stay watched for the whole test.
    sepolia = await playChain(SEPOLIA, { epoch: 64 });
    [old, newer] = [sepolia.chain.router, await sepolia.newRouter()];
    return { publicChain: sepolia, env: { ...SENDING, SIGNING_KEY: '07'.repeat(32) } };
  },
  async (opened) => {
    store = await opened.store();
    merchant = await opened.createMerchant();
    onSale = await merchant.createOffer({ price: '10.00', every: 'month' });
  },
);

function withRouters(...routers: readonly string[]): Environment {
  return { [`ROUTER_${SEPOLIA}`]: routers.join(',') };
}

/** A payer with 100.00 who has approved these operators. */
async function approver(amount: string, ...operators: string[]): Promise<Payer> {
  const payer = await merchant.createPayer({ has: '100.00' });
  for (const operator of operators) await sepolia.chain.approve(payer.wallet, operator, amount);
  return payer;
}

/** Somebody sends so many tokens to an address. */
async function transfer(to: string, amount: string): Promise<void> {
  await sepolia.chain.transfer((await merchant.createPayer({ has: '100.00' })).wallet, to, amount);
}

/** The same number of payers with subscriptions. */
async function subscribed(payers: readonly Payer[]): Promise<StagedSubscription[]> {
  return Promise.all(payers.map((payer) => payer.subscribe(onSale)));
}

async function active(subscriptions: readonly StagedSubscription[]): Promise<void> {
  for (const each of subscriptions) await each.expectStatus('active');
}

let keys = 0;

function order(more: object) {
  keys += 1;
  const { payoutWallet: toWallet } = merchant;
  return { amount: '10.00', tokenKey: TOKEN_KEY, toWallet, idempotencyKey: `payment-${keys}`, ...more };
}

/** Asks for a payment, and does not wait for its outcome. Returns its id. */
async function pay({ address: fromWallet }: Payer): Promise<string> {
  const body = order({ fromWallet });
  void merchant.client.call('POST', '/payments', body).catch(() => undefined);
  const known = () => store.records.get('idempotencyKeys', [`test:${body.idempotencyKey}`]);
  const [found] = await until('the payment is stored', known, ([stored]) => stored !== undefined);
  return found?.actorId ?? '';
}

async function untilSettled(paymentId: string): Promise<void> {
  const ask = async () => merchant.api.payments.get(paymentId);
  await until(`${paymentId} is settled`, ask, ({ status }) => status === 'settled', PATIENTLY);
}

/** Nodes and the API are asked rarely. */
const PATIENTLY = { everyMs: 300, explain: () => stage().service.log().slice(-4_000) };

async function depositFor(more: object = {}): Promise<{ readonly id: string; readonly address: string }> {
  const body = order({ paymentMethod: 'wallet_transfer', ...more });
  const { id, depositAddress } = await merchant.api.payments.create(body);
  return { id, address: depositAddress ?? '' };
}

function untilHas(wallet: string, amount: string): Promise<bigint> {
  const holds = (balance: bigint) => balance === units(amount);
  return until(`${wallet} has ${amount}`, () => sepolia.chain.balanceOf(wallet), holds, PATIENTLY);
}

const permitToSign = z.looseObject({
  domain: z.looseObject({}),
  types: z.looseObject({ Permit: z.array(z.object({ name: z.string(), type: z.string() })) }),
  message: z.looseObject({ value: z.string(), deadline: z.string() }),
});

/** Signs a mandate and a permit at the checkout. Returns the key of the session. */
async function checkOut({ wallet, address }: Payer): Promise<string> {
  const { offerId, priceId } = onSale;
  const path = `/offers/${offerId}`;
  const answer = await merchant.client.checkout('POST', `${path}/challenges`, { address, priceId });
  const challenge = challengeSchema.parse(answer);
  keys += 1;
  const sessionKey = `a-key-that-a-page-has-made-${keys}`;
  const signed = { address, message: challenge.message, signature: await signChallenge(wallet, challenge) };
  const open = (more: object) =>
    merchant.client.checkout('POST', `${path}/subscriptions`, { ...signed, priceId, sessionKey, ...more });
  const { domain, types, message } = permitToSign.parse((await open({}))['permitToSign']);
  const signature = await wallet.signTypedData(domain, { Permit: types.Permit }, message);
  await open({ permit: { value: message.value, deadline: message.deadline, signature } });
  return sessionKey;
}

const sessionSchema = z.looseObject({
  outcome: z.looseObject({ subscription: z.looseObject({ status: z.string() }).nullable() }),
});

async function untilBought(sessionKey: string): Promise<void> {
  const ask = async () => sessionSchema.parse(await merchant.client.checkout('GET', `/sessions/${sessionKey}`)).outcome;
  await until('the session has ended', ask, ({ subscription }) => subscription?.status === 'active', PATIENTLY);
}

function chargesOf(where: { readonly paymentId?: string; readonly from?: string }): Promise<ChargeDoc[]> {
  return store.records.find('charges', { where: { chainId: SEPOLIA, ...where }, limit: 100 });
}

/** The charge that has this state, of each payer. */
async function untilCharges(payers: readonly Payer[], state: ChargeState): Promise<void> {
  const found = () => Promise.all(payers.map(({ address }) => chargesOf({ from: address })));
  const holds = (lists: ChargeDoc[][]) => lists.every((list) => list.some((each) => each.state === state));
  await until(`${payers.length} charges are ${state}`, found, holds, PATIENTLY);
}

/** The routers of the final charges, when all have ended: a payment settles just before its charge is final. */
async function routersOf(where: Parameters<typeof chargesOf>[0]): Promise<(string | undefined)[]> {
  const isOver = (charges: ChargeDoc[]) => charges.every(({ state }) => OVER.includes(state));
  const charges = await until('the charges are over', () => chargesOf(where), isOver, PATIENTLY);
  return charges.filter(({ state }) => state === 'final').map(({ router }) => router);
}

const OVER: readonly ChargeState[] = ['final', 'refused', 'withdrawn'];

async function makeAttempt({ id: subscriptionId }: StagedSubscription): Promise<string> {
  return (await merchant.api.sandbox.charge({ subscriptionId })).outcome;
}

function sum(list: readonly Transfer[], isCounted: (each: Transfer) => boolean): bigint {
  return list.filter(isCounted).reduce((total, { value }) => total + value, 0n);
}

/** By key, the routers whose logs say that they moved its money. */
async function movedBy(): Promise<Map<string, string[]>> {
  const topics = [[chargedTopic, depositRefundedTopic]];
  const logs = await sepolia.chain.provider.getLogs({ fromBlock: 0, address: [old, newer], topics });
  const found = new Map<string, string[]>();
  for (const { address, topics: of } of logs) {
    const name = of[1] ?? '';
    found.set(name, [...(found.get(name) ?? []), getAddress(address)]);
  }
  return found;
}

describe('a router that is replaced under load', () => {
  it('is followed by everything that began on it; what begins now is on the new one; each charge is made once', async () => {
    const { chain } = sepolia;
    const { operator: oldOperator } = merchant;

    // Settled, and still watched: their blocks are not finalized.
    const settled = await subscribed(await many(3, () => approver('60.00', oldOperator)));
    const signed = await checkOut(await approver('0'));
    await active(settled);
    await untilBought(signed);

    // Past due: the allowance was for one cycle.
    const [shortPayer, movingPayer] = [await approver('10.00', oldOperator), await approver('10.00', oldOperator)];
    const [short, moving] = [await shortPayer.subscribe(onSale), await movingPayer.subscribe(onSale)];
    for (const each of [short, moving]) {
      await each.expectStatus('active');
      expect(await makeAttempt(each)).toBe('failed');
      await each.expectStatus('past_due');
    }

    // Deposits: held, and not paid yet.
    const held = await depositFor();
    const unpaid = await depositFor({ refundWallet: refunds });
    await transfer(held.address, '13.00');
    await untilSettled(held.id);

    // In flight: no block takes them.
    const flying = await many(3, () => approver('60.00', oldOperator));
    const [waiting, ...others] = await many(3, () => approver('60.00', oldOperator));
    if (waiting === undefined) throw new Error('nobody waits');
    const permitting = await approver('0');
    const onlyOld = await approver('60.00', oldOperator);
    await chain.provider.send('evm_setAutomine', [false]);
    const inFlight = await subscribed(flying);
    await untilCharges(flying, 'sent');

    // Requested, and not stored for a sender.
    const failures = Array.from({ length: 99 }, (_, index) => `relay.effect.before/charge.request@${index + 1}=throw`);
    await stage().restart({ FAULTS: failures.join(',') });
    const bought = await pay(waiting);
    expect(await chargesOf({ paymentId: bought })).toEqual([]);
    const pending = await subscribed(others);
    const permitted = await checkOut(permitting);
    const open = { in: ['waiting', 'started', 'sent'] };
    expect(await store.records.count('permits', { chainId: SEPOLIA, state: open })).toBe(1);

    // The router is replaced.
    await stage().restart(withRouters(newer, old));
    const newOperator = await operatorFor(merchant.api, TOKEN_KEY);
    expect(newOperator).not.toBe(oldOperator);
    await chain.provider.send('evm_setAutomine', [true]);
    await chain.provider.send('evm_mine', []);

    await active([...inFlight, ...pending]);
    await untilSettled(bought);
    expect(await routersOf({ paymentId: bought })).toEqual([old]);
    await untilBought(permitted);
    await shortPayer.approve('60.00');
    await short.expectStatus('active');
    expect(await movingPayer.sign(moving.link)).toBe(200);
    await movingPayer.approve('60.00');
    await moving.expectStatus('active');
    await transfer(unpaid.address, '12.00');
    await untilSettled(unpaid.id);
    await untilHas(refunds, '2.00');
    await sendDeposit(stage(), (await untilOutcomes(stage(), held.id, 'held'))[0], elsewhere);
    await untilHas(elsewhere, '3.00');

    // What begins now is on the new one; payers of the old one go on paying there.
    const newcomer = await approver('60.00', newOperator);
    await (await newcomer.subscribe(onSale)).expectStatus('active');
    for (const each of settled) expect(await makeAttempt(each)).toBe('settled');
    const both = await approver('60.00', oldOperator, newOperator);
    const [byOld, byNew] = [await pay(onlyOld), await pay(both)];
    for (const payment of [byOld, byNew]) await untilSettled(payment);
    expect([await routersOf({ paymentId: byOld }), await routersOf({ paymentId: byNew })]).toEqual([[old], [newer]]);
    expect((await depositFor()).address).not.toBe(held.address);
    const routers = ({ address }: Payer) => routersOf({ from: address });
    expect([await routers(newcomer), await routers(shortPayer), (await routers(movingPayer)).sort()]).toEqual([
      [newer],
      [old, old],
      [old, newer].sort(),
    ]);

    await judge([held.address, unpaid.address], [oldOperator, newOperator]);
    expect([await provenRouter(bought), await provenRouter(byNew)]).toEqual([old, newer]);
    expect(await audited(newer, old)).toEqual([[]]);
  }, 400_000);
});

async function many<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  while (made.length < count) made.push(await make());
  return made;
}

const proofSchema = z.looseObject({ onChain: z.looseObject({ router: z.string() }) });

async function provenRouter(paymentId: string): Promise<string> {
  return proofSchema.parse(await merchant.client.call('GET', `/payments/${paymentId}/proof`)).onChain.router;
}

const auditSchema = z.object({ chains: z.array(z.object({ charges: z.number(), differences: z.array(z.unknown()) })) });

/** The differences that `npm run ops -- audit` finds, for each chain. */
async function audited(...routers: readonly string[]): Promise<unknown[][]> {
  const { env, dataDir } = stage();
  const environment = { ...env, ...withRouters(...routers), DATA_DIR: dataDir };
  const { stdout, stderr } = await runOps('audit', ['--json'], environment);
  expect(stderr).toBe('');
  const { chains } = auditSchema.parse(JSON.parse(stdout));
  expect(chains.map(({ charges }) => charges)).toEqual([(await movedBy()).size]);
  return chains.map(({ differences }) => differences);
}

/**
 * Compares the ledger with the logs: every charge once, by the router that it names, and all money where it belongs.
 */
async function judge(deposits: readonly string[], operators: readonly string[]): Promise<void> {
  const all = await chargesOf({});
  expect(all.filter(({ state }) => state !== 'final').map(({ state }) => state)).toEqual(
    all.filter(({ state }) => state === 'refused' || state === 'withdrawn').map(({ state }) => state),
  );
  const final = all.filter(({ state }) => state === 'final');
  const moved = await movedBy();
  expect(new Map(final.map((charge) => [charge.key, [charge.router ?? old]]))).toEqual(moved);
  expect(final).toHaveLength(moved.size);

  const transfers = await sepolia.chain.transfers();
  for (const from of new Set(final.map((charge) => charge.from))) {
    const taken = final
      .filter((charge) => charge.from === from)
      .reduce((total, { gross }) => total + BigInt(gross), 0n);
    // What payers send to deposit addresses is their own transfer.
    expect([from, sum(transfers, (each) => each.from === from && !deposits.includes(each.to))]).toEqual([from, taken]);
  }
  const shares = final.flatMap((charge) => charge.shares);
  for (const to of [merchant.payoutWallet, PLATFORM, refunds, elsewhere]) {
    const due = shares.filter((each) => each.to === to).reduce((total, { amount }) => total + BigInt(amount), 0n);
    expect([to, sum(transfers, (each) => each.to === to)]).toEqual([to, due]);
  }
  const empty = [old, newer, ...deposits, ...operators];
  expect(await Promise.all(empty.map((each) => sepolia.chain.balanceOf(each)))).toEqual(empty.map(() => 0n));
}
