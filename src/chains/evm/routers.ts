import type { ChargeDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { type Consent, consentOf } from '../consent.ts';
import type { AllowanceRead } from '../port.ts';
import { getAddress } from './address.ts';
import { operatorOf } from './contracts/router.ts';

/** The routers of one chain (`ROUTER_<chainId>`), the newest first (docs/rules.md, "Routers"). */
export class Routers {
  /** Checksummed. */
  readonly all: readonly string[];

  /** @throws Error when one is no address */
  constructor(chainId: number, addresses: readonly string[]) {
    this.all = addresses.map((address) => checksummed(address, chainId));
  }

  /** The router for which payers authorize from now on; null: none is configured. */
  get newest(): string | null {
    return this.all[0] ?? null;
  }

  /** The router of a consent. A consent that is older than the chain's first router uses the oldest one. */
  ofConsent({ router }: Consent): string {
    const named = router ?? this.all.at(-1);
    if (named === undefined) throw new Error('no router is configured');
    return named;
  }

  operatorFor(tenant: Tenant, consent: Consent): string {
    return operatorOf(this.ofConsent(consent), tenant, consent);
  }

  /** The allowance and the balance from which a charge takes. */
  allowanceOf(charge: ChargeDoc): AllowanceRead {
    const { token, from: wallet } = charge;
    return { token, wallet, operator: operatorOf(routerOf(charge), charge, consentOf(charge)) };
  }

  /** The same for all charges that draw on one allowance. */
  allowanceName(charge: ChargeDoc): string {
    const { token, wallet, operator } = this.allowanceOf(charge);
    return `${token}/${wallet}/${operator}`;
  }
}

/**
 * The router of a charge on EVM.
 *
 * @throws Error when it names none
 */
export function routerOf({ _id, router }: Pick<ChargeDoc, '_id' | 'router'>): string {
  if (router === undefined) throw new Error(`charge ${_id} names no router`);
  return router;
}

function checksummed(address: string, chainId: number): string {
  try {
    return getAddress(address);
  } catch {
    throw new Error(
      `ROUTER_${chainId} is no address: ${address}; expected 20 bytes in hex, checksummed or in one case`,
    );
  }
}
