import { accentOf, GROUNDS, type Scheme } from '../../machines/rules/accent.ts';
import type { PageLanguage } from '../pages/language.ts';
import { escapeHtml } from '../pages/shell.ts';
import type { Content, Link } from './content.ts';

/** Who a letter is from, and the texts that every letter has. */
export interface Frame {
  readonly merchantName: string;
  readonly logoUrl: string | null;
  /** `#rrggbb`; null: the colour of the service. */
  readonly accentColor: string | null;
  /** In test mode, that no real money moves. */
  readonly banner: string | null;
  /** Below the content; a link is behind its text. */
  readonly notes: readonly { readonly text: string; readonly link: Link | null }[];
}

export interface Rendered {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Enough for a mail program to show, however long names are. */
const SUBJECT_MAX = 200;

/** The letter as text and as HTML with the same content. Pure. */
export function rendered(content: Content, frame: Frame, language: PageLanguage): Rendered {
  const test = frame.banner === null ? '' : `[${language.say('common.test_mode')}] `;
  const subject = [...`${test}${content.subject}`.replaceAll(/\s+/g, ' ')].slice(0, SUBJECT_MAX).join('');
  return { subject, text: textOf(content, frame), html: htmlOf(content, frame, language) };
}

function textOf({ subject, texts, facts, action }: Content, { merchantName, banner, notes }: Frame): string {
  const parts = [
    ...[merchantName, banner ?? '', subject, ...texts],
    facts.map(([name, value]) => `${name}: ${value}`).join('\n'),
    action === null ? '' : `${action.text}:\n${action.url}`,
    '-- ',
    ...notes.map(({ text, link }) =>
      [text, link?.text, link?.url].filter((each, at, all) => each && all.indexOf(each) === at).join('\n'),
    ),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** As in the theme of the pages. */
const INKS = {
  light: { accent: '#0b5f7a', text: '#16202b', soft: '#4f5d6b', line: '#d5dde4' },
  dark: { accent: '#62c3e2', text: '#e7edf2', soft: '#a3b2bf', line: '#2c3a47' },
} as const;

function colorsOf(accentColor: string | null, scheme: Scheme) {
  const { accent, onAccent } = accentOf(accentColor ?? INKS[scheme].accent, scheme);
  const { grounds, surface } = GROUNDS[scheme];
  return { ...INKS[scheme], ground: grounds[0] ?? surface, card: surface, accent, onAccent };
}

/** A word of 200 letters breaks rather than widening the letter. */
const WRAP = 'overflow-wrap:anywhere;word-break:break-word';
const FONT = "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";

/**
 * One column that fits a window of 320 pixels. Mail programs drop style sheets, so every element has its style; the
 * sheet only makes it dark. All texts are escaped.
 */
function htmlOf({ subject, texts, facts, action }: Content, frame: Frame, language: PageLanguage): string {
  const { logoUrl, accentColor, merchantName, banner, notes } = frame;
  const { ground, card, text, soft, line, accent, onAccent } = colorsOf(accentColor, 'light');
  const { tag, direction } = language;
  const p = (look: 'text' | 'soft', style: string, html: string) =>
    `<p class="${look}" style="margin:0 0 16px;line-height:1.5;color:${look === 'soft' ? soft : text};${style};${WRAP}">${html}</p>`;
  const link = ({ text: name, url }: Link) =>
    ` <a class="link" href="${escapeHtml(url)}" style="color:${accent}">${bdi(name)}</a>`;
  const logo =
    logoUrl === null
      ? ''
      : `<img src="${escapeHtml(logoUrl)}" alt="" height="40" style="height:40px;max-width:160px;border-radius:6px;background:#ffffff;vertical-align:middle"> `;
  const button =
    action &&
    `<a class="action" href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;border-radius:8px;background:${accent};color:${onAccent};font-weight:600;text-decoration:none;${WRAP}">${escapeHtml(action.text)}</a>`;
  const parts = [
    ...(banner === null ? [] : [p('soft', 'font-size:14px', escapeHtml(banner))]),
    `<h1 class="text" style="margin:0 0 16px;font-size:21px;line-height:1.3;color:${text};${WRAP}">${escapeHtml(subject)}</h1>`,
    ...texts.map((each) => p('text', 'font-size:16px', escapeHtml(each))),
    ...facts.map(
      ([name, value]) =>
        `<div class="line" style="padding:8px 0 0;border-top:1px solid ${line}">` +
        `${p('soft', 'margin:0;font-size:13px', escapeHtml(name))}${p('text', 'margin:0 0 8px;font-size:15px', directed(value))}</div>`,
    ),
    ...(button === null ? [] : [p('text', 'margin:24px 0 0;font-size:16px', button)]),
  ];
  return `<!doctype html>
<html lang="${tag}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(subject)}</title>
<style>${darkSheet(accentColor)}</style>
</head>
<body class="ground" dir="${direction}" style="margin:0;padding:16px 8px;background:${ground};${FONT}">
<div dir="${direction}" style="max-width:560px;margin:0 auto">
${p('text', 'padding:0 8px;font-size:16px;font-weight:600', `${logo}${bdi(merchantName)}`)}
<div class="card" style="padding:24px 20px;border-radius:12px;background:${card}">
${parts.join('\n')}
</div>
<div style="padding:16px 8px">
${notes.map((note) => p('soft', 'margin:0 0 8px;font-size:13px', `${escapeHtml(note.text)}${note.link === null ? '' : link(note.link)}`)).join('\n')}
</div>
</div>
</body>
</html>
`;
}

/** A sentence with an isolated name first has the direction of the letter; in `<bdi>` it would have the name's. */
function directed(value: string): string {
  return value.startsWith('\u2068') ? escapeHtml(value) : bdi(value);
}

function bdi(text: string): string {
  return `<bdi>${escapeHtml(text)}</bdi>`;
}

function darkSheet(accentColor: string | null): string {
  const { ground, card, text, soft, line, accent, onAccent } = colorsOf(accentColor, 'dark');
  return (
    ':root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){' +
    `.ground{background:${ground}!important}.card{background:${card}!important}.text{color:${text}!important}` +
    `.soft{color:${soft}!important}.line{border-color:${line}!important}.link{color:${accent}!important}` +
    `.action{background:${accent}!important;color:${onAccent}!important}}`
  );
}
