import { type CommandTable, runCommand } from '../scripts/lib/commands.ts';

const COMMANDS: CommandTable = {
  simulate: {
    about: 'days of merchants in which everything fails, by a seed',
    load: async () => (await import('./simulate.ts')).simulate,
  },
  crash: {
    about: 'kill real processes under load, and check the outcome',
    load: async () => (await import('./crashtest.ts')).crashtest,
  },
  elections: {
    about: "elections of the database's primary, under load",
    load: async () => (await import('./crashtest.ts')).elections,
  },
  fuzz: {
    about: 'requests that the description of the API allows, and worse',
    load: async () => (await import('./fuzz.ts')).fuzz,
  },
  bench: {
    about: 'measure the product beside a baseline',
    load: async () => (await import('./bench.ts')).bench,
  },
  contracts: {
    about: 'prove the contracts, by Foundry, a solver and Slither',
    load: async () => (await import('./contracts.ts')).contracts,
  },
  mutants: {
    about: 'test the tests by deliberate bugs',
    load: async () => (await import('./mutants.ts')).mutants,
  },
  all: {
    about: 'everything at its full size, but for the benchmarks: hours',
    load: async () => (await import('./prove/all.ts')).all,
  },
};

/** Tests that these commands run are not the small ones of a push (`test/support/proof-size.ts`). */
process.env['TIDELINE_PROOF'] = 'full';

await runCommand('prove', COMMANDS, process.argv.slice(2));
