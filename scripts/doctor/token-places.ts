import { evmPlace, solanaPlace } from '../../src/service/chains.ts';
import { catalogOf, openLocalWorld } from '../../src/service/local-world.ts';
import type { Place } from '../lib/installation.ts';
import type { TokenPlace } from './tokens.ts';

/** The chains that the configuration reaches, each at its first node. */
export async function placesOf({ config, devnet }: Place): Promise<TokenPlace[]> {
  const world = await openLocalWorld(devnet);
  const catalog = catalogOf(world);
  return catalog.chains.flatMap((chain) => {
    const place = chain.family === 'evm' ? evmPlace({ world, config }, chain) : solanaPlace({ world, config }, chain);
    return place === null ? [] : [{ chain, rpcUrl: place.rpcUrls[0] }];
  });
}
