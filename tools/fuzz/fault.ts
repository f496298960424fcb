/** The rules for every answer. */
export type Rule =
  | 'is answered'
  | 'is in time'
  | 'is a documented status'
  | 'is as documented'
  | 'is a proper answer'
  | 'has the status that the key gives'
  | 'takes only what the document allows'
  | 'shows nothing of others'
  | 'is kept as sent'
  | 'reads as written'
  | 'leaves prototypes alone'
  | 'leaves nothing unhandled'
  | 'leaves the service well'
  | 'leaves what others have alone'
  | 'stores only what was made';

/** One violation of a rule. */
export interface Fault {
  readonly rule: Rule;
  readonly what: string;
}

export function fault(rule: Rule, what: string): Fault {
  return { rule, what };
}

export function faultText({ rule, what }: Fault): string {
  return `«${rule}»: ${what}`;
}
