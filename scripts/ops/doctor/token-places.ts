import { evmConnection, solanaConnection } from '../../../src/service/chains.ts';
import { catalogOf, NO_LOCAL_WORLD } from '../../../src/service/local-world.ts';
import type { Deployment } from '../../lib/installation.ts';
import type { TokenSource } from './tokens.ts';

/** The configured chains, each with its first node. */
export async function placesOf({ config, parts }: Deployment): Promise<TokenSource[]> {
  const world = (await parts?.openWorld()) ?? NO_LOCAL_WORLD;
  const catalog = catalogOf(world);
  return catalog.chains.flatMap((chain) => {
    const place =
      chain.family === 'evm' ? evmConnection({ world, config }, chain) : solanaConnection({ world, config }, chain);
    return place === null ? [] : [{ chain, rpcUrl: place.rpcUrls[0] }];
  });
}
