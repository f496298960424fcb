import { DELIVERY } from '../../../machines/delivery.ts';
import { MACHINES, type MachineVersion } from '../../../machines/versions.ts';
import type { EventDoc } from '../../store/collections.ts';
import type { ActorDoc } from '../../store/documents.ts';
import { deliveryIdOf, machineStateOf } from '../../webhooks/deliveries.ts';
import type { Inspection } from '../wire.ts';

/** Whatever has a machine: an actor, or the delivery of an event. */
export interface Inspected extends Omit<ActorDoc, 'kind' | 'attributes' | 'machineVersion' | 'wakeAt' | StoreField> {
  readonly kind: Inspection['kind'];
}

type StoreField = 'wakeRev' | 'outboxId' | 'eventSeq' | 'partition';

/** The newest version of a machine. */
export function machineOf(kind: Inspected['kind']): MachineVersion {
  return kind === 'delivery' ? DELIVERY : MACHINES[kind].current;
}

export function inspectedDelivery(event: EventDoc): Inspected {
  const { _id, merchantId, mode, status, rev, quarantine, createdAt, updatedAt } = event;
  const about = { merchantId, mode, status, rev, quarantine, createdAt, updatedAt };
  return { _id: deliveryIdOf(_id), kind: 'delivery', ...about, ...machineStateOf(event), clockOffsetMs: 0 };
}
