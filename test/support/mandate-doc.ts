import type { MandateDoc } from '../../src/store/collections.ts';
import { ALICE, BOB, CAROL } from './bodies.ts';
import { NOW, PLAYED_ON, PLAYED_TOKEN } from './settled-payment.ts';

/** A mandate of ALICE: 10 tokens a day for BOB, 1 percent of it for CAROL. Nobody has signed it. */
export function mandateDoc(change: Partial<MandateDoc> = {}): MandateDoc {
  return {
    _id: `0x${'11'.repeat(32)}`,
    merchantId: 'mrc_a',
    mode: 'test',
    chainId: PLAYED_ON,
    router: CAROL,
    payer: ALICE,
    token: PLAYED_TOKEN,
    perCharge: '10000000',
    charges: 0,
    interval: 86_400,
    start: 0,
    end: 0,
    issuedAt: 1,
    platform: CAROL,
    feeBps: 100,
    payees: [BOB],
    agreement: `0x${'22'.repeat(32)}`,
    terms: `0x${'33'.repeat(32)}`,
    signature: '0x',
    message: 'the terms',
    createdAt: NOW,
    ...change,
  };
}
