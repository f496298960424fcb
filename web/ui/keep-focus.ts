/** Where a step begins: its heading, or the control that is marked so. */
const STEP = 'h1, h2, h3, [data-step]';

/**
 * Where what had the focus is gone from the page, the focus goes to where the step begins that has come in its place, instead of
 * to the body: to that of the nearest part of the page that is left. A page on which nobody has had the focus is let alone.
 */
export function keepFocus(root: HTMLElement): void {
  let path: readonly Element[] = [];
  document.addEventListener('focusin', ({ target }) => {
    path = target instanceof Element ? pathOf(target) : [];
  });
  const repair = () => {
    const [focused] = path;
    const isLost = focused?.isConnected === false && (document.activeElement ?? document.body) === document.body;
    // What is not there yet may come with the next change.
    if (isLost) focus(stepIn(path.filter((part) => root.contains(part))));
  };
  new MutationObserver(repair).observe(root, { childList: true, subtree: true });
}

/** It, and everything that it stands in, the nearest first. */
function pathOf(element: Element): Element[] {
  const path: Element[] = [];
  for (let part: Element | null = element; part !== null; part = part.parentElement) path.push(part);
  return path;
}

function stepIn(parts: readonly Element[]): HTMLElement | null {
  for (const part of parts) {
    const step = part.querySelector<HTMLElement>(STEP);
    if (step !== null) return step;
  }
  return null;
}

function focus(step: HTMLElement | null): void {
  if (step?.matches('h1, h2, h3')) step.tabIndex = -1;
  step?.focus();
}
