import { z } from 'zod';
import { NodeUnreachable, type RpcAnswer, type RpcCall } from '../../../src/chains/rpc.ts';
import type { Answer } from '../evm/transport.ts';

const inContext = z.looseObject({ context: z.looseObject({ slot: z.number() }), value: z.unknown() });
const inSlots = z.array(z.looseObject({ slot: z.number() }).nullable());
const epoch = z.looseObject({ absoluteSlot: z.number(), blockHeight: z.number() });

const options = z.looseObject({ minContextSlot: z.number() });

/**
 * The answers of a node that is `slots` slots behind. It does not know later transactions, and refuses requests for a
 * later state. It shows the current accounts, because a request goes to one of many nodes.
 */
export function behind(answer: Answer, slots: number, slotNow: () => number): Answer {
  return async (call) => {
    const last = slotNow() - slots;
    const least = options.safeParse(call.params.at(-1)).data?.minContextSlot ?? 0;
    if (least > last) return { ok: false, error: tooEarly(call) };
    const answered = await answer(call);
    return answered.ok ? { ok: true, result: asOf(call, answered.result, last, slots) } : answered;
  };
}

/** The error that `JsonRpc` makes when a node has not reached the requested slot. */
function tooEarly({ method }: RpcCall): NodeUnreachable {
  return new NodeUnreachable(`${method}: Minimum context slot has not been reached`, true);
}

type Result = Extract<RpcAnswer, { ok: true }>['result'];

function asOf({ method, params: [first] }: RpcCall, result: unknown, last: number, slots: number): Result {
  switch (method) {
    case 'getSignatureStatuses': {
      const { context, value } = inContext.parse(result);
      const statuses = inSlots.parse(value).map((status) => (status !== null && status.slot <= last ? status : null));
      return { context: { ...context, slot: context.slot - slots }, value: statuses };
    }
    case 'getSignaturesForAddress':
      return inSlots.parse(result).filter((each) => each !== null && each.slot <= last);
    case 'getEpochInfo': {
      const { absoluteSlot, blockHeight, ...others } = epoch.parse(result);
      return { ...others, absoluteSlot: absoluteSlot - slots, blockHeight: blockHeight - slots };
    }
    case 'getSlot':
      return z.number().parse(result) - slots;
    case 'getBlock':
      return z.number().parse(first) <= last ? result : null;
    case 'getTransaction': {
      const found = z.looseObject({ slot: z.number() }).nullable().parse(result);
      return found !== null && found.slot <= last ? found : null;
    }
    default:
      return result;
  }
}
