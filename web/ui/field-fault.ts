/** A wrong text. */
export interface Wrong {
  readonly text: string;
  /** It can still become right: it is shown once the field is left. */
  readonly isPartial: boolean;
}

const FAULT = /^([a-z]\w*(?:\.\w+|\[\d+\])*) ((?:must|is|cannot|repeats)\b.*)$/s;

/** What a message of the service reports about one field. */
export interface FieldFault {
  readonly name: string;
  readonly text: string;
}

/** The field that a message of the service names, and the rule in words. null: it names none. */
export function fieldFaultIn(message: string | null): FieldFault | null {
  const [, path, rule] = FAULT.exec(message ?? '') ?? [];
  if (path === undefined || rule === undefined) return null;
  const [, tier] = /\btiers\[(\d+)\]/.exec(path) ?? [];
  if (tier !== undefined) return { name: 'tiers', text: `Line ${Number(tier) + 1}: ${sentenceOf(rule)}` };
  const [, country] = /^taxRates\.(\w+)/.exec(path) ?? [];
  if (country !== undefined) return { name: 'taxRates', text: `${country}: ${sentenceOf(rule)}` };
  return { name: path.replace(/\[\d+\]$/, '').replace(/^.*[.\]]/, ''), text: sentenceOf(rule) };
}

/** Rules of the service as sentences for people. */
const SENTENCES: readonly (readonly [rule: RegExp, sentence: string])[] = [
  [/^is required/, 'This is missing.'],
  [/^must not be blank/, 'This is missing.'],
  [/^must be 1 to (\d+) characters long/, 'Enter 1 to $1 characters.'],
  [/^must be a decimal string from "(\d+)" to "(\d+)".*/s, 'Enter a number from $1 to $2, with at most 2 places.'],
  [/^must be a decimal string.*/s, 'Enter a number such as 9.90.'],
  [/^must be an integer between (\d+) and (\d+)/, 'Enter a whole number from $1 to $2.'],
  [/^must name at least one token/, 'Choose at least one token.'],
];

function sentenceOf(rule: string): string {
  const [known, sentence] = SENTENCES.find(([each]) => each.test(rule)) ?? [];
  const text = known === undefined ? rule : rule.replace(known, sentence ?? '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** A message of the service for people: without the path of a field. */
export function spoken(message: string): string {
  const found = fieldFaultIn(message);
  if (found === null) return message;
  const words = found.name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}: ${found.text.charAt(0).toLowerCase()}${found.text.slice(1)}`;
}
