import {
  openTemporaryDevnet,
  type TemporaryDevnet,
  type TemporaryDevnetOptions,
} from '../../stage/temporary-devnet.ts';
import { afterEachFile } from '../runner/after.ts';

const running: TemporaryDevnet[] = [];

afterEachFile(async () => {
  for (const each of running.splice(0)) await each.stop();
});

/**
 * A supervisor of its own for the tests of one file, which stops at the end of the file at the latest; by default with
 * a database alone.
 */
export async function startTestDevnet(options: TemporaryDevnetOptions = {}): Promise<TemporaryDevnet> {
  const devnet = await openTemporaryDevnet({ savesEvm: false, ...options });
  running.push(devnet);
  return devnet;
}
