import { mandateKey } from '../../../src/chains/mandate-reader.ts';
import type { ChargeDoc, MandateDoc } from '../../../src/store/collections.ts';
import { type ChargeWish, newKey, waitingCharge } from './world.ts';

type Described = Parameters<typeof waitingCharge>[0];

/** A mandate that nobody has signed: 10 tokens a day until it is revoked, 1 percent of it for the platform. */
export function unsignedMandate(
  { chainId, token, platform, merchant }: Described,
  change: Pick<MandateDoc, 'router' | 'payer'> & Partial<MandateDoc>,
): MandateDoc {
  return {
    _id: '',
    merchantId: 'mrc_a',
    mode: 'test',
    chainId,
    token,
    perCharge: '10000000',
    charges: 0,
    interval: 86_400,
    months: 0,
    start: 0,
    end: 0,
    issuedAt: 1,
    platform,
    feeBps: 100,
    payees: [merchant],
    agreement: newKey(),
    terms: newKey(),
    signature: '0x',
    message: 'the terms',
    createdAt: new Date(),
    ...change,
  };
}

/** A waiting charge of one cycle under a mandate. */
export function mandateCharge(
  world: Described,
  { _id, agreement, payer, merchantId }: MandateDoc,
  cycle = 1,
  wish: Partial<ChargeWish> = {},
): ChargeDoc {
  const key = mandateKey(agreement, cycle);
  return { ...waitingCharge(world, { from: payer, merchantId, key, ...wish }), mandate: { id: _id, cycle } };
}
