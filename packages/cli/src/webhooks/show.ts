import type { WebhookEvent } from 'tideline/client';
import { resourceOf } from '../../../../scripts/lib/resource-of.ts';
import { type Colors, printable } from '../../../../scripts/lib/terminal.ts';
import type { Forwarded } from './forward.ts';

const KIND_WIDTH = 22;
const RESOURCE_WIDTH = 31;

/** An event as one line for people: time, type, resource, the local server's answer and its duration. */
export function lineOf(event: WebhookEvent, forwarded: Forwarded | null, colors: Colors): string {
  const at = event.createdAt.slice(11, 23);
  const about = `${event.event.padEnd(KIND_WIDTH)} ${printable(resourceOf(event)).padEnd(RESOURCE_WIDTH)}`;
  const line = `${colors.dim(at)}  ${about}`;
  return forwarded === null ? line.trimEnd() : `${line} ${outcome(forwarded, colors)}`;
}

function outcome({ status, error, body, durationMs }: Forwarded, colors: Colors): string {
  const isGood = status !== null && status >= 200 && status < 300;
  const said = status === null ? printable(error ?? 'no answer') : String(status);
  const line = `${isGood ? colors.green(said) : colors.red(said)} ${colors.dim(`${durationMs} ms`)}`;
  return body === '' ? line : `${line} ${printable(body.replaceAll(/\s+/g, ' '))}`;
}
