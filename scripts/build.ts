import { type CommandTable, runCommand } from './lib/commands.ts';
import { runNode } from './lib/run.ts';
import type { Script } from './lib/script.ts';

const TSC = 'node_modules/typescript-native/bin/tsc';

const COMMANDS: CommandTable = {
  all: { about: 'client, the types, dist and web; also without a command', load: async () => all },
  dist: {
    about: 'bundle the service and the commands of operators into dist/',
    load: async () => (await import('./build/dist.ts')).dist,
  },
  web: {
    about: 'build the pages into dist/web',
    load: async () => (await import('./build/web.ts')).web,
  },
  client: {
    about: 'generate the types of @tideline/client, which are not committed',
    load: async () => (await import('./build/client.ts')).client,
  },
  diagram: {
    about: 'draw the machines into docs/architecture.md',
    load: async () => (await import('./build/diagram.ts')).diagram,
  },
  pictures: { about: 'take the pictures of the documents in Chromium', load: async () => pictures },
};

const all: Script = {
  usage: `
npm run build
  Check the types, bundle the service and the commands of operators into dist/, and build the pages into dist/web.
`,
  main: async () => {
    const { client } = await import('./build/client.ts');
    const { dist } = await import('./build/dist.ts');
    const { web } = await import('./build/web.ts');
    return (
      (await client.main([])) ||
      (await runNode(TSC, '-p', 'tsconfig.build.json')) ||
      (await dist.main([])) ||
      (await web.main([]))
    );
  },
};

/** In a process of its own, because tools import scripts and not the other way round. */
const pictures: Script = {
  usage: `
npm run build -- pictures [--out FOLDER]
  Start a service with a local chain, open the pages in Chromium, and write the pictures of the documents.
    --out            the folder of the pictures (default: docs/pictures)
`,
  main: (argv) => runNode('--import', 'tsx', 'tools/screenshots.ts', ...argv),
};

const argv = process.argv.slice(2);
await runCommand('build', COMMANDS, argv.length === 0 ? ['all'] : argv);
