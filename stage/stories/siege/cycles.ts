import { UnexpectedStatus } from '../../../scripts/lib/json-request.ts';
import type { OnSale } from '../../seller.ts';
import type { Stage } from '../../stage.ts';
import { until } from '../../until.ts';
import { PRICE_UNITS, type Scene, signUp, YEAR } from '../thief/cast.ts';
import { makeBurningWallet, TELLS } from './burning-wallet.ts';
import type { Due } from './judge.ts';

export const CYCLES = 3;

/** Longer than a charge may take. */
const PATIENCE_MS = 130_000;

/** A merchant with an offer. */
export interface Shop extends Scene {
  readonly onSale: OnSale;
}

/** Somebody with a subscription, whose id it has. */
interface Subscriber {
  readonly id: string;
  readonly address: string;
  approve(): Promise<unknown>;
}

export async function subscribeHonest(shop: Shop): Promise<Subscriber> {
  const { chain } = shop.stage;
  const wallet = await chain.newWallet('100.00');
  const { id, operator } = await signUp(shop, wallet, shop.onSale);
  return { id, address: wallet.address, approve: () => chain.approve(wallet, operator, PRICE_UNITS * YEAR) };
}

/** A wallet that takes a block for a transaction is refused, and tries again in the next one. */
export async function subscribeHostile(shop: Shop, index: number): Promise<Subscriber> {
  const { chain } = shop.stage;
  const wallet = await makeBurningWallet(chain, index % 3 === 0 ? TELLS.block : TELLS.price);
  for (;;) {
    try {
      const { id, operator } = await signUp(shop, wallet, shop.onSale);
      return { id, address: wallet.address, approve: () => wallet.approve(operator) };
    } catch (error) {
      if (!(error instanceof UnexpectedStatus && error.status === 400)) throw error;
      await chain.mine(1);
    }
  }
}

/**
 * Everybody approves at once; then the clocks of all subscriptions move on at once. The senders have no gas until all
 * honest charges wait, so that these come beside hostile ones. `between` acts after the first cycle. Ends early if an
 * honest payer is not charged, or with `signal`. Resolves with the due charges.
 */
export async function chargeAll(
  stage: Stage,
  { merchant: { api, receiver } }: Shop,
  [honest, hostile]: readonly [readonly Subscriber[], readonly Subscriber[]],
  signal: AbortSignal,
  between: () => Promise<unknown>,
): Promise<Due[]> {
  const { chain, narrator } = stage;
  const dues: Due[] = [];
  const start = ({ id, approve }: Subscriber, cycle: number) =>
    cycle === 1 ? approve() : api.sandbox.advance({ subscriptionId: id });
  const from = { in: honest.map(({ address }) => address) };
  const waiting = async () =>
    (await stage.store()).records.find('charges', { where: { state: 'waiting', from }, limit: honest.length });
  const untilAll = (those: readonly Subscriber[], event: string, cycle: number) => {
    const countOf = (id: string) => receiver.eventsOf(id).filter((each) => each.startsWith(event)).length;
    const count = () => those.filter(({ id }) => countOf(id) >= cycle).length;
    const how = { withinMs: PATIENCE_MS, orLast: true, signal };
    return until(`all have another ${event}`, count, (found) => found === those.length, how);
  };
  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const since = await chain.provider.getBlock('latest');
    if (since === null) throw new Error('the chain has no block');
    dues.push(...honest.map(({ address: payer }) => ({ payer, cycle, since })));
    const began = performance.now();
    const holding = chain.withoutGas(() =>
      until('the charges wait', waiting, ({ length }) => length === honest.length, { signal }),
    );
    await Promise.all([holding, ...[...hostile, ...honest].map((each) => start(each, cycle))]);
    const count = await untilAll(honest, 'payment.succeeded', cycle);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    narrator.line(` cycle ${cycle}: ${count} of ${honest.length} honest payers are charged, ${seconds} s`);
    if (count < honest.length) return dues;
    await untilAll(hostile, 'payment.', cycle);
    if (cycle === 1) await between();
  }
  return dues;
}
