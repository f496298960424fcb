import { type Devnet, joinDevnet } from '../../devnet/join.ts';
import { commandOf, SUPERVISOR } from '../../scripts/lib/build.ts';
import { packageVersion } from '../../src/package/version.ts';
import { afterEachFile, temporaryFolder } from '../runner/after.ts';

/** A separate supervisor on a temporary folder, for the tests of one file. */
export interface TestDevnet {
  /** For the `mongodb` driver; empty without `mongo`. */
  mongoUri: string;
  /** For `ethers`; empty without `evm`. */
  rpcUrl: string;
  dataDir: string;
  devnet: Devnet;
  /** Stops everything. Called at the end of the test file at the latest. */
  stop(): Promise<void>;
}

const supervisor = commandOf(SUPERVISOR);
const running = new Set<TestDevnet>();

// If the whole worker dies, the supervisor notices and ends after `LINGER_MS`.
afterEachFile(async () => {
  for (const each of running) await each.stop();
});

const LINGER_MS = 1000;

/** Starts the requested parts; by default the embedded MongoDB and the local EVM chain, on a free port. */
export async function startTestDevnet({ mongo = true, evm = true } = {}): Promise<TestDevnet> {
  const dataDir = await temporaryFolder();
  const how = { evmPort: 0, lingerMs: LINGER_MS, savesEvm: false, supervisor, log: () => undefined };
  const devnet = await joinDevnet({ dataDir, version: 'test', want: { mongo, evm }, ...how });
  const started: TestDevnet = {
    mongoUri: devnet.mongo?.uri ?? '',
    rpcUrl: devnet.evm?.rpcUrl ?? '',
    dataDir,
    devnet,
    async stop() {
      if (!running.delete(started)) return;
      await devnet.leave({ graceful: true });
    },
  };
  running.add(started);
  return started;
}

/** Keeps the devnets of a data folder running while services come and go. */
export async function keepDevnet(dataDir: string): Promise<Devnet> {
  const log = () => undefined;
  const want = { mongo: true, evm: true };
  return joinDevnet({ dataDir, version: packageVersion(), want, evmPort: 0, supervisor, log });
}
