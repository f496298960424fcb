/** The beginning of a step: its heading, or a marked control. */
const STEP = 'h1, h2, h3, [data-step]';

/**
 * When the focused element leaves the page, the focus moves to the beginning of the step that replaces it, instead of
 * the body: to the one in the nearest remaining part of the page. A page that never had the focus is left alone.
 */
export function keepFocus(root: HTMLElement): void {
  let path: readonly Element[] = [];
  document.addEventListener('focusin', ({ target }) => {
    path = target instanceof Element ? pathOf(target) : [];
  });
  const repair = () => {
    const [focused] = path;
    const isLost = focused?.isConnected === false && (document.activeElement ?? document.body) === document.body;
    // A missing step may come with the next change.
    if (isLost) focus(stepIn(path.filter((part) => root.contains(part))));
  };
  new MutationObserver(repair).observe(root, { childList: true, subtree: true });
}

/** The element and its ancestors, the nearest first. */
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
