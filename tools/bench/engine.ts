import { MACHINES } from '../../machines/versions.ts';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { type Domain, Engine } from '../../src/engine/engine.ts';
import { noFaults } from '../../src/engine/faults.ts';
import { oneIn } from '../../src/engine/step.ts';
import type { EffectHandler, EffectHandlers, EffectItem } from '../../src/engine/types.ts';
import type { Log } from '../../src/observability/log.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { Store } from '../../src/store/port.ts';
import { Workers } from '../../src/store/workers.ts';
import { forEveryEffect } from '../../stage/effect-handlers.ts';

const other: EffectHandler<EffectItem['effect']> = async ([item]) => {
  throw new Error(`${item?.effect.type} is not carried out here`);
};

/** What an engine of a benchmark does. Absent: all opt-in events are admitted, nothing falls due, no effect is met. */
export interface BenchDomain extends Partial<Omit<Domain, 'handlers'>> {
  readonly handlers?: Partial<EffectHandlers>;
}

export interface EngineParts {
  readonly store: Store;
  readonly clock: () => Date;
  readonly log: Log;
  readonly workers: Workers;
}

/** Store and engine as a service composes them, and what `domainOf` makes for the engine. */
export async function openEngine<D extends BenchDomain>(
  { uri, dbName, log = silentLog }: { readonly uri: string; readonly dbName: string; readonly log?: Log },
  domainOf: (engine: Engine, parts: EngineParts) => D,
): Promise<{ readonly store: Store; readonly engine: Engine; readonly workers: Workers; readonly domain: D }> {
  const clock = () => new Date();
  const store = await openMongoStore({ uri, dbName, log });
  const built: { domain?: D } = {};
  const workers = new Workers({ records: store.records, log });
  const parts = { store, clock, log, isChecked: oneIn(), workers };
  const engine = new Engine({ ...parts, fault: noFaults, machines: MACHINES, dispatchesDue: true }, (made) => {
    const domain = domainOf(made, parts);
    built.domain = domain;
    const handlers = { ...forEveryEffect(other), ...domain.handlers };
    return { admits: () => true, dueEvents: async () => [], ...domain, handlers };
  });
  if (!built.domain) throw new Error('the engine did not ask for its domain');
  return { store, engine, workers, domain: built.domain };
}
