/** What keeps a page from being scrolled, without it becoming wider where a scroll bar goes. */
const FROZEN = { overflow: 'hidden', 'scrollbar-gutter': 'stable' } as const;

/** Keeps the page where it is. Returns what gives it back, with its own styles and where it was scrolled to. */
export function freezeScroll(): () => void {
  const { style } = document.documentElement;
  const [x, y] = [window.scrollX, window.scrollY];
  const hasScrollBar = window.innerWidth > document.documentElement.clientWidth;
  const before = Object.entries(FROZEN).map(([name, value]) => {
    const own = [name, style.getPropertyValue(name), style.getPropertyPriority(name)] as const;
    if (name === 'overflow' || hasScrollBar) style.setProperty(name, value, 'important');
    return own;
  });
  return () => {
    for (const own of before) style.setProperty(...own);
    window.scrollTo({ left: x, top: y, behavior: 'instant' });
  };
}
