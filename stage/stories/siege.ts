import { times } from '../calendar.ts';
import { Merchant } from '../merchant.ts';
import { SILENT } from '../narrator.ts';
import type { Stage } from '../stage.ts';
import { FIRST_CHARGE, type Story } from '../story.ts';
import { TOKEN_KEY } from '../tokens.ts';
import { CYCLES, chargeAll, type Shop, subscribeHonest, subscribeHostile } from './siege/cycles.ts';
import { readGas } from './siege/gas.ts';
import { spendGas } from './siege/hostile-merchant.ts';
import { judge } from './siege/judge.ts';
import { goLive } from './siege/stolen-test-key.ts';
import { changeRows, forgetCharges } from './siege/thief-in-the-database.ts';
import { PRICE, PRICE_UNITS } from './thief/cast.ts';
import { Database } from './thief/database.ts';
import { Loot } from './thief/loot.ts';
import { Thief } from './thief/thief.ts';

const HONEST = 10;
const HOSTILE = 12;

/** All who would stop the billing of a chain, or take more than was signed, act at once beside honest payers. */
export const siege: Story = {
  name: 'siege',
  title: 'Hostile payers, a hostile merchant, a stolen test key and a thief in the database, all at once',
  hasThief: true,
  env: { LOCAL_PAYEE_DELAY: '172800' },
  run: async (stage, attempts) => {
    const { chain, expect, narrator } = stage;
    const first = await chain.provider.getBlockNumber();
    const thief = new Thief(chain);
    const loot = new Loot(stage, thief, attempts);
    const [club, tea] = [await open(stage, 'Coffee Club'), await open(stage, 'Tea')];
    const mallory = await open(stage, 'Mallory');
    const { merchant } = club;
    stage.merchants.push(merchant);
    narrator.add({ what: 'Offer: Coffee Club, every month', amount: PRICE });
    const robByTestKey = await goLive(stage, merchant, loot);
    const [honest, hostile] = await narrator.waitFor(
      'everybody signs up at the checkout',
      Promise.all([
        Promise.all(times(HONEST, club).map(subscribeHonest)),
        Promise.all(times(HOSTILE, club).map(subscribeHostile)),
      ]),
    );

    loot.chapter(`All at once, beside ${HONEST} honest payers`, ...NOTES);
    const stop = new AbortController();
    const [dues, dusty] = await Database.use(stage.dataDir, (database) =>
      Promise.all([
        chargeAll(stage, club, [honest, hostile], stop.signal, () =>
          forgetCharges({ scene: club, loot, thief }, database),
        ),
        spendGas(mallory, loot),
        robByTestKey(),
        changeRows({ scene: tea, loot, thief }, database),
      ]).finally(() => stop.abort()),
    );

    const { gas, blockOf } = await readGas(chain, first, new Set(hostile.map(({ address }) => address)), dusty);
    const recipients = [merchant.payoutWallet, chain.addressOf('platform')];
    const transfers = await chain.transfers();
    const found = judge({ dues, price: PRICE_UNITS, recipients, thief: thief.wallet, transfers, blockOf });
    narrator.chapter('By the logs of the chain', 'The service paid for all gas but that of approvals.');
    narrator.add({ what: `${found.charged} of ${dues.length} honest charges, after ${found.slowest} s at most` });
    for (const [what, amount] of Object.entries(gas)) {
      narrator.add({ what: `gas of ${what}`, status: amount.toLocaleString('en') });
    }
    expect.equal('Every honest charge was made in time, and nothing was taken', found.findings, []);

    await merchant.expectEvents(TOKEN_KEY, ['wallet.updated']);
    for (const { id } of [...honest, ...hostile]) {
      const { customerId } = await merchant.api.subscriptions.get(id);
      await merchant.expectEvents(customerId ?? '', ['customer.created']);
    }
    const events = [...FIRST_CHARGE, ...times(CYCLES - 1, 'payment.succeeded')];
    for (const { id } of honest) await merchant.expectEvents(id, events);
    // A hostile wallet that takes a transaction for a simulation pays.
    for (const { id } of hostile) await merchant.expectEvents(id, merchant.receiver.eventsOf(id));
  },
};

const NOTES = [
  `${HOSTILE} contract wallets have subscribed at the same offer. They agree to every signature in simulations, and burn all gas in`,
  'transactions. Most know a simulation by its gas price, the others by its block.',
];

/** A merchant whose steps and webhooks are not shown one by one. */
async function open(stage: Stage, name: string): Promise<Shop> {
  const quiet = { ...stage.on(stage.chain), narrator: SILENT };
  const merchant = await Merchant.signUp(quiet, name);
  return { stage: quiet, merchant, onSale: await merchant.createOffer({ price: PRICE, every: 'month' }) };
}
