import pc from 'picocolors';
import pino from 'pino';
import { compactLines } from '../../src/observability/compact-lines.ts';

function logged(write: (log: pino.Logger) => void, colored = false): string {
  let text = '';
  const output = { write: (line: string) => (text += line) };
  const options = {
    level: 'debug',
    base: null,
    timestamp: () => ',"time":"2030-01-02T03:04:05.678Z"',
    formatters: { level: (level: string) => ({ level }) },
  };
  write(pino(options, compactLines(output, pc.createColors(colored))));
  return text;
}

describe('the log at a terminal', () => {
  it('is one line for each entry: time, message, fields', () => {
    const text = logged((log) => {
      log.info({ ms: 12, route: '/offers', id: null, said: 'two words', tokens: ['a'] }, 'answered');
      log.info({}, 'stopping');
    });
    expect(text).toBe(
      '03:04:05.678 answered ms=12 route=/offers said="two words" tokens=["a"]\n03:04:05.678 stopping\n',
    );
  });

  it('names the level unless it is info, and the stack only of errors', () => {
    const error = new Error('no gas');
    error.stack = 'Error: no gas\n    at sender.ts:1';
    const text = logged((log) => {
      log.debug({}, 'woken');
      log.warn({ err: error, chainId: 1 }, 'not sent');
      log.error({ err: error }, 'not sent');
    });
    expect(text).toBe(
      [
        '03:04:05.678 debug woken',
        '03:04:05.678 warn not sent: no gas chainId=1',
        '03:04:05.678 error not sent: no gas',
        'Error: no gas',
        '    at sender.ts:1',
        '',
      ].join('\n'),
    );
  });

  it('lets no value start a line or an escape sequence of its own', () => {
    const text = logged((log) => log.info({ name: 'a\n\u001b[2J' }, 'made'));
    expect(text).toBe('03:04:05.678 made name="a\\n\\u001b[2J"\n');
  });

  it('has colors if it may', () => {
    expect(logged((log) => log.warn({}, 'late'), true)).toContain('\u001b[33mwarn\u001b[39m');
  });

  it('passes other lines on unchanged', () => {
    let text = '';
    compactLines({ write: (line: string) => (text += line) }, pc.createColors(false)).write('no JSON\n');
    expect(text).toBe('no JSON\n');
  });
});
