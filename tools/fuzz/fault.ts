/** The rules for every answer. */
export type Rule =
  | 'is answered'
  | 'is in time'
  | 'is a documented status'
  | 'is as documented'
  | 'is a proper answer'
  | 'has the right status for its key'
  | 'accepts only documented requests'
  | 'shows no data of others'
  | 'is kept as sent'
  | 'is read back as written'
  | 'changes no prototype'
  | 'causes no unhandled error'
  | 'does not harm the service'
  | 'changes no data of others'
  | 'stores no unexpected data';

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
