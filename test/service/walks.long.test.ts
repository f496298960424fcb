import { freePort } from '../../scripts/lib/free-port.ts';
import { packageRoot } from '../../src/package/root.ts';
import { type CoverageProbe, type Executed, filesBeyond, probeCoverage } from '../../stage/coverage.ts';
import type { Merchant } from '../../stage/merchant.ts';
import { Database } from '../../stage/stories/thief/database.ts';
import type { StagedSubscription } from '../../stage/subscription.ts';
import { useStage } from '../support/stage.ts';

/**
 * How many files of `machines/` and `src/` somebody passes who follows a request or a due cycle through a debugger:
 * files with code that ran, and does not run while nothing happens.
 */
const CYCLE_MAX = 170;
const CANCEL_MAX = 100;

/** Longer than any loop of an idle service pauses: what runs within it is what runs while nothing happens. */
const IDLE_MS = 5_000;

let merchant: Merchant;
let probing: Promise<CoverageProbe>;
let probe: CoverageProbe;
let dataDir: string;

useStage(
  async () => {
    const port = await freePort();
    // Code that has run before is counted less finely, so the probe waits for the process.
    probing = probeCoverage(port);
    // The sources as they are, because a bundle has few files.
    return { command: [`--inspect=127.0.0.1:${port}`, '--import', 'tsx', 'src/main.ts'] };
  },
  async (opened) => {
    probe = await probing;
    opened.onStop(async () => probe.close());
    merchant = await opened.createMerchant();
    dataDir = opened.dataDir;
  },
);

/** A subscription that is paid once. */
async function subscribed(): Promise<StagedSubscription> {
  const ada = await merchant.createPayer({ has: '100.00' });
  // Before the subscription: the log of a later approval is followed by further checks for a while.
  await ada.approve('100.00');
  const club = await ada.subscribe(await merchant.createOffer({ price: '10.00', every: 'month' }));
  await club.expectStatus('active', { paid: 1 });
  return club;
}

/** What runs while nothing happens. */
async function idle(): Promise<Executed> {
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  await probe.take();
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return probe.take();
}

/** The paths of the product's own files. */
function ownFiles(urls: readonly string[]): string[] {
  const root = new URL(`file://${packageRoot()}/`).href;
  const paths = urls.flatMap((url) => (url.startsWith(root) ? [url.slice(root.length)] : []));
  return paths.filter((path) => /^(machines|src)\//.test(path)).sort();
}

/** Moves the subscription's clock to its next boundary, without a call to the service. */
async function makeDue({ id }: StagedSubscription): Promise<void> {
  const month = 32 * 86_400_000;
  const set = { clockOffsetMs: month, 'context.clockOffsetMs': month, wakeAt: new Date() };
  await Database.use(dataDir, (database) => database.changeActor('subscription', id, set));
}

it('a due cycle, from the tick to the webhook, passes no more files than it must', async () => {
  const club = await subscribed();
  const before = await idle();
  const { receiver } = merchant;
  const paid = receiver.accepted.length;
  await makeDue(club);
  await receiver.until('of the renewal', (envelope) => {
    return envelope.event === 'payment.succeeded' && receiver.accepted.indexOf(envelope) >= paid;
  });
  const passed = ownFiles(filesBeyond(before, await probe.take()));
  expect(passed).toContain('src/engine/due.ts');
  expect(passed.length > CYCLE_MAX ? passed : []).toEqual([]);
}, 120_000);

it('a cancel passes no more files than it must', async () => {
  const club = await subscribed();
  const before = await idle();
  await club.cancel();
  const passed = ownFiles(filesBeyond(before, await probe.take()));
  expect(passed).toContain('src/api/subscriptions/subscriptions.ts');
  expect(passed.length > CANCEL_MAX ? passed : []).toEqual([]);
}, 120_000);
