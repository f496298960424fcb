import { listenForSignals } from './demo/signals.ts';
import type { Environment } from './lib/running-service.ts';
import { runScript } from './lib/script.ts';
import { terminalOn } from './lib/terminal.ts';
import { type Audience, listen } from './webhooks/listen.ts';
import { type ListenOptions, readListenArguments } from './webhooks/options.ts';
import { jsonLineOf, lineOf } from './webhooks/show.ts';

const usage = `
npm run webhooks -- listen --key KEY [--forward URL]
  Show a merchant's sandbox events as they happen, and post each to a server on this machine. It needs no public URL, and
  changes nothing at the service. Each event is sent once, without retries, in the order of its resource's sequence.
    --key            a test key
    --forward        where to post them, such as http://127.0.0.1:4000/webhooks (default: they are only shown)
    --secret         the secret to sign them with, such as the one of rotate (default: the listener's own, printed
                     at the start, and always the same for the same key)
    --url            the service (default http://127.0.0.1:PORT; PORT is 3000 by default)
    --json           each event as a line of JSON: {"event", "forward": {"status", "error", "durationMs"}}

Stop it with Ctrl-C. Exit codes: 0 stopped, 1 failed, 2 the arguments are wrong.
`;

async function main(argv: readonly string[], environment: Environment): Promise<number> {
  const options = readListenArguments(argv, environment);
  const { signal } = listenForSignals();
  await listen({ ...options, signal }, audienceOf(options, environment));
  return 0;
}

/** Events go to stdout; everything else goes to stderr. */
function audienceOf(
  { url, forwardTo, secret, isOwnSecret, isJson }: ListenOptions,
  environment: Environment,
): Audience {
  const noColor = environment['NO_COLOR'];
  const { colors } = terminalOn(process.stdout, noColor);
  const people = terminalOn(process.stderr, noColor);
  return {
    ready: () => {
      people.line(`Listening for the sandbox events of this key at ${url}${forwardTo ? `, for ${forwardTo}` : ''}`);
      if (forwardTo && isOwnSecret) people.line(`Signed with ${secret}`);
    },
    event: (event, forwarded) => {
      const line = isJson ? jsonLineOf(event, forwarded) : lineOf(event, forwarded, colors);
      process.stdout.write(`${line}\n`);
    },
    trouble: (what) => people.line(people.colors.yellow(what)),
    recovered: () => people.line('Listening again'),
  };
}

await runScript({ usage, main: (argv) => main(argv, process.env) }, process.argv.slice(2));
