import { deliveryContext } from '../../../machines/delivery/context.ts';
import { paymentContext } from '../../../machines/payment/context.ts';
import { subscriptionContext } from '../../../machines/subscription/context.ts';
import { unknownCase } from '../../../machines/unknown-case.ts';
import type { MachineVersion } from '../../../machines/versions.ts';
import { activePath, type Candidate, candidatesFor, statesTaking } from '../../engine/candidates.ts';
import { isSameState } from '../../engine/canonical.ts';
import { actorTime } from '../../engine/projection.ts';
import { type StoredState, step } from '../../engine/step.ts';
import type { ActorDoc } from '../../store/documents.ts';
import type { EventVerdict } from '../wire.ts';
import { refusalOf } from './guards.ts';
import { deliverySamples, paymentSamples, type Sample, subscriptionSamples } from './samples.ts';

type AnySample = Sample<{ readonly type: string }>;

/** Every possible event at a real moment, with the reaction of the actor's machine; no event is sent. */
export function verdictsOn(version: MachineVersion, doc: ActorDoc, real: Date): EventVerdict[] {
  const now = actorTime(real, doc.clockOffsetMs);
  return Object.values(samplesOf(doc, now))
    .flat()
    .map((sample) => verdictOn(version, doc, sample, now));
}

function samplesOf({ kind, context }: ActorDoc, now: string): { readonly [type: string]: readonly AnySample[] } {
  switch (kind) {
    case 'subscription':
      return subscriptionSamples(subscriptionContext.parse(context), now);
    case 'payment':
      return paymentSamples(paymentContext.parse(context), now);
    case 'delivery':
      return deliverySamples(deliveryContext.parse(context).attempt, now);
    default:
      return unknownCase(kind, 'kind');
  }
}

function verdictOn(
  version: MachineVersion,
  doc: ActorDoc,
  { by, assuming, event }: AnySample,
  now: string,
): EventVerdict {
  const about = { type: event.type, by, assuming: assuming ?? null };
  const reported = version.event.parse({ ...event, now });
  const stepped = step(version, doc, reported, null);
  if (stepped.taken !== true)
    return { ...about, verdict: 'refuses', to: null, effects: [], ...whyNot(version, doc, reported) };
  const isChange = stepped.effects.length > 0 || !isSameState(stepped.state, doc);
  return {
    ...about,
    verdict: isChange ? 'changes' : 'acknowledges',
    to: isChange ? (activePath(version.machine, stepped.state.value)[0]?.id ?? null) : null,
    effects: stepped.effects.map((effect) => (effect.type === 'webhook.emit' ? effect.event : effect.type)),
    why: null,
    refusedBy: [],
  };
}

function whyNot(
  version: MachineVersion,
  stored: StoredState,
  event: { readonly type: string; readonly now: string },
): Pick<EventVerdict, 'why' | 'refusedBy'> {
  const candidates = candidatesFor(version, stored, event);
  if (candidates.length > 0) return { why: whyOf(candidates), refusedBy: refusersOf(candidates) };
  const here = activePath(version.machine, stored.value)[0]?.id ?? version.machine.id;
  const taking = statesTaking(version.machine, event.type);
  const where = taking.length === 0 ? 'no state does' : `these states do: ${taking.join(', ')}`;
  return { why: `The state ${here} does not accept it; ${where}`, refusedBy: [] };
}

/** The obstacles of each transition, without repetitions. */
function whyOf(candidates: readonly Candidate[]): string {
  const each = candidates.map(({ guards }) =>
    guards
      .filter(({ isFulfilled }) => !isFulfilled)
      .map(refusalOf)
      .join(' and '),
  );
  const text = [...new Set(each)].join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function refusersOf(candidates: readonly Candidate[]): string[] {
  const refusing = candidates.flatMap(({ guards }) => guards.filter(({ isFulfilled }) => !isFulfilled));
  return [...new Set(refusing.map(({ name, isNegated }) => (isNegated ? `not ${name}` : name)))];
}
