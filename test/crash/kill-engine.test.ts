import { describeKills } from './kills.ts';

describeKills([
  'commit.before/charge.open',
  'commit.after/charge.open',
  'relay.effect.before/charge.open',
  'relay.effect.after/charge.open',
  'commit.before/allowance.watch',
  'commit.after/allowance.watch',
  'relay.effect.before/subscription.tell',
  'relay.effect.after/subscription.tell',
  'relay.ack.after/subscription',
]);
