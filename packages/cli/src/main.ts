import { readFile } from 'node:fs/promises';
import { runScript, type Script, UsageError } from '../../../scripts/lib/script.ts';

const usage = `
tideline COMMAND
    login            keep a test key and its service as a profile
    logout           forget a profile
    webhooks listen  show sandbox events as they happen, and forward them to a server on this machine
    trigger EVENT    make an event happen in the sandbox
    sandbox advance  move the clock of a sandbox subscription
    verify-proof     check a proof of charge against any node of its chain
    verify-bundle    check the bundle of a month for an auditor, offline

tideline COMMAND --help describes a command. --version prints the version.
Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;

/** Each is loaded only when it is called: verifying proofs needs much that the others do not. */
const COMMANDS: { readonly [name: string]: () => Promise<Script> } = {
  login: async () => (await import('./commands/login.ts')).loginCommand,
  logout: async () => (await import('./commands/login.ts')).logoutCommand,
  webhooks: async () => (await import('./commands/webhooks.ts')).webhooksCommand,
  trigger: async () => (await import('./commands/trigger.ts')).triggerCommand,
  sandbox: async () => (await import('./commands/sandbox.ts')).sandboxCommand,
  'verify-proof': async () => (await import('./commands/verify-proof.ts')).verifyProofCommand,
  'verify-bundle': async () => (await import('./commands/verify-bundle.ts')).verifyBundleCommand,
};

const [name = '', ...rest] = process.argv.slice(2);
const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.() : undefined;
if (command) await runScript(command, rest);
else await runScript({ usage, main: withoutCommand }, process.argv.slice(2));

async function withoutCommand([first]: readonly string[]): Promise<number> {
  if (first === undefined) throw new UsageError('A command is missing');
  if (first !== '--version') throw new UsageError(`There is no command ${first}`);
  const manifest: { readonly version: string } = JSON.parse(
    await readFile(new URL('../package.json', import.meta.url), 'utf8'),
  );
  process.stdout.write(`${manifest.version}\n`);
  return 0;
}
