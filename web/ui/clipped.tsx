/** A text in one line that ends with an ellipsis if it is too long. */
export function Clipped({ text, href }: { readonly text: string; readonly href?: string }) {
  return href === undefined ? (
    <span class="clipped" title={text}>
      {text}
    </span>
  ) : (
    <a class="clipped" title={text} href={href}>
      {text}
    </a>
  );
}
