import { GROUNDS, type Scheme, textOn } from '../../ui/accent.ts';
import { accentProperties } from '../../ui/use-accent.ts';

/** The accent of `theme.css`. */
const OWN: { readonly [S in Scheme]: string } = { light: '#0b5f7a', dark: '#62c3e2' };

export interface BrandingPreviewProps {
  /** null: none. */
  readonly logoUrl: string | null;
  /** null: that of the service. */
  readonly accentColor: string | null;
}

/** How payers see it, in light and in dark. */
export function BrandingPreview({ logoUrl, accentColor }: BrandingPreviewProps) {
  return (
    <div class="branding-previews">
      {(['light', 'dark'] as const).map((scheme) => {
        const { surface } = GROUNDS[scheme];
        const colours = { background: surface, color: textOn(surface) };
        return (
          <figure key={scheme} class="stack-tight" data-preview={scheme}>
            <figcaption class="small">On a {scheme} screen</figcaption>
            <div
              class="branding-preview"
              style={{ ...colours, ...accentProperties(accentColor ?? OWN[scheme], scheme) }}
            >
              {logoUrl !== null && <img class="logo" src={logoUrl} alt="Your logo" />}
              <span class="button button-primary">Pay</span>
              <span class="link">A link</span>
            </div>
          </figure>
        );
      })}
    </div>
  );
}
