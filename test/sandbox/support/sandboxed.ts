import type { AllowanceState } from '../../../src/chains/port.ts';
import { type AdvanceInput, type AdvanceResult, advanceTo } from '../../../src/sandbox/advance.ts';
import { type ChargeOutcome, chargeNow } from '../../../src/sandbox/charge.ts';
import type { Tenant } from '../../../src/store/documents.ts';
import { PLENTY } from '../../../stage/scripted-chain.ts';
import { ALICE } from '../../support/bodies.ts';
import type { HttpOptions } from '../../support/http.ts';
import { MerchantOverHttp } from '../../support/merchant-over-http.ts';

interface SandboxedOptions extends Pick<HttpOptions, 'fault'> {
  /** Fields of the pricing option. */
  readonly option?: object;
  /** The allowance and balance of every wallet; plenty by default. */
  readonly state?: AllowanceState;
}

/** One subscription and the sandbox calls for it. Its charges wait until the chain is told otherwise. */
export class Sandboxed {
  readonly merchant: MerchantOverHttp;
  readonly id: string;
  readonly tenant: Tenant;

  private constructor(merchant: MerchantOverHttp, id: string) {
    this.merchant = merchant;
    this.id = id;
    this.tenant = { merchantId: merchant.id, mode: 'test' };
  }

  static async open({ option = {}, state = PLENTY, ...options }: SandboxedOptions = {}): Promise<Sandboxed> {
    const merchant = await MerchantOverHttp.open(options);
    merchant.chain.state = state;
    return new Sandboxed(merchant, await merchant.subscribe({}, option, ALICE));
  }

  get charges() {
    return this.merchant.chain.charges;
  }

  /** Missing fields are null. */
  advance(how: Partial<AdvanceInput>): Promise<AdvanceResult> {
    const input = { subscriptionId: this.id, to: null, days: null, status: null, ...how };
    return advanceTo(this.merchant.billing.deps, this.tenant, input);
  }

  charge({ deps } = this.merchant.billing): Promise<ChargeOutcome> {
    return chargeNow(deps, this.tenant, this.id);
  }
}
