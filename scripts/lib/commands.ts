import { runScript, type Script, UsageError } from './script.ts';

/** One command of several behind one npm script. It is loaded when it is called, because some load for seconds. */
interface CommandEntry {
  readonly about: string;
  readonly load: () => Promise<Script>;
}

export type CommandTable = Readonly<Record<string, CommandEntry>>;

/**
 * Runs the command that the first argument names, with the other arguments. Without arguments it prints the list of
 * commands. An unknown name is refused with that list, and exit code 2.
 *
 * @param npmScript such as `ops`
 */
export async function runCommand(npmScript: string, commands: CommandTable, argv: readonly string[]): Promise<void> {
  const [name = '--help', ...rest] = argv;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command) return runScript(await command.load(), rest);
  const usage = usageOf(npmScript, commands);
  const main = () => Promise.reject(new UsageError(`There is no command ${name}`));
  return runScript({ usage, main }, [name]);
}

function usageOf(npmScript: string, commands: CommandTable): string {
  const lines = Object.entries(commands).map(([name, { about }]) => `    ${name.padEnd(12)} ${about}`);
  return `
npm run ${npmScript} -- COMMAND
${lines.join('\n')}

npm run ${npmScript} -- COMMAND --help describes a command.
Exit codes: 0 done, 1 not done, 2 the arguments are wrong.
`;
}
