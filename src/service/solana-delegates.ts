import type { CatalogChain } from '../chains/catalog.ts';
import type { Delegates } from '../chains/solana/delegates.ts';
import type { KeyRoot } from '../chains/solana/key-root.ts';
import { type Config, ConfigError } from '../config/config.ts';
import { messageOf } from '../errors/message-of.ts';
import type { LocalWorld } from './local-world.ts';
import type { SolanaCode } from './solana-code.ts';

/** Null: this installation has no such chain, or no operators on it. */
export interface SolanaDelegates {
  readonly local: Delegates | null;
  readonly configured: Delegates | null;
}

export interface SolanaDelegatesDeps {
  readonly config: Pick<Config, 'role' | 'operatorSeed' | 'operatorPublicKey'>;
  readonly world: Pick<LocalWorld, 'solana'>;
  /** Null: there is no Solana chain. */
  readonly solana: SolanaCode | null;
}

/** The delegates of both kinds of Solana chains. Throws a ConfigError if `OPERATOR_PUBLIC_KEY` is no key. */
export function openSolanaDelegates({ config, solana, world }: SolanaDelegatesDeps): SolanaDelegates {
  if (!solana) return { local: null, configured: null };
  const open = (root: KeyRoot | null) => (root === null ? null : new solana.Delegates(root));
  const local = world.solana && localRoot(solana, config, world.solana.operatorSeed);
  return { local: open(local), configured: open(configuredRoot(solana, config)) };
}

export function delegatesOn(
  { local, configured }: SolanaDelegates,
  chain: Pick<CatalogChain, 'local'>,
): Delegates | null {
  return chain.local ? local : configured;
}

/** The seed of a local chain is public. Even so, a process that only serves requests uses no secret. */
function localRoot(solana: SolanaCode, { role }: Pick<Config, 'role'>, seed: Uint8Array): KeyRoot {
  const root = solana.rootOfSeed(seed);
  return role === 'api' ? solana.rootOfPublicKey(root.publicKey) : root;
}

function configuredRoot(solana: SolanaCode, { operatorSeed, operatorPublicKey }: SolanaDelegatesDeps['config']) {
  if (operatorSeed !== null) return solana.rootOfSeed(operatorSeed);
  return operatorPublicKey && publicRoot(solana, operatorPublicKey);
}

function publicRoot(solana: SolanaCode, publicKey: Uint8Array): KeyRoot {
  try {
    return solana.rootOfPublicKey(publicKey);
  } catch (error) {
    throw new ConfigError([`OPERATOR_PUBLIC_KEY is no public key: ${messageOf(error)}`]);
  }
}
