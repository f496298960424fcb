import type { ComponentChildren } from 'preact';

/** There before there is anything to say: what comes into it or changes in it is announced, which a new region's content is not. */
export function StatusRegion({ children }: { readonly children?: ComponentChildren }) {
  return (
    <div class="status-region stack" role="status">
      {children}
    </div>
  );
}
