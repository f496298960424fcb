/**
 * Ends what was started, the latest first, and takes it off the list: each of it, also where another one does not end. What has
 * failed.
 */
export async function endAll(stops: (() => Promise<unknown>)[]): Promise<PromiseRejectedResult[]> {
  const failed: PromiseRejectedResult[] = [];
  for (const stop of stops.splice(0).reverse()) {
    const [ended] = await Promise.allSettled([stop()]);
    if (ended.status === 'rejected') failed.push(ended);
  }
  return failed;
}
