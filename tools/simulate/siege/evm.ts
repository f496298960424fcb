import { overriding } from '../../../stage/overriding.ts';
import type { Random } from '../../crashtest/random.ts';
import { openSimulatedEvm, type SimulatedEvm } from '../evm/simulated-evm.ts';
import type { SimSource } from '../evm/world.ts';
import { GRANTED, type Payer, type Shop } from '../shop.ts';
import type { SimulatedChain } from '../simulated-chain.ts';
import { type Besieged, boundOf, Mischief, type OpenBesieged } from './besieged.ts';
import { HARMS, hostileToken, hostileWallet, WHENS } from './hostile-code.ts';

/** Block times and confirmations, as chains of the catalog have them. */
const RHYTHMS = [
  { blockMs: 12_000, confirmations: 6 },
  { blockMs: 2_000, confirmations: 3 },
  { blockMs: 2_000, confirmations: 32 },
  { blockMs: 500, confirmations: 3 },
] as const;

/** So many charges are in one transaction if nothing separates them. */
const CHARGES_AT_ONCE = 40;
const TOKEN_PAYERS = 8;

/** An EVM chain with two tokens. The second is hostile in half of the seeds. */
export async function openBesiegedEvm(story: Random, source: SimSource): Promise<Besieged> {
  const { blockMs, confirmations } = story.pick(RHYTHMS);
  const hasHostileToken = story.next() < 0.5;
  const chain = await openSimulatedEvm({
    ...{ ...source, blockMs, confirmations, finalizedDepth: confirmations, tokenCount: 2 },
    ...{ nodes: 1, senders: story.integer(1, 2), chargesAtOnce: CHARGES_AT_ONCE },
  });
  return {
    chain,
    catalog: { localEvm: { tokens: chain.sim.world.tokens } },
    boundMs: boundOf(blockMs),
    finalMs: 2 * blockMs * confirmations,
    hasHostileToken,
    besiege: (open) => besiege(chain, open, hasHostileToken),
  };
}

async function besiege(chain: SimulatedEvm, open: OpenBesieged, hasHostileToken: boolean): Promise<Mischief> {
  const mischief = new Mischief(open);
  const { random, honest } = open;
  const { sim } = chain;
  const when = random.pick([...WHENS, 'priced', 'priced'] as const);
  for (let count = random.integer(16, 24); count > 0; count -= 1) {
    mischief.subscribe(`wallet that burns gas, ${when}`, contractPayer(chain, honest, when), honest);
  }
  mischief.merchant(await open.openShop('dust', chain, 1));
  const shop = await open.openShop('emptied', chain, 2);
  for (const payer of shop.payers) {
    mischief.subscribe('payer that subscribes', payer, shop);
    mischief.often('payer that empties its wallet', () => sim.spendAll(payer.wallet));
    mischief.often('payer that takes its approval back', () => {
      sim.approve(payer.wallet, { merchantId: shop.tenant.merchantId, isBounded: true }, 0n);
    });
  }
  if (hasHostileToken) await besiegeByToken(chain, mischief, open);
  return mischief;
}

function contractPayer({ sim }: SimulatedEvm, { tenant, tills: [till] }: Shop, when: (typeof WHENS)[number]): Payer {
  if (till === undefined) throw new Error('the shop has no till');
  const wallet = sim.contractWallet(hostileWallet(when));
  sim.mint(wallet, GRANTED);
  sim.approve(wallet, { merchantId: tenant.merchantId, isBounded: true }, GRANTED);
  return { till, wallet, customerId: '', signs: true };
}

/** A merchant sells for a token whose code is replaced. */
async function besiegeByToken(chain: SimulatedEvm, mischief: Mischief, open: OpenBesieged): Promise<void> {
  const { random } = open;
  const [, token] = chain.sim.world.tokens;
  if (token === undefined) throw new Error('the chain has one token');
  const controls = overriding(chain.controls, {
    mint: (wallet, amount) => void chain.sim.mint(wallet, amount, token.address),
    approve: (wallet, spender, amount) => void chain.sim.approve(wallet, spender, amount, token.address),
  });
  const other: SimulatedChain = { ...chain, controls, tokenKey: TOKEN_KEY };
  const shop = await open.openShop('token', other, TOKEN_PAYERS);
  const [when, harm] = [random.pick([...WHENS, 'calls'] as const), random.pick([...HARMS, 'burns', 'burns'] as const)];
  chain.sim.replaceCode(token.address, (old) => hostileToken(old, when, harm));
  for (const payer of shop.payers) mischief.subscribe(`payer of a token that ${harm}, ${when}`, payer, shop);
}

const TOKEN_KEY = 'usdt-local-evm';
