import { describeKills } from './kills.ts';

describeKills([
  'commit.before/charge.request',
  'commit.after/charge.request',
  'relay.effect.before/charge.request',
  'relay.effect.after/charge.request',
  'sender.started.after',
  'sender.stored.before',
  'sender.stored.after',
  'sender.broadcast.after',
  'reconciler.told.before/mined',
  'reconciler.told.after/mined',
  'reconciler.told.before/final',
  'reconciler.told.after/final',
]);
