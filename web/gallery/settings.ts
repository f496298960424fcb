import type { Scheme } from '../ui/accent.ts';

/** How the gallery shows the components. It is the query of the frame's address. */
export interface Settings {
  readonly scheme: Scheme | 'system';
  readonly direction: 'ltr' | 'rtl';
  /** Of the text, in percent. */
  readonly text: '100' | '200';
}

export const USUAL: Settings = { scheme: 'system', direction: 'ltr', text: '100' };

export function settingsIn(query: URLSearchParams): Settings {
  const scheme = query.get('scheme');
  return {
    scheme: scheme === 'light' || scheme === 'dark' ? scheme : 'system',
    direction: query.get('direction') === 'rtl' ? 'rtl' : 'ltr',
    text: query.get('text') === '200' ? '200' : '100',
  };
}

/** The address of the specimens, without the switches. */
export function frameUrl(settings: Settings): string {
  return `?${new URLSearchParams({ frame: '', ...settings })}`;
}

export function apply({ scheme, direction, text }: Settings): void {
  const root = document.documentElement;
  root.dir = direction;
  root.style.fontSize = `${text}%`;
  if (scheme === 'system') return;
  root.style.colorScheme = scheme;
  for (const sheet of document.styleSheets) force(sheet.cssRules, scheme);
}

/** Makes the rules for a scheme of the system apply always, or never. */
function force(rules: CSSRuleList, scheme: Scheme): void {
  for (const rule of rules) {
    if (!(rule instanceof CSSMediaRule)) continue;
    const [, wanted] = /prefers-color-scheme: *(light|dark)/.exec(rule.media.mediaText) ?? [];
    if (wanted !== undefined) rule.media.mediaText = wanted === scheme ? 'all' : 'not all';
  }
}
