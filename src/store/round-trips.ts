/** Counts the calls that go to the database. The memory form counts those that MongoDB would have been asked. */
export class RoundTrips {
  #total = 0;

  add(calls = 1): void {
    this.#total += calls;
  }

  get total(): number {
    return this.#total;
  }
}
