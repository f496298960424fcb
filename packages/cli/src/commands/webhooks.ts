import type { Environment } from '../../../../scripts/lib/running-service.ts';
import type { Script } from '../../../../scripts/lib/script.ts';
import { listenForSignals } from '../../../../scripts/lib/signals.ts';
import { terminalOn } from '../../../../scripts/lib/terminal.ts';
import { CREDENTIAL_USAGE } from '../credentials.ts';
import { type Audience, listen } from '../webhooks/listen.ts';
import { type ListenOptions, readListenArguments } from '../webhooks/options.ts';
import { lineOf } from '../webhooks/show.ts';

const usage = `
tideline webhooks listen [--forward URL]
  Show a merchant's sandbox events as they happen, and post each to a server on this machine. It needs no public URL, and
  changes nothing at the service. Each event is sent once, without retries, in the order of its resource's sequence.
    --forward        where to post them, such as http://127.0.0.1:4000/webhooks (default: they are only shown)
    --secret         the secret to sign them with, such as the one of rotate (default: the listener's own, printed
                     at the start, and always the same for the same key)
    --json           each event as a line of JSON: {"event", "forward": {"status", "error", "body", "durationMs"}}
${CREDENTIAL_USAGE}

Stop it with Ctrl-C. Exit codes: 0 stopped, 1 failed, 2 the arguments are wrong.
`;

async function main(argv: readonly string[], environment: Environment): Promise<number> {
  const options = await readListenArguments(argv, environment);
  const { signal } = listenForSignals();
  await listen({ ...options, signal }, audienceOf(options, environment));
  return 0;
}

/** Events go to stdout; everything else goes to stderr. */
function audienceOf(options: ListenOptions, environment: Environment): Audience {
  const { url, forwardTo, secret, isOwnSecret, isJson } = options;
  const noColor = environment['NO_COLOR'];
  const { colors } = terminalOn(process.stdout, noColor);
  const people = terminalOn(process.stderr, noColor);
  return {
    ready: () => {
      people.line(`Listening for the sandbox events of this key at ${url}${forwardTo ? `, for ${forwardTo}` : ''}`);
      if (forwardTo && isOwnSecret) people.line(`Signed with ${secret}`);
    },
    event: (event, forwarded) => {
      const line = isJson ? JSON.stringify({ event, forward: forwarded }) : lineOf(event, forwarded, colors);
      process.stdout.write(`${line}\n`);
    },
    trouble: (what) => people.line(people.colors.yellow(what)),
    recovered: () => people.line('Listening again'),
  };
}

export const webhooksCommand: Script = { usage, main: (argv) => main(argv, process.env) };
