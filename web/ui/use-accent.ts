import { useLayoutEffect } from 'preact/hooks';
import { accentOf, type Scheme } from '../../machines/rules/accent.ts';

/** The custom properties of an accent, for an element's `style`. */
export function accentProperties(color: string, scheme: Scheme): { readonly [property: `--${string}`]: string } {
  const { accent, accentStrong, accentSoft, onAccent } = accentOf(color, scheme);
  return {
    '--accent': accent,
    '--accent-strong': accentStrong,
    '--accent-soft': accentSoft,
    '--on-accent': onAccent,
  };
}

/**
 * Gives the page an accent colour `#rrggbb`, in light and dark as the system changes; null: that of the service. It is
 * set before the content that comes with it is painted, and by script, because the policy of the page allows no style
 * in its HTML.
 */
export function useAccent(color: string | null): void {
  useLayoutEffect(() => {
    if (color === null) return;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const { style } = document.documentElement;
    const update = () => {
      const properties = accentProperties(color, dark.matches ? 'dark' : 'light');
      for (const [name, value] of Object.entries(properties)) style.setProperty(name, value);
    };
    update();
    dark.addEventListener('change', update);
    return () => {
      dark.removeEventListener('change', update);
      for (const name of Object.keys(accentProperties(color, 'light'))) style.removeProperty(name);
    };
  }, [color]);
}
