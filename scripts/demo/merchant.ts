import { createClient, type Payment, type Tideline } from 'tideline/client';
import { ScriptError } from '../lib/script.ts';
import { createMerchant, type StaffApi } from '../lib/staff.ts';

/** A payment of a cycle, with its period. */
export interface CyclePayment extends Payment {
  readonly periodStart: string;
  readonly periodEnd: string;
}

/** A merchant's backend. It calls the API with the test key and with the client for merchants. */
export class Merchant {
  readonly id: string;
  readonly testKey: string;
  readonly liveKey: string;
  readonly api: Tideline;

  private constructor({ url }: StaffApi, { id, testKey, liveKey }: { id: string; testKey: string; liveKey: string }) {
    this.id = id;
    this.testKey = testKey;
    this.liveKey = liveKey;
    this.api = createClient({ apiKey: testKey, baseUrl: `${url}/v1` });
  }

  /** Only staff can make a merchant. */
  static async signUp(service: StaffApi, name: string): Promise<Merchant> {
    return new Merchant(service, await createMerchant(service, name));
  }

  /** Every payment of a subscription, oldest first. */
  async payments(subscriptionId: string): Promise<CyclePayment[]> {
    const payments: CyclePayment[] = [];
    for await (const payment of this.api.payments.all({ subscriptionId })) payments.push(ofCycle(payment));
    return payments.reverse();
  }
}

function ofCycle(payment: Payment): CyclePayment {
  const { id, periodStart, periodEnd } = payment;
  if (periodStart === null || periodEnd === null) throw new ScriptError(`The payment ${id} of a cycle has no period`);
  return { ...payment, periodStart, periodEnd };
}
