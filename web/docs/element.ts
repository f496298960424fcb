export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...content: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...content);
  return made;
}

export function button(text: string, onclick: () => Promise<void>): HTMLButtonElement {
  return element('button', { type: 'button', className: 'button button-small', onclick: () => void onclick() }, text);
}
