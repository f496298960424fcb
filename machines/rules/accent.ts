/** Light or dark, as the system of the reader has it. */
export type Scheme = 'light' | 'dark';

/** The custom properties of `theme.css` that follow from an accent colour, as `#rrggbb`. */
export interface Accent {
  /** Links, the primary button, the focus ring. */
  readonly accent: string;
  /** The button under the pointer, and accented text on `accentSoft`. */
  readonly accentStrong: string;
  /** The background of a selected item. */
  readonly accentSoft: string;
  /** Text on the button. */
  readonly onAccent: string;
}

/** The least contrast of text (WCAG 2.2, 1.4.3). */
export const CONTRAST_MIN = 4.5;

type Rgb = readonly [red: number, green: number, blue: number];

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

interface Ground {
  /** The backgrounds of `theme.css` below links and buttons. */
  readonly grounds: readonly string[];
  /** Of these, the one of cards. */
  readonly surface: string;
  readonly toward: Rgb;
  readonly softShare: number;
}

/** The backgrounds of the pages. A test compares them with `theme.css`. */
export const GROUNDS: { readonly [S in Scheme]: Ground } = {
  light: {
    grounds: ['#f4f6f8', '#ffffff', '#eef2f5', '#e3f3e9', '#fdf1d8', '#fbe9e7'],
    surface: '#ffffff',
    toward: BLACK,
    softShare: 0.1,
  },
  dark: {
    grounds: ['#0e151b', '#16202a', '#1c2833', '#11301f', '#33270d', '#3a1917'],
    surface: '#16202a',
    toward: WHITE,
    softShare: 0.1,
  },
};

/**
 * The accent of a page for a colour `#rrggbb`: the colour itself, or the first mix of it with black (light) or white
 * (dark), in steps of a hundredth, that links and buttons need to be read. The same colour always gives the same
 * accent.
 */
export function accentOf(color: string, scheme: Scheme): Accent {
  const { grounds, surface, toward, softShare } = GROUNDS[scheme];
  const backs = grounds.map(rgbOf);
  const softOf = (accent: Rgb) => mixed(rgbOf(surface), accent, softShare);
  const isReadable = (accent: Rgb) =>
    [...backs, softOf(accent)].every((back) => contrast(accent, back) >= CONTRAST_MIN);
  const mixes = Array.from({ length: 100 }, (_, step) => mixed(rgbOf(color), toward, step / 100));
  const accent = mixes.find(isReadable) ?? toward;
  return {
    accent: hexOf(accent),
    accentStrong: hexOf(mixed(accent, toward, 0.25)),
    accentSoft: hexOf(softOf(accent)),
    onAccent: textOn(hexOf(accent)),
  };
}

/** Black or white: the one that is easier to read on the colour. */
export function textOn(color: string): '#000000' | '#ffffff' {
  const back = rgbOf(color);
  return contrast(back, BLACK) > contrast(back, WHITE) ? '#000000' : '#ffffff';
}

/** The contrast of two colours `#rrggbb` by WCAG 2.2: 1 to 21. */
export function contrastOf(one: string, other: string): number {
  return contrast(rgbOf(one), rgbOf(other));
}

function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Relative luminance by WCAG 2.2: 0 to 1. */
function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function linear(channel: number): number {
  const share = channel / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
}

/** In whole numbers, so that the checked color is the shown one. */
function mixed(color: Rgb, toward: Rgb, share: number): Rgb {
  const channel = (at: 0 | 1 | 2) => Math.round(color[at] + (toward[at] - color[at]) * share);
  return [channel(0), channel(1), channel(2)];
}

function rgbOf(color: string): Rgb {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

function hexOf([red, green, blue]: Rgb): string {
  return `#${((red << 16) | (green << 8) | blue).toString(16).padStart(6, '0')}`;
}
