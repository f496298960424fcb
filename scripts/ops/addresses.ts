import { Wallet } from 'ethers';
import { rootOfSeed } from '../../src/chains/solana/key-root.ts';
import { keyFromSecret } from '../../src/chains/solana/keys.ts';
import type { Config } from '../../src/config/config.ts';
import { configOf } from '../lib/installation.ts';
import { ScriptError, scriptWith } from '../lib/script.ts';

const usage = `
npm run ops -- addresses
  Print the public addresses of the keys in the environment, as the variables that a process with TIDELINE_ROLE=api needs instead
  of the keys. Run it with the environment of a worker.

Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

export const addresses = scriptWith({
  usage,
  options: {},
  run: async () => {
    const lines = linesOf(configOf({ ...process.env, TIDELINE_ROLE: 'worker' }));
    if (lines.length === 0) throw new ScriptError('No key is configured here: expected the environment of a worker');
    process.stdout.write(`${lines.join('\n')}\n`);
    return 0;
  },
});

function linesOf(config: Config): string[] {
  const { senderKeysEvm, senderAddressesEvm, senderKeysSolana, senderAddressesSolana, operatorSeed } = config;
  const evm = [...senderKeysEvm.map((key) => new Wallet(key).address), ...senderAddressesEvm].join(',');
  const solana = [...senderKeysSolana.map((key) => keyFromSecret(key).address), ...senderAddressesSolana].join(',');
  const operator = operatorSeed === null ? '' : Buffer.from(rootOfSeed(operatorSeed).publicKey).toString('hex');
  const variables = { SENDER_ADDRESSES_EVM: evm, SENDER_ADDRESSES_SOLANA: solana, OPERATOR_PUBLIC_KEY: operator };
  return Object.entries(variables).flatMap(([name, value]) => (value === '' ? [] : [`${name}=${value}`]));
}
