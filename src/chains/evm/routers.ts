import type { ChargeDoc } from '../../store/collections.ts';
import type { Tenant } from '../../store/documents.ts';
import { type Consent, consentOf } from '../consent.ts';
import type { AllowanceRead } from '../port.ts';
import { getAddress } from './address.ts';
import { operatorOf } from './contracts/router.ts';

/** A document that is made for one router: a charge, a permit or a deposit. */
export interface OfRouter {
  /** Absent: the router that was the first of its chain. */
  readonly router?: string | undefined;
}

/**
 * The routers of one chain (`ROUTER_<chainId>`), the newest first. Each charge is followed on its own router, however
 * many newer ones there are (docs/rules.md, "Routers").
 */
export class Routers {
  /** Checksummed. */
  readonly all: readonly string[];
  readonly #first: string | null;

  /**
   * @param first the router that was the first of its chain; absent: the last of the list
   * @throws Error when one is no address
   */
  constructor(chainId: number, addresses: readonly string[], first?: string) {
    this.all = addresses.map((address) => checksummed(address, chainId));
    this.#first = first === undefined ? (this.all.at(-1) ?? null) : checksummed(first, chainId);
  }

  /** The router for which payers authorize from now on; null: none is configured. */
  get newest(): string | null {
    return this.all[0] ?? null;
  }

  /** The router of a document. */
  of({ router }: OfRouter): string {
    const named = router ?? this.#first;
    if (named === null) throw new Error('no router is configured');
    return named;
  }

  /** The operator of this consent. */
  operatorFor(tenant: Tenant, consent: Consent): string {
    return operatorOf(this.of({ router: consent.router ?? undefined }), tenant, consent);
  }

  /** The allowance and the balance from which a charge takes. */
  allowanceOf(charge: ChargeDoc): AllowanceRead {
    const { token, from: wallet } = charge;
    return { token, wallet, operator: this.operatorFor(charge, consentOf(charge)) };
  }

  /** The same for all charges that draw on one allowance. */
  allowanceName(charge: ChargeDoc): string {
    const { token, wallet, operator } = this.allowanceOf(charge);
    return `${token}/${wallet}/${operator}`;
  }
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
