/** Prevents scrolling, and keeps the width of the page when the scroll bar goes. */
const FROZEN = { overflow: 'hidden', 'scrollbar-gutter': 'stable' } as const;

/** Stops the page from scrolling. Returns the function that restores its own styles and scroll position. */
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
