import { type Devnet, type JoinOptions, joinDevnet } from '../../devnet/join.ts';
import { resetFolder } from '../../devnet/reset.ts';
import { packageVersion } from '../../src/package/version.ts';

type Own = Omit<JoinOptions, 'version' | 'evmPort' | 'log'>;

/** Keeps the devnets of a data folder running until `stops` are called, which then empty the folder. */
export async function keptDevnet(stops: (() => Promise<unknown>)[], own: Own): Promise<Devnet> {
  const common = { version: packageVersion(), evmPort: 0, log: () => undefined };
  const devnet = await joinDevnet({ ...common, ...own });
  stops.push(async () => {
    await devnet.leave({ graceful: true });
    await resetFolder(own.dataDir);
  });
  return devnet;
}
