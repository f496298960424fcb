import { useLoad } from '../dashboard-api.ts';
import type { Chain, Currencies } from '../merchant-api.ts';
import type { Mode } from '../route.ts';

/** The chains and tokens that can be charged in this environment; empty until they are loaded. */
export function useChains(mode: Mode): readonly Chain[] {
  const path = `/${mode}/currencies${mode === 'test' ? '?includeTestnets=true' : ''}` as const;
  return useLoad<Currencies>(path).value?.chains ?? [];
}
