import type { Inspection } from '../../../src/staff/wire.ts';

/** The document, byte for byte as stored. */
export function SnapshotPanel({ seen }: { readonly seen: Inspection }) {
  return (
    <section class="card stack" aria-labelledby="snapshot">
      <h2 id="snapshot">Snapshot as stored</h2>
      <details>
        <summary>
          Revision {seen.rev} of <code>{seen.id}</code>
        </summary>
        <pre class="json" data-testid="stored">
          {JSON.stringify(seen.stored, null, 2)}
        </pre>
      </details>
    </section>
  );
}
