import { VersionedTransaction } from '@solana/web3.js';
import type { Random } from '../../crashtest/random.ts';
import type { SimSource } from '../evm/world.ts';
import type { Payer } from '../shop.ts';
import { createSimulatedSolana, type SimulatedSolana } from '../solana/simulated-solana.ts';
import { type Besieged, boundOf, Mischief, type OpenBesieged } from './besieged.ts';

const SLOT_MS = 400;
const CHARGES_AT_ONCE = 40;
const PAYERS = 6;
/** How often a key is mentioned: nodes list 1,000 mentions at once. */
const MENTIONS = [20, 150, 1_050] as const;

export async function openBesiegedSolana(story: Random, source: SimSource): Promise<Besieged> {
  const feePayers = story.integer(1, 2);
  const options = { ...source, feePayers, confirmations: null, nodes: 1, chargesAtOnce: CHARGES_AT_ONCE };
  const chain = createSimulatedSolana(options);
  return {
    chain,
    catalog: { localSolana: { tokens: chain.sim.world.tokens } },
    boundMs: boundOf(SLOT_MS),
    finalMs: 40_000,
    hasHostileToken: false,
    besiege: (open) => besiege(chain, open),
  };
}

async function besiege(chain: SimulatedSolana, open: OpenBesieged): Promise<Mischief> {
  const mischief = new Mischief(open);
  mischief.merchant(await open.openShop('dust', chain, 1));
  const poor = await open.openShop('poor', chain, 1);
  for (const { payout } of poor.tills) {
    mischief.often('payout account without its rent', () => chain.controls.impoverish(payout));
  }
  for (const payer of poor.payers) mischief.subscribe('payer that subscribes', payer, poor);
  const shop = await open.openShop('siege', chain, PAYERS);
  for (const payer of shop.payers) mischief.subscribe('payer that subscribes', payer, shop);
  ambush(chain, mischief, open, shop.payers);
  return mischief;
}

/** Payers act before their charge, in its slot: its failed transaction shows the addresses to name. */
function ambush(chain: SimulatedSolana, mischief: Mischief, { random, time }: OpenBesieged, payers: readonly Payer[]) {
  const { sim, controls } = chain;
  const deeds = [
    ['payer that revokes in the slot of its charge', (wallet: string) => controls.revoke(wallet)],
    ['payer that empties its account', (wallet: string) => controls.spendAll(wallet)],
    ['payer whose account is frozen', (wallet: string) => controls.freeze(wallet, true)],
  ] as const;
  const prey = new Map(payers.map(({ wallet }) => [sim.accountOf(wallet), { wallet, deed: random.pick(deeds) }]));
  const seen = new Set<string>();
  sim.onSend = (raw) => {
    const { message } = VersionedTransaction.deserialize(Buffer.from(raw, 'base64'));
    const keys = message.staticAccountKeys.map((key) => key.toBase58());
    const [found] = keys.flatMap((key) => prey.get(key) ?? []);
    if (found === undefined || seen.has(raw)) return;
    seen.add(raw);
    const [name, deed] = found.deed;
    mischief.count(name);
    deed(found.wallet);
    const named = keys.filter((_, index) => !message.isAccountSigner(index) && !message.isAccountWritable(index));
    const mentions = random.pick(MENTIONS);
    time.in(SLOT_MS, () => {
      for (let index = 0; index < mentions; index += 1) controls.mention(named);
      mischief.count(`key that is mentioned ${mentions} times`);
    });
  };
}
