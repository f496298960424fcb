import type { Tideline, WebhookEvent } from 'tideline/client';
import { print, ScriptError, scriptWith, UsageError } from '../../../../scripts/lib/script.ts';
import { terminalOn } from '../../../../scripts/lib/terminal.ts';
import { CREDENTIAL_OPTIONS, CREDENTIAL_USAGE, clientOf, credentials, explained } from '../credentials.ts';
import { isTriggerable, OPT_IN, recipeOf, TRIGGERABLE, type TriggerableEvent } from '../trigger/recipes.ts';
import { Shop } from '../trigger/shop.ts';
import { lineOf } from '../webhooks/show.ts';

const usage = `
tideline trigger EVENT
  Make an event happen in the sandbox, as in real life: with a customer, a subscription and a charge where it needs them.
  Other events come on the way. The service needs local chains.
    --json           the event as JSON on stdout
${CREDENTIAL_USAGE}

Events:
${TRIGGERABLE.map((event) => `    ${event}${OPT_IN.includes(event) ? ' (opt-in: PATCH /webhooks/endpoint {"extraEvents": true})' : ''}`).join('\n')}
Not here: subscription.migrated and .blocked need a payer or staff to act; payment.refund_reversed needs a reorganization.

Exit codes: 0 it has happened, 1 it has not, 2 the arguments are wrong.
`;

export const triggerCommand = scriptWith({
  usage,
  options: { ...CREDENTIAL_OPTIONS, json: { type: 'boolean' } },
  takes: 1,
  run: async (flags, [name]) => {
    if (name === undefined) throw new UsageError('Expected the EVENT');
    if (!isTriggerable(name)) throw new UsageError(`${name} is no event that can be triggered`);
    const profile = await credentials(flags, process.env);
    const event = await explained(triggered(name, new Shop(clientOf(profile), profile)));
    const { colors } = terminalOn(process.stdout, process.env['NO_COLOR']);
    print({ json: event, text: `${lineOf(event, null, colors)}  ${event.id}\n` }, flags.json);
    return 0;
  },
});

async function triggered(name: TriggerableEvent, shop: Shop): Promise<WebhookEvent> {
  const { client } = shop;
  if (OPT_IN.includes(name) && !(await client.webhooks.getEndpoint()).extraEvents) {
    throw new ScriptError(`${name} is an opt-in event: PATCH /webhooks/endpoint {"extraEvents": true} first`);
  }
  const before = new Set((await client.events.list({ event: name, limit: PAGE })).events.map(({ id }) => id));
  const resource = await recipeOf(name)(shop);
  return await awaited(client, name, ({ id, data }) => !before.has(id) && Object.values(data).includes(resource));
}

const PAGE = 20;
const WAIT_S = 25;
const PATIENCE_MS = 60_000;

/** The first event that matches; the call of the API waits for it. */
async function awaited(
  { events }: Tideline,
  event: TriggerableEvent,
  matches: (event: WebhookEvent) => boolean,
): Promise<WebhookEvent> {
  const began = performance.now();
  let known = 'none';
  while (performance.now() - began < PATIENCE_MS) {
    const page = (await events.list({ event, limit: PAGE, wait: WAIT_S, known })).events;
    const found = page.find(matches);
    if (found !== undefined) return found;
    known = page.map(({ id }) => id).join() || 'none';
  }
  throw new ScriptError(`${event} has not come within ${PATIENCE_MS / 1_000} s`);
}
