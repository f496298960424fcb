import { type CommandTable, runCommand } from './lib/commands.ts';

const COMMANDS: CommandTable = {
  doctor: {
    about: 'list everything that is stuck, and the remedy; release and restore documents',
    load: async () => (await import('./ops/doctor.ts')).doctor,
  },
  merchant: {
    about: 'make a merchant at a running service, or invite a person to one',
    load: async () => (await import('./ops/merchant.ts')).merchant,
  },
  staff: { about: 'administer staff tokens', load: async () => (await import('./ops/staff.ts')).staff },
  migrate: {
    about: 'prepare the database for this version, before its processes start',
    load: async () => (await import('./ops/migrate.ts')).migrate,
  },
  shards: {
    about: 'print the commands that shard the database, for mongosh',
    load: async () => (await import('./ops/shards.ts')).shards,
  },
  replay: {
    about: 'replay journals, and compare the result with the stored state',
    load: async () => (await import('./ops/replay.ts')).replay,
  },
  archive: {
    about: 'move old rows of the log and old webhook events into a folder',
    load: async () => (await import('./ops/archive.ts')).archive,
  },
  'restore-archive': {
    about: 'store again what `archive` has moved into a folder',
    load: async () => (await import('./ops/archive.ts')).restoreArchive,
  },
  audit: {
    about: 'compare the ledger with the chains in both directions',
    load: async () => (await import('./ops/audit.ts')).audit,
  },
  contracts: {
    about: 'compile, check and deploy the contracts; pause a router, remove a sender, and so on',
    load: async () => (await import('./ops/contracts.ts')).contracts,
  },
  addresses: {
    about: "print the public addresses of a worker's keys, for processes that only serve requests",
    load: async () => (await import('./ops/addresses.ts')).addresses,
  },
  roles: {
    about: "print commands for mongosh that make the database's roles and users",
    load: async () => (await import('./ops/roles.ts')).roles,
  },
};

await runCommand('ops', COMMANDS, process.argv.slice(2));
