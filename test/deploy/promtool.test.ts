import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const DEPLOY = fileURLToPath(new URL('../../deploy', import.meta.url));
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool) process.stderr.write('\nSKIPPED: promtool: not here (apt-get install prometheus)\n\n');

/** The files for Prometheus, judged by its own tool. */
(hasPromtool ? describe : describe.skip)('promtool', () => {
  it.each([
    ['finds nothing wrong with the rules', ['check', 'rules', 'alerts.yml'], /SUCCESS: \d+ rules found/],
    ['sees the alerts that follow from series', ['test', 'rules', 'alerts.test.yml'], /SUCCESS/],
    ['finds nothing wrong with the configuration', ['check', 'config', '--syntax-only', 'prometheus.yml'], /SUCCESS/],
  ])('%s', async (_, args, said) => {
    const { stdout } = await promisify(execFile)('promtool', args, { cwd: DEPLOY });
    expect(stdout).toMatch(said);
  });
});
