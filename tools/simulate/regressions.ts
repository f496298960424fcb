/** Seeds that once led to a violation, and what it was. Each is run again by `npm test`. */
export const REGRESSIONS: readonly { readonly seed: number; readonly was: string }[] = [
  {
    seed: 1_000_503,
    was: 'a merchant gave up after 60 attempts, at 55 of which no process ran',
  },
  {
    seed: 1_000_830,
    was: "one of two merchants sold out, and its payer searched for a unit every hour of the other one's weeks",
  },
  {
    seed: 1_003_834,
    was: 'what a dead process had sent arrived when the same call had been refused elsewhere: the offer was sold out meanwhile',
  },
  {
    seed: 1_009_366,
    was: 'a sound run of two merchants with six payers, three workers and 165 crashes had too many moments',
  },
  {
    seed: 1_014_994,
    was: 'a refusal was told and not noted, the next attempt was made, and the first one waited for ever for a sender',
  },
];
