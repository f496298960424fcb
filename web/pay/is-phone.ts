/** A browser that is used by touch: a phone or a tablet, where wallets are apps and not extensions. */
export function isPhone(): boolean {
  return matchMedia('(pointer: coarse)').matches;
}
