/** Lets the browser save a text, or what it has in its own memory or on its disk, as a file. */
export function saveFile(name: string, content: string | Blob, type = ''): void {
  const href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = Object.assign(document.createElement('a'), { href, download: name });
  link.click();
  URL.revokeObjectURL(href);
}
