/** Shown until the first data arrives. */
export function Loading() {
  return (
    <main class="page row" aria-busy="true">
      <h1 class="visually-hidden">One moment</h1>
      <span class="spinner" aria-hidden="true" />
      <span class="soft">One moment…</span>
    </main>
  );
}
