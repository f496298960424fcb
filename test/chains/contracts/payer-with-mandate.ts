import { MaxUint256, Wallet } from 'ethers';
import { type Mandate, type MandateCharge, mandateTypedData } from '../../../src/chains/evm/contracts/mandates.ts';
import type { Reason } from '../../../src/chains/evm/contracts/reasons.ts';
import { encodeChargeMany, mandateOperatorAddress, merchantSalt } from '../../../src/chains/evm/contracts/router.ts';
import { freshAddress, type Sent } from '../evm/world.ts';
import { newKey } from '../support/world.ts';
import type { RouterWorld } from './world.ts';

export const CHAIN_ID = 31_337;
export const DAY = 86_400;
export const MONTH = 28 * DAY;

/**
 * A payer with tokens, who has approved the mandate operator of the merchant `m1` for everything, and signs mandates.
 */
export class PayerWithMandate {
  readonly wallet = Wallet.createRandom();
  readonly payee = freshAddress();
  readonly platform = freshAddress();
  readonly agreement = newKey();
  readonly #world: RouterWorld;

  private constructor(world: RouterWorld) {
    this.#world = world;
  }

  static async create(world: RouterWorld, token = world.token): Promise<PayerWithMandate> {
    const payer = new PayerWithMandate(world);
    await world.mint(payer.address, 1_000_000n, token);
    await world.approveOperator(payer.address, mandateOperatorAddress(world.router, 'm1', 'test'), MaxUint256, token);
    return payer;
  }

  get address(): string {
    return this.wallet.address;
  }

  /** 1,000 a month for `m1`, twelve times, from the start of time on. One percent of it goes to the platform. */
  mandate(change: Partial<Mandate> = {}): Mandate {
    return {
      payer: this.address,
      merchant: merchantSalt('m1', 'test'),
      token: this.#world.token,
      perCharge: 1_000n,
      charges: 12,
      interval: MONTH,
      months: 0,
      start: 0,
      end: 0,
      issuedAt: 1,
      platform: this.platform,
      feeBps: 100,
      payees: [this.payee],
      agreement: this.agreement,
      terms: newKey(),
      ...change,
    };
  }

  async sign(mandate: Mandate, wallet: Pick<Wallet, 'signTypedData'> = this.wallet): Promise<string> {
    const { domain, types, message } = mandateTypedData(CHAIN_ID, this.#world.router, mandate);
    return wallet.signTypedData(domain, types, message);
  }

  /** A charge of 1,000 under the mandate: 990 for the payee, 10 for the platform. */
  async charge(mandate: Mandate, change: Partial<MandateCharge> = {}): Promise<MandateCharge> {
    const shares = { to: [this.payee, this.platform], amounts: [990n, 10n] };
    return { mandate, signature: await this.sign(mandate), cycle: 1, ...shares, ...change };
  }
}

/** In the form of ethers, which needs every field. */
export function withAllFields(charge: MandateCharge) {
  return { ...charge, mandate: { per30Days: 0n, ...charge.mandate } };
}

/** Sends one charge in a batch: why the router refused it, at the time of its block; null: it was made. */
export async function refusalOf(world: RouterWorld, charge: MandateCharge): Promise<Reason | null> {
  const { charges } = await sendMandateCharges(world, [charge]);
  const [log] = charges;
  if (log === undefined) throw new Error('the router says nothing about the charge');
  return log.kind === 'refused' ? log.reason : null;
}

/** The kind of the refusal; null: the charge was made. */
export async function outcomeOf(world: RouterWorld, charge: MandateCharge): Promise<string | null> {
  return (await refusalOf(world, charge))?.kind ?? null;
}

export function sendMandateCharges(world: RouterWorld, charges: readonly MandateCharge[], gas?: bigint): Promise<Sent> {
  return world.send(world.sender, world.router, encodeChargeMany([], charges), gas === undefined ? {} : { gas });
}
