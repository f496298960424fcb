import { hexlify, randomBytes, SigningKey, Wallet } from 'ethers';
import { type MandateDraft, mandateIdOf } from '../../../../src/chains/mandates.ts';
import type { MandateDoc } from '../../../../src/store/collections.ts';
import type { Tenant } from '../../../../src/store/documents.ts';
import { PRICE, type SignedCycle } from '../shop.ts';

/** Where all charges under these mandates happen, and who gets their money. */
export interface Terms {
  readonly chainId: number;
  readonly router: string;
  readonly token: string;
  readonly receiver: string;
  readonly feeBps: number;
}

/**
 * A payer with a key and the mandate that it has signed: unlimited charges of one price, as in test mode without a
 * rhythm.
 */
export class MandatePayer {
  readonly mandate: MandateDoc;
  #cycle = 0;

  constructor({ merchantId, mode }: Tenant, { receiver, ...terms }: Terms) {
    const { address: payer, privateKey } = Wallet.createRandom();
    const draft: MandateDraft = {
      ...terms,
      merchantId,
      mode,
      payer,
      perCharge: PRICE.toString(),
      charges: 0,
      interval: 0,
      start: 0,
      end: 0,
      issuedAt: Math.floor(Date.now() / 1_000),
      platform: new Wallet(hexlify(randomBytes(32))).address,
      payees: [receiver],
      agreement: hexlify(randomBytes(32)),
      terms: hexlify(randomBytes(32)),
    };
    const _id = mandateIdOf(draft);
    const { serialized: signature } = new SigningKey(privateKey).sign(_id);
    this.mandate = { ...draft, _id, signature, message: 'Every day', createdAt: new Date() };
  }

  get wallet(): string {
    return this.mandate.payer;
  }

  /** The next cycle, so that subscriptions of one payer share its agreement as the cycles of one subscription do. */
  next(): SignedCycle {
    this.#cycle += 1;
    const { _id: mandateId, router } = this.mandate;
    return { consent: { mandateId, router }, cycle: this.#cycle };
  }
}
