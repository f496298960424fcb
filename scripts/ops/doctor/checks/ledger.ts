import { unknownCase } from '../../../../machines/unknown-case.ts';
import { type Finding, type Found, found, hasWorkers, note, type Patient, SHOWN, wrong } from '../finding.ts';

/** The recurring audit runs every five minutes, so an older one is late. */
const AUDIT_OLD_MS = 3_600_000;

/** The last findings of the recurring audit, and whether it still runs. */
export async function audit(patient: Patient): Promise<Found> {
  const { store, now, catalog } = patient;
  const audits = await store.records.find('audits', { where: {}, limit: 100 });
  const differing = audits.flatMap(({ _id, at, open }) =>
    open.map(({ kind, paymentId, txHash, what }) => {
      const todo =
        '`npm run ops -- audit` compares everything again; people must find out which key or database was misused';
      return wrong(paymentId ?? txHash ?? labelOf(catalog, _id), `${kind}: ${what}`, todo, at);
    }),
  );
  const old = audits.flatMap(({ _id, at }) => {
    if (at !== null && now.getTime() - at.getTime() < AUDIT_OLD_MS) return [];
    const todo = hasWorkers(patient)
      ? 'a worker runs but does not audit it: its log says why (`could not be audited`); meanwhile run `npm run ops -- audit`'
      : 'it continues when a worker runs; meanwhile run `npm run ops -- audit`';
    const report = hasWorkers(patient) ? wrong : note;
    const what = at === null ? 'no audit of it was ever completed' : 'was not audited within the last hour';
    return [report(labelOf(catalog, _id), what, todo, at)];
  });
  const count = audits.reduce((sum, { differences }) => sum + differences, 0);
  return found([...differing.slice(0, SHOWN), ...old], count + old.length);
}

function labelOf(catalog: Patient['catalog'], chainId: string): string {
  return catalog.chain(Number(chainId))?.label ?? `chain ${chainId}`;
}

/** Indexes that differ from their declarations. */
export async function indexes({ indexes: troubles }: Pick<Patient, 'indexes'>): Promise<Found> {
  return found(
    troubles.map(({ collection, index, kind, what }): Finding => {
      const about = `${collection}.${index}`;
      const drop = `\`db.${collection}.dropIndex("${index}")\``;
      switch (kind) {
        case 'missing':
          return wrong(about, what, 'every start creates it, and so did this command: run it again');
        case 'differs':
          return wrong(about, what, `${drop} in mongosh, then start a process of this version, which creates it again`);
        case 'unknown':
          return note(about, what, `${drop} once no process of another version runs`);
        default:
          return unknownCase(kind, 'kind');
      }
    }),
  );
}
