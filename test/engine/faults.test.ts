import { faultHook } from '../../devnet/faults.ts';
import { parseFaultPlans } from '../../src/engine/faults.ts';

describe('FAULTS', () => {
  it('names points, details, arrivals and actions', () => {
    expect(parseFaultPlans('commit.after/charge.open@2=kill, relay.ack.after=delay')).toEqual([
      { point: 'commit.after', detail: 'charge.open', hit: 2, action: 'kill' },
      { point: 'relay.ack.after', detail: null, hit: 1, action: 'delay' },
    ]);
  });

  it.each([
    'commit.sometime=kill',
    'commit.after',
    'commit.after=stop',
    'commit.after@x=kill',
    '',
    'commit.after=kill,',
  ])('refuses "%s", and names the part', (text) => {
    expect(() => parseFaultPlans(text)).toThrow(/FAULTS: ".*" is not point/);
  });

  it('are carried out at their arrival only', async () => {
    const reached: string[] = [];
    const listener = { reached: (point: string) => void reached.push(point), carriesOut: () => {} };
    const hook = faultHook(parseFaultPlans('commit.after/cycle.due@2=throw'), listener);
    await hook('commit.after', 'cycle.due');
    await hook('commit.after', 'charge.settled');
    await hook('commit.before', 'cycle.due');
    await expect(hook('commit.after', 'cycle.due')).rejects.toThrow('fault injected at commit.after');
    await hook('commit.after', 'cycle.due');
    expect(reached).toEqual(['commit.after', 'commit.after', 'commit.before', 'commit.after', 'commit.after']);
  });
});
