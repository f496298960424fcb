import type { Sandbox } from '../billing/services.ts';
import { advanceTo } from './advance.ts';
import { chargeNow, type SandboxDeps } from './charge.ts';

export function createSandbox(deps: SandboxDeps): Sandbox {
  return {
    charge: (tenant, subscriptionId) => chargeNow(deps, tenant, subscriptionId),
    advance: (tenant, input) => advanceTo(deps, tenant, input),
  };
}
