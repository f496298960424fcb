import { runInNewContext } from 'node:vm';
import { type Document, MongoClient, MongoServerError } from 'mongodb';
import { silentLog } from '../../scripts/lib/silent-log.ts';
import { COLLECTION_RULES } from '../../src/store/collection-rules.ts';
import { RECORD_INDEXES } from '../../src/store/indexes.ts';
import { openMemoryStore } from '../../src/store/memory/store.ts';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { CollectionName } from '../../src/store/port.ts';
import { type DatabaseRole, excessOf, privilegesOf, restricted } from '../../src/store/roles.ts';
import { runOps } from '../scripts/support/run-script.ts';
import { startTestDevnet } from '../support/devnet.ts';

const ROLES: readonly DatabaseRole[] = ['serving', 'worker'];
const OPERATIONS = ['insert', 'update', 'remove'] as const;
const PASSWORD = 'of-every-user';

/** Every write that the table allows a role, or refuses it, as `update transactions`. */
function writes(role: DatabaseRole, isAllowed: boolean): string[] {
  return Object.entries(COLLECTION_RULES).flatMap(([collection, rights]) =>
    OPERATIONS.filter((each) => rights[role].includes(each) === isAllowed).map((each) => `${each} ${collection}`),
  );
}

const isRecord = (name: string): name is CollectionName => name in RECORD_INDEXES;

/** The commands that mongosh would send for what `npm run ops -- roles` prints. */
async function commandsFor(dbName: string): Promise<Document[]> {
  const { stdout } = await runOps('roles', [], { MONGODB_DB: dbName });
  const sent: Document[] = [];
  const database = {
    getSiblingDB: (name: string) => ({ ...database, name }),
    getRole: () => null,
    getUser: () => null,
    createRole: ({ role, ...rest }: Document) => sent.push({ createRole: role, ...rest }),
    updateRole: (role: string, rest: Document) => sent.push({ updateRole: role, ...rest }),
    createUser: ({ user, ...rest }: Document) => sent.push({ createUser: user, ...rest }),
  };
  runInNewContext(stdout, { db: database, passwordPrompt: () => PASSWORD });
  return sent;
}

describe('a role of the database', () => {
  it('keeps what moves money from a process that only serves', () => {
    const moves = ['charges', 'transactions', 'announcements', 'lanes', 'chainCursors', 'audits', 'foundCharges'];
    const forbidden = moves.flatMap((each) => OPERATIONS.map((operation) => `${operation} ${each}`));
    expect(writes('serving', false)).toEqual(expect.arrayContaining(forbidden));
  });

  it.each(ROLES)('of a %s: the store refuses what the table does', async (role) => {
    const own = restricted(openMemoryStore().records, role);
    const tries = (of: CollectionName) => [
      () => own.insert(of, []),
      () => own.change(of, 'none', {}, { set: { a: 1 } }),
      () => own.changeMany(of, []),
      () => own.changeAlike(of, ['none'], {}, { set: { a: 1 } }),
      () => own.remove(of, []),
    ];
    const named = Object.keys(COLLECTION_RULES).filter(isRecord);
    const answers = await Promise.all(named.flatMap(tries).map((call) => call().then(String, String)));
    const refused = answers.flatMap(
      (answer) => /has no (\w+) on (\w+): see src/.exec(answer)?.slice(1).join(' ') ?? [],
    );
    const expected = writes(role, false).filter((each) => isRecord(each.split(' ')[1] ?? ''));
    expect([...new Set(refused)].toSorted()).toEqual(expected.toSorted());
  });

  it('has no more than its own privileges, and a user who may do more is noticed', () => {
    expect(excessOf('serving', 'tideline', privilegesOf('serving', 'tideline'))).toEqual([]);
    const readWrite = { resource: { db: 'tideline', collection: '' }, actions: ['find', ...OPERATIONS] };
    const more = excessOf('serving', 'tideline', [readWrite]);
    expect(more).toEqual(expect.arrayContaining(writes('serving', false)));
    expect(excessOf('serving', 'tideline', [{ ...readWrite, resource: { db: 'other', collection: '' } }])).toEqual([]);
    const any = { resource: { anyResource: true }, actions: ['createIndex'] };
    expect(excessOf('worker', 'tideline', [any])).toContain('createIndex transactions');
  });

  it('is printed for mongosh with its privileges, and with a user', async () => {
    const commands = await commandsFor('tideline');
    for (const role of ROLES) {
      const name = `tideline-${role}`;
      const { privileges } = commands.find(({ updateRole }) => updateRole === name) ?? {};
      expect(privileges).toEqual(privilegesOf(role, 'tideline'));
      expect(commands).toContainEqual({ createUser: name, pwd: PASSWORD, roles: [name] });
    }
  });

  it('says nothing about a database without users', async () => {
    const { mongoUri: uri } = await startTestDevnet();
    const store = await openMongoStore({ uri, dbName: 'roles', log: silentLog, role: 'serving' });
    const excess = store.excess('serving').finally(() => store.close());
    expect(await excess).toBeNull();
  });
});

const uri = process.env['MONGODB_URI'] ?? '';
if (uri === '')
  process.stderr.write('\nSKIPPED: roles on a real mongod: MONGODB_URI names no administrator of one\n\n');

(uri === '' ? describe.skip : describe)('a mongod with access control', () => {
  const dbName = 'tideline_roles';
  const clients: MongoClient[] = [];
  const asUser = (user: string) => {
    const client = new MongoClient(uri, { auth: { username: user, password: PASSWORD }, authSource: dbName });
    clients.push(client);
    return client.db(dbName);
  };

  beforeAll(async () => {
    const admin = new MongoClient(uri);
    clients.push(admin);
    const db = admin.db(dbName);
    await db.dropDatabase();
    for (const clear of ['dropAllUsersFromDatabase', 'dropAllRolesFromDatabase']) await db.command({ [clear]: 1 });
    await (await openMongoStore({ uri, dbName, log: silentLog })).close();
    for (const command of await commandsFor(dbName)) await db.command(command);
  });
  afterAll(() => Promise.all(clients.map((client) => client.close())));

  it.each(ROLES)('lets a %s do what the table allows, and nothing else', async (role) => {
    const db = asUser(`tideline-${role}`);
    const refused: string[] = [];
    for (const collection of Object.keys(COLLECTION_RULES)) {
      const rows = db.collection<{ _id: string }>(collection);
      await rows.findOne();
      const tries = {
        insert: () => rows.insertOne({ _id: role }),
        update: () => rows.updateOne({ _id: 'none' }, { $set: { a: 1 } }),
        remove: () => rows.deleteOne({ _id: 'none' }),
      };
      for (const operation of OPERATIONS) {
        const code = await tries[operation]().then(
          () => 0,
          (error: unknown) => (error instanceof MongoServerError ? error.code : error),
        );
        if (code !== 0) refused.push(`${operation} ${collection}${code === 13 ? '' : ` failed with ${code}`}`);
      }
    }
    expect(refused.toSorted()).toEqual(writes(role, false).toSorted());
    const own = new URL(uri);
    Object.assign(own, { username: `tideline-${role}`, password: PASSWORD });
    own.searchParams.set('authSource', dbName);
    const store = await openMongoStore({ uri: own.href, dbName, log: silentLog, role });
    expect(await store.excess(role)).toEqual([]);
    await store.close();
  });
});
