import type { Config } from '../config/config.ts';
import { knownKeysOf } from '../config/known-keys.ts';
import type { Log } from '../observability/log.ts';

/** Warns of secrets that are not where they should be. */
export function warnOfSecrets(config: Config, log: Log): void {
  warnOfUnneededSecrets(config, log);
  warnOfPlainSecrets(config, log);
  warnOfKnownKeys(config, log);
}

function warnOfPlainSecrets({ chains, encryption }: Config, log: Log): void {
  if (encryption !== null || chains.every(({ testnet }) => testnet)) return;
  log.warn(
    {},
    'without ENCRYPTION_KEY, signing secrets of webhooks are stored as they are, and encrypted ones cannot be opened: set it, then run migrate',
  );
}

function warnOfKnownKeys(config: Config, log: Log): void {
  if (config.chains.every(({ testnet }) => testnet)) return;
  for (const address of knownKeysOf(config)) {
    log.warn({ address }, `everybody has the key of ${address}, to take its money or to charge payers: use your own`);
  }
}

function warnOfUnneededSecrets({ unneededSecrets }: Config, log: Log): void {
  for (const variable of unneededSecrets) {
    log.warn(
      { variable },
      `${variable} is a secret that can spend, and this process only serves requests: remove it here, and set the public addresses instead`,
    );
  }
}
