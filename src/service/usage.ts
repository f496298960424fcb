const USAGE = `npm start
  Run the service. It takes no arguments: environment variables configure it (docs/reference/environment.md). Without any, it runs
  with an embedded database and local chains, keeps its data in ./data, and listens on http://127.0.0.1:3000.
  At a terminal the log is for people; elsewhere each line is JSON. Ctrl-C stops it.
npm run dev
  The same; restarts when a source changes.

Exit codes: 0 stopped, 1 it cannot start or has lost a part, 2 the arguments are wrong.
`;

/** What to print instead of a start, and where. */
export interface Refusal {
  readonly text: string;
  readonly stream: 'stdout' | 'stderr';
  readonly exitCode: number;
}

/** The answer to a start with arguments: help if they ask for it, else a mistake. null: there are none. */
export function refusalOf(argv: readonly string[]): Refusal | null {
  if (argv.length === 0) return null;
  const isHelp = argv.includes('--help') || argv.includes('-h') || argv[0] === 'help';
  if (isHelp) return { text: USAGE, stream: 'stdout', exitCode: 0 };
  return { text: `${USAGE}\nUnexpected: ${argv.join(' ')}\n`, stream: 'stderr', exitCode: 2 };
}
