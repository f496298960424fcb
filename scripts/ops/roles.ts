import { type DatabaseRole, privilegesOf } from '../../src/store/roles.ts';
import { scriptWith } from '../lib/script.ts';

const usage = `
npm run ops -- roles
  Print commands for mongosh, for an administrator of the database: they make the roles tideline-serving, tideline-worker and
  tideline-operator as this version needs them, and a user of the same name for each, whose password mongosh asks for. Run them
  again after an upgrade: roles are changed, and users stay. A process with TIDELINE_ROLE=api takes the first user, every other
  process the second, npm run ops the third.
    MONGODB_DB   the database (default: tideline)

Exit codes: 0 done, 2 the arguments are wrong.
`;

export const roles = scriptWith({
  usage,
  options: {},
  run: async () => {
    process.stdout.write(`${commandsFor(process.env['MONGODB_DB'] || 'tideline').join('\n')}\n`);
    return 0;
  },
});

function commandsFor(db: string): string[] {
  const of = (role: DatabaseRole) => ({ privileges: privilegesOf(role, db), roles: [] });
  const operator = { privileges: [], roles: ['readWrite', 'dbAdmin'].map((role) => ({ role, db })) };
  const made = { serving: of('serving'), worker: of('worker'), operator };
  return [
    `db = db.getSiblingDB(${JSON.stringify(db)})`,
    ...Object.entries(made).flatMap(([role, body]) => {
      const name = JSON.stringify(`tideline-${role}`);
      const { privileges, roles } = body;
      return [
        `if (db.getRole(${name}) === null) db.createRole({ role: ${name}, privileges: [], roles: [] })`,
        `db.updateRole(${name}, ${JSON.stringify({ privileges, roles })})`,
        `if (db.getUser(${name}) === null) db.createUser({ user: ${name}, pwd: passwordPrompt(), roles: [${name}] })`,
      ];
    }),
  ];
}
