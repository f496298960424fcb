import { hexlify, id, randomBytes } from 'ethers';
import { ScriptError } from '../../../scripts/lib/script.ts';
import { type Mandate, mandateTypedData } from '../../../src/chains/evm/contracts/mandates.ts';
import { mandateOperatorAddress } from '../../../src/chains/evm/contracts/router.ts';
import { approveYear, type Scene, type SignedMandate, type Victim } from './cast.ts';

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
  readonly once: SignedMandate;
  /** No rhythm, and a base unit less than two charges in any 30 days. */
  readonly limited: SignedMandate;
  /** Two of one agreement: the newer one with another price. */
  readonly older: SignedMandate;
  readonly newer: SignedMandate;
}

/** Signs them with the wallet alone, on the pattern of a mandate of the checkout, and approves a year. */
export async function signLive(scene: Scene, who: Victim, pattern: Mandate): Promise<LiveMandates> {
  const { stage, merchant } = scene;
  const block = await stage.chain.provider.getBlock('latest');
  if (block === null) throw new ScriptError('The local chain has no block');
  const now = block.timestamp;
  const sign = (change: Partial<Mandate>) =>
    signed(scene, who, {
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
    limited: await sign({ charges: 0, interval: 0, per30Days: 2n * pattern.perCharge - 1n }),
    older: await sign({ agreement }),
    newer: await sign({ agreement, issuedAt: now + 1 }),
  };
  stage.narrator.add({ what: `${who.name} signs live-like mandates` });
  await approveYear(scene, who, mandateOperatorAddress(stage.chain.router, merchant.id, 'test'));
  return mandates;
}

async function signed({ stage }: Scene, { payer }: Victim, mandate: Mandate): Promise<SignedMandate> {
  const { domain, types, message } = mandateTypedData(stage.chain.facts.chainId, stage.chain.router, mandate);
  return { mandate, signature: await payer.signTypedData(domain, types, { ...message }) };
}
