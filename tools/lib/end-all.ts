/**
 * Stops everything on the list, the latest first, and empties the list. A failure does not keep the others from
 * stopping. Returns the failures.
 */
export async function endAll(stops: (() => Promise<unknown>)[]): Promise<PromiseRejectedResult[]> {
  const failed: PromiseRejectedResult[] = [];
  for (const stop of stops.splice(0).reverse()) {
    const [ended] = await Promise.allSettled([stop()]);
    if (ended.status === 'rejected') failed.push(ended);
  }
  return failed;
}
