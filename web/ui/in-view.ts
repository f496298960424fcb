/** A `ref` for the present one of links or tabs in a row: a row that is too wide shows it. The page itself stays. */
export function inView(element: HTMLElement | null): void {
  const row = element?.parentElement;
  if (!element || !row) return;
  const middle = element.offsetLeft - row.offsetLeft - (row.clientWidth - element.offsetWidth) / 2;
  row.scrollTo({ left: middle });
}
