import { messageOf } from '../src/errors/message-of.ts';
import { Supervision } from './supervision.ts';
import { readSupervisorArguments } from './supervisor-process.ts';

/**
 * The supervisor's process. A service starts it detached, with its output in `DATA_DIR/supervisor.log`, and it outlives
 * that service. It exits with 0 after a normal end or if another supervisor was first, otherwise with 1.
 */
async function main(): Promise<number> {
  const log = (message: string) => console.log(`${new Date().toISOString()} [${process.pid}] ${message}`);
  const asked = readSupervisorArguments(process.argv.slice(2));
  const { folder, version } = asked;
  const supervision = await Supervision.begin({ ...asked, log });
  if (!supervision) return 0;
  log(`The supervisor of version ${version} has started on ${folder.path}`);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => void supervision.end(0, `The supervisor was ended by ${signal}`));
  }
  return supervision.ended;
}

main().then(
  (exitCode) => process.exit(exitCode),
  (error: unknown) => {
    console.error(messageOf(error));
    process.exit(1);
  },
);
