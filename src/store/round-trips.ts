/** Counts the calls to the database. The memory form counts the calls that the MongoDB form would make. */
export class RoundTrips {
  #total = 0;

  add(calls = 1): void {
    this.#total += calls;
  }

  get total(): number {
    return this.#total;
  }
}
