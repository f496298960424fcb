import type { ComponentChildren } from 'preact';

/** It exists before its content: browsers announce changes in an existing region, but not the content of a new one. */
export function StatusRegion({ children }: { readonly children?: ComponentChildren }) {
  return (
    <div class="status-region stack" role="status">
      {children}
    </div>
  );
}
