/** Whether the clipboard has taken the text: without HTTPS, or in a restricted frame, none exists. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
