import { HDNodeWallet } from 'ethers';
import fc from 'fast-check';
import { cancelPayment } from '../../src/billing/payments/payments.ts';
import { isByBalance, leftOf } from '../../src/model/deposit.ts';
import type { DepositDoc } from '../../src/store/collections.ts';
import { until } from '../../stage/until.ts';
import { Bank, DUE } from './support/bank.ts';

const HOUR_MS = 3_600_000;

let bank: Bank;
beforeAll(async () => {
  bank = await Bank.open();
});
afterAll(async () => {
  await bank?.close();
});

/** A transfer, before or after the deadline. */
interface Sending {
  readonly amount: bigint;
  readonly isSigned: boolean;
  readonly isOtherToken: boolean;
  readonly isLate: boolean;
}

/** The events of one payment. */
interface Plan {
  readonly hasRefundWallet: boolean;
  readonly cancels: boolean;
  readonly sendings: readonly Sending[];
}

/** Dust, parts, the exact amount, and more. */
const amount = fc.oneof(
  fc.bigInt({ min: 1n, max: 9_999n }),
  fc.bigInt({ min: 10_000n, max: DUE - 1n }),
  fc.constant(DUE),
  fc.bigInt({ min: DUE, max: DUE * 3n }),
);
const sending = fc.record({
  amount,
  isSigned: fc.boolean(),
  isOtherToken: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  isLate: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
});
const plan: fc.Arbitrary<Plan> = fc.record({
  hasRefundWallet: fc.boolean(),
  cancels: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
  sendings: fc.array(sending, { maxLength: 4 }),
});

interface Opened extends Plan {
  readonly id: string;
  readonly address: string;
  readonly sender: string;
  readonly signer: string;
  readonly refundWallet: string | null;
}

function newWallet(): string {
  return HDNodeWallet.createRandom().address;
}

async function open(planned: Plan): Promise<Opened> {
  const refundWallet = planned.hasRefundWallet ? newWallet() : null;
  const { id, deposit } = await bank.ask(refundWallet);
  const [sender, signer] = [newWallet(), newWallet()];
  for (const wallet of [sender, signer]) {
    await bank.world.anvil.provider.send('anvil_setBalance', [wallet, '0x21e19e0c9bab2400000']);
  }
  if (planned.cancels) await cancelPayment(bank.billing.deps, await tenantOf(id), id, 'api');
  return { ...planned, id, address: deposit?.address ?? '', sender, signer, refundWallet };
}

async function tenantOf(id: string) {
  const { merchantId, mode } = await bank.book(id);
  return { merchantId, mode };
}

async function send({ sender, signer, address }: Opened, { amount: sent, isSigned, isOtherToken }: Sending) {
  const token = isOtherToken ? bank.world.usdt : bank.world.token;
  await bank.send(sender, address, sent, isSigned ? { token } : { token, signer });
}

/** Waits until every transfer is recorded, and no refund is on its way. */
async function untilDone(payments: readonly Opened[], isDone: (doc: DepositDoc, status: string) => boolean) {
  for (const { id } of payments) {
    await until(
      `${id} is done`,
      async () => ({ book: await bank.book(id), status: await bank.statusOf(id) }),
      ({ book, status }) => isDone(book, status),
    );
  }
}

function sentBy({ sendings }: Plan, when: (sent: Sending) => boolean): number {
  return sendings.filter(when).length;
}

/** The chain's movements of one deposit address and token. */
async function movesAt(address: string, token: string) {
  const transfers = await bank.world.transfers(token);
  const sum = (list: typeof transfers) => list.reduce((total, each) => total + each.amount, 0n);
  const out = transfers.filter(({ from }) => from === address);
  return {
    in: sum(transfers.filter(({ to }) => to === address)),
    charged: sum(out.filter(({ to }) => to === bank.world.router)),
    refunds: out.filter(({ to }) => to !== bank.world.router),
    refunded: sum(out.filter(({ to }) => to !== bank.world.router)),
    there: await bank.world.balanceOf(address, token),
  };
}

async function judge(payment: Opened): Promise<void> {
  const doc = await bank.book(payment.id);
  const status = await bank.statusOf(payment.id);
  for (const token of [bank.world.token, bank.world.usdt]) {
    const moves = await movesAt(payment.address, token);
    const own = doc.arrivals.filter((each) => each.token === token);
    const total = (of: (each: (typeof own)[number]) => bigint) => own.reduce((sum, each) => sum + of(each), 0n);
    // By the chain, and equal to the service's record.
    expect(moves.in).toBe(moves.charged + moves.refunded + moves.there);
    expect(moves.in).toBe(total(({ amount: arrived }) => BigInt(arrived)));
    expect(moves.charged).toBe(total(({ charged }) => BigInt(charged)));
    expect(moves.refunded).toBe(total(({ refunded }) => BigInt(refunded)));
    expect(moves.there).toBe(total(leftOf));
    expect(moves.charged).toBe(status === 'settled' && token === doc.token ? DUE : 0n);
    // Whoever signed the transfer: nothing goes back to a sender.
    for (const { to } of moves.refunds) expect(to).toBe(payment.refundWallet);
  }
  for (const arrival of doc.arrivals) {
    expect(['charged', 'refunded', 'held']).toContain(arrival.fate);
    if (arrival.fate !== 'held') continue;
    expect(arrival.held).toBe(payment.refundWallet === null ? 'no_refund_wallet' : 'below_cost');
    if (payment.refundWallet !== null) expect(leftOf(arrival)).toBeLessThan(10_000n);
  }
  const inTime = payment.sendings.filter(({ isLate, isOtherToken }) => !isLate && !isOtherToken);
  const isPaid = inTime.reduce((sum, { amount: sent }) => sum + sent, 0n) >= DUE;
  expect(status).toBe(payment.cancels ? 'canceled' : isPaid ? 'settled' : 'failed');
}

describe('any transfers to deposit addresses', () => {
  it("are charged, refunded or there, to the base unit, and the service's record equals the chain", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 6, maxLength: 6 }), async (plans) => {
        const payments: Opened[] = [];
        for (const planned of plans) payments.push(await open(planned));
        for (const payment of payments) {
          for (const each of payment.sendings) if (!each.isLate) await send(payment, each);
        }
        const early = new Map(payments.map((payment) => [payment.id, sentBy(payment, ({ isLate }) => !isLate)]));
        await untilDone(payments, (doc, status) => {
          const isFunded =
            doc.arrivals
              .filter(({ token }) => token === doc.token)
              .reduce((sum, { amount: arrived }) => sum + BigInt(arrived), 0n) >= DUE;
          return (
            doc.arrivals.length === early.get(doc._id) && (!isFunded || status !== 'pending') && status !== 'pulled'
          );
        });
        await bank.later(HOUR_MS + 60_000);
        for (const payment of payments) {
          for (const each of payment.sendings) if (each.isLate) await send(payment, each);
        }
        const all = new Map(payments.map((payment) => [payment.id, payment.sendings.length]));
        await untilDone(payments, (doc, status) => {
          const isOpen = doc.arrivals.some(({ fate }) => fate === 'open' || fate === 'refunding');
          // Money that only a balance shows is there until a check of a later block: it is no transfer.
          const isRecorded = doc.arrivals.length === all.get(doc._id) && !doc.arrivals.some(isByBalance);
          return isRecorded && !isOpen && status !== 'pending' && status !== 'pulled';
        });
        for (const payment of payments) await judge(payment);
      }),
      { numRuns: 3, endOnFailure: true },
    );
  }, 120_000);
});
