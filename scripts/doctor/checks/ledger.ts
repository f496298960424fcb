import { type Finding, type Found, found, hasWorkers, type Patient, SHOWN } from '../finding.ts';

/** The recurring audit checks every five minutes. */
const AUDIT_OLD_MS = 3_600_000;

/** The last findings of the recurring audit, and whether the audit still runs. */
export async function audit(patient: Patient): Promise<Found> {
  const { store, now, catalog } = patient;
  const audits = await store.records.find('audits', { where: {}, limit: 100 });
  const differing = audits.flatMap(({ _id, at, open }) =>
    open.map(({ kind, paymentId, txHash, what }): Finding => {
      return {
        severity: 'wrong',
        about: paymentId ?? txHash ?? labelOf(catalog, _id),
        what: `${kind}: ${what}`,
        since: at?.toISOString() ?? null,
        todo: '`npm run audit` compares all of it again; whose key or database was changed has to be found out by people',
      };
    }),
  );
  const old = audits.flatMap(({ _id, at }): Finding[] => {
    if (at !== null && now.getTime() - at.getTime() < AUDIT_OLD_MS) return [];
    const todo = hasWorkers(patient)
      ? 'a worker runs and does not come to it: why is in its log (`could not be audited`); meanwhile `npm run audit`'
      : 'it goes on with the first worker that runs; meanwhile `npm run audit`';
    const severity = hasWorkers(patient) ? 'wrong' : 'note';
    const what = at === null ? 'has never been audited to its end' : 'was not audited within the last hour';
    return [{ severity, about: labelOf(catalog, _id), what, since: at?.toISOString() ?? null, todo }];
  });
  const count = audits.reduce((sum, { differences }) => sum + differences, 0);
  return found([...differing.slice(0, SHOWN), ...old], count + old.length);
}

function labelOf(catalog: Patient['catalog'], chainId: string): string {
  return catalog.chain(Number(chainId))?.label ?? `chain ${chainId}`;
}

/** Indexes that are not as declared. */
export async function indexes({ indexes: troubles }: Pick<Patient, 'indexes'>): Promise<Found> {
  return found(
    troubles.map(({ collection, index, kind, what }): Finding => {
      const about = `${collection}.${index}`;
      switch (kind) {
        case 'missing':
          return {
            severity: 'wrong',
            about,
            what,
            since: null,
            todo: 'it is made by every start, and by this one: ask again',
          };
        case 'differs': {
          const todo = `\`db.${collection}.dropIndex("${index}")\` in mongosh, then start a process of this version, which makes it anew`;
          return { severity: 'wrong', about, what, since: null, todo };
        }
        case 'unknown': {
          const todo = `\`db.${collection}.dropIndex("${index}")\` once no process of another version runs`;
          return { severity: 'note', about, what, since: null, todo };
        }
        default: {
          const never: never = kind;
          throw new Error(`unknown kind ${String(never)}`);
        }
      }
    }),
  );
}
