import { execFile, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { temporaryFolder } from '../runner/after.ts';
import { pathOf, read } from '../support/repository.ts';

const run = promisify(execFile);
const DEPLOY = pathOf('deploy');

/** Jest's `describe`, or one that skips, if a program is not on this machine. It comes with a package of Debian. */
function describeWith(program: string, from: string): typeof describe | typeof describe.skip {
  if (spawnSync(program, ['--version']).status === 0) return describe;
  process.stderr.write(`\nSKIPPED: ${program}: not here (apt-get install ${from})\n\n`);
  return describe.skip;
}

const folder = await temporaryFolder();

/** The files for Prometheus, judged by its own tool. */
describeWith('promtool', 'prometheus')('promtool', () => {
  it.each([
    ['finds nothing wrong with the rules', ['check', 'rules', 'alerts.yml'], /SUCCESS: \d+ rules found/],
    ['sees the alerts that follow from series', ['test', 'rules', 'alerts.test.yml'], /SUCCESS/],
    ['finds nothing wrong with the configuration', ['check', 'config', '--syntax-only', 'prometheus.yml'], /SUCCESS/],
  ])('%s', async (_, args, said) => {
    const { stdout } = await run('promtool', args, { cwd: DEPLOY });
    expect(stdout).toMatch(said);
  });

  it('can read every expression of the dashboard', async () => {
    const dashboard = z.object({
      panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })).optional() })),
    });
    const text = read('deploy/grafana/dashboards/tideline.json');
    const expressions = dashboard.parse(JSON.parse(text)).panels.flatMap(({ targets }) => targets ?? []);
    // Grafana replaces its variables before Prometheus sees them.
    const rules = expressions.map(({ expr }, index) => ({
      record: `drawn:${index}`,
      expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$chain_id', '.*'),
    }));
    const file = join(folder, 'dashboard.yml');
    // JSON is YAML.
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    const { stdout } = await run('promtool', ['check', 'rules', file]);
    expect(stdout).toContain(`SUCCESS: ${expressions.length} rules found`);
  });
});

describeWith('amtool', 'prometheus-alertmanager')('amtool', () => {
  it('finds nothing wrong with the configuration of Alertmanager', async () => {
    const text = read('deploy/alertmanager.yml');
    const file = join(folder, 'alertmanager.yml');
    // That of Debian 12 is older than `url_file`.
    await writeFile(file, text.replaceAll(/url_file: .*/g, 'url: http://127.0.0.1/'));
    const { stdout } = await run('amtool', ['check-config', file]);
    expect(stdout).toMatch(/SUCCESS[\s\S]*2 receivers/);
  });
});
