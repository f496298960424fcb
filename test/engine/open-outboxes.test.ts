import { OpenOutboxes } from '../../src/engine/open-outboxes.ts';

describe('open outboxes', () => {
  it('are over with the last of their effects', () => {
    const open = new OpenOutboxes();
    open.add('op_1', ['a', 'b']);

    expect(open.ended('b')).toEqual([]);
    expect(open.ended('a')).toEqual(['op_1']);
    expect(open.ended('a')).toEqual([]);
  });

  it('share an effect that a later commit stored again', () => {
    const open = new OpenOutboxes();
    open.add('op_1', ['a']);
    open.add('op_2', ['a', 'b']);

    expect(open.ended('a')).toEqual(['op_1']);
    expect(open.ended('b')).toEqual(['op_2']);
  });

  it('are not over if they were left to the relay job, and the others that have their effects are', () => {
    const open = new OpenOutboxes();
    open.add('op_1', ['a', 'b']);
    open.add('op_2', ['b']);
    open.leave('op_1');

    expect(open.ended('a')).toEqual([]);
    expect(open.ended('b')).toEqual(['op_2']);
  });

  it('do not open without effects', () => {
    const open = new OpenOutboxes();
    open.add('op_1', []);
    open.add('op_1', ['a']);

    expect(open.ended('a')).toEqual(['op_1']);
  });
});
