import type { MandateDoc } from '../../src/store/collections.ts';
import { unsignedMandate } from '../chains/support/mandates.ts';
import { ALICE, BOB, CAROL } from './bodies.ts';
import { NOW, PLAYED_ON, PLAYED_TOKEN } from './settled-payment.ts';

/** A mandate of ALICE: 10 tokens a day for BOB, 1 percent of it for CAROL. Nobody has signed it. */
export function mandateDoc(change: Partial<MandateDoc> = {}): MandateDoc {
  const chain = { chainId: PLAYED_ON, token: PLAYED_TOKEN, platform: CAROL, merchant: BOB };
  const fixed = { _id: `0x${'11'.repeat(32)}`, agreement: `0x${'22'.repeat(32)}`, terms: `0x${'33'.repeat(32)}` };
  return unsignedMandate(chain, { ...fixed, router: CAROL, payer: ALICE, createdAt: NOW, ...change });
}
