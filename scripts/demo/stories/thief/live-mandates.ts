import { hexlify, id, randomBytes } from 'ethers';
import { type Mandate, mandateTypedData } from '../../../../src/chains/evm/contracts/mandates.ts';
import { mandateOperatorAddress } from '../../../../src/chains/evm/contracts/router.ts';
import { ScriptError } from '../../../lib/script.ts';
import type { Stage } from '../../stage.ts';
import { approveYear, type SignedMandate, type Victim } from './cast.ts';

const DAY_S = 86_400;
const MONTH_S = 28 * DAY_S;
const FOR_A_YEAR = 12;

/** Mandates as a live key's checkout asks for them, by agreement. */
export interface LiveMandates {
  /** Twelve charges, a month apart. */
  readonly monthly: SignedMandate;
  /** It starts in a week, as after a trial. */
  readonly later: SignedMandate;
  /** It ended yesterday. */
  readonly ended: SignedMandate;
  /** One charge. */
  readonly once: SignedMandate;
  /** Two of one agreement: the newer one with another price. */
  readonly older: SignedMandate;
  readonly newer: SignedMandate;
}

/** Signs them with the wallet alone, on the pattern of a mandate of the checkout, and approves a year. */
export async function signLive(stage: Stage, who: Victim, pattern: Mandate): Promise<LiveMandates> {
  const { world, shop, timeline } = stage;
  const block = await world.provider.getBlock('latest');
  if (block === null) throw new ScriptError('The local chain has no block');
  const now = block.timestamp;
  const sign = (change: Partial<Mandate>) =>
    signed(stage, who, {
      ...pattern,
      payer: who.payer.address,
      charges: FOR_A_YEAR,
      interval: MONTH_S,
      issuedAt: now,
      agreement: hexlify(randomBytes(32)),
      terms: id('9.90 USDC every month'),
      ...change,
    });
  const agreement = hexlify(randomBytes(32));
  const mandates = {
    monthly: await sign({}),
    later: await sign({ start: now + 7 * DAY_S }),
    ended: await sign({ end: now - DAY_S }),
    once: await sign({ charges: 1, interval: 0 }),
    older: await sign({ agreement }),
    newer: await sign({ agreement, issuedAt: now + 1 }),
  };
  timeline.add({ at: new Date().toISOString(), what: `${who.name} signs live-like mandates` });
  await approveYear(stage, who, mandateOperatorAddress(world.chain.router, shop.merchant.id, 'test'));
  return mandates;
}

async function signed({ world }: Stage, { payer }: Victim, mandate: Mandate): Promise<SignedMandate> {
  const { domain, types, message } = mandateTypedData(world.chain.chainId, world.chain.router, mandate);
  return { mandate, signature: await payer.sign({ domain, types, message: { ...message } }) };
}
