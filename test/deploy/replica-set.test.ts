import { runInNewContext } from 'node:vm';
import { read } from '../support/repository.ts';

/** What a member of the replica set knows, and what the script did to it. */
interface Member {
  isInitiated: boolean;
  /** Names of users by database. */
  readonly users: Set<string>;
  readonly done: unknown[];
}

/**
 * Runs deploy/init-replica-set.js with the parts of mongosh that it uses. They answer as a member with a key file does:
 * it lets nobody act who has not signed in, except that the first user is made without.
 */
function initiate(member: Member): void {
  const session = { isSignedIn: false };
  const databaseOf = (mayAct: () => boolean) => (name: string) => ({
    getUser: (user: string) => (member.users.has(`${name}.${user}`) ? { user } : null),
    auth: (user: string, password: string) => {
      if (!member.users.has(`${name}.${user}`))
        throw Object.assign(new Error('no'), { codeName: 'AuthenticationFailed' });
      member.done.push(['auth', user, password]);
      session.isSignedIn = true;
    },
    createUser: (user: { user: string }) => {
      if (!mayAct()) throw Object.assign(new Error('no'), { codeName: 'Unauthorized' });
      member.users.add(`${name}.${user.user}`);
      member.done.push(['createUser', name, user]);
    },
  });
  const local = databaseOf(() => session.isSignedIn || member.users.size === 0);
  const hello = () =>
    member.isInitiated ? { setName: 'tideline', primary: 'mongo-1:27017', isWritablePrimary: true } : {};
  const context = {
    db: { hello, getSiblingDB: local },
    rs: {
      initiate: (config: unknown) => {
        member.isInitiated = true;
        member.done.push(['initiate', config]);
      },
    },
    Mongo: class {
      getDB: ReturnType<typeof databaseOf>;
      constructor(uri: string) {
        member.done.push(['connect', uri]);
        this.getDB = databaseOf(() => true);
      }
    },
    require: () => ({ readFileSync: (path: string) => `of ${path.replace('/run/secrets/', '')}\n` }),
    sleep: () => undefined,
    print: () => undefined,
    quit: (code: number) => {
      throw new Error(`the script ends with ${code}`);
    },
  };
  runInNewContext(read('deploy/init-replica-set.js'), context);
}

const hosts = ['mongo-1:27017', 'mongo-2:27017', 'mongo-3:27017'];
const connected = ['connect', `mongodb://admin:of%20mongo-admin-password@${hosts}/admin?replicaSet=tideline`];

describe('deploy/init-replica-set.js', () => {
  it('makes one replica set, its administrator, and a user who can use one database', () => {
    const member: Member = { isInitiated: false, users: new Set(), done: [] };
    initiate(member);
    const members = hosts.map((host, _id) => ({ _id, host, priority: _id === 0 ? 2 : 1 }));
    const admin = { user: 'admin', pwd: 'of mongo-admin-password', roles: ['root'] };
    const roles = [{ role: 'readWrite', db: 'tideline' }];
    expect(member.done).toEqual([
      ['initiate', { _id: 'tideline', members }],
      ['createUser', 'admin', admin],
      connected,
      ['createUser', 'tideline', { user: 'tideline', pwd: 'of mongo-password', roles }],
    ]);
  });

  it('changes nothing at a second start', () => {
    const member: Member = { isInitiated: true, users: new Set(['admin.admin', 'tideline.tideline']), done: [] };
    initiate(member);
    expect(member.done).toEqual([['auth', 'admin', 'of mongo-admin-password'], connected]);
  });

  it('goes on where an earlier start broke off', () => {
    const member: Member = { isInitiated: true, users: new Set(['admin.admin']), done: [] };
    initiate(member);
    expect(member.users).toEqual(new Set(['admin.admin', 'tideline.tideline']));
  });
});
