import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

export interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Called for Escape, or a click beside the dialog. */
  readonly onClose: () => void;
}

/** A modal dialog while it is rendered: the browser keeps the keyboard in it, and afterwards returns the focus. */
export function Dialog({ title, children, onClose }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const isPressedBeside = useRef(false);
  const id = useId();
  // An effect after the layout would end after the dialog has left the page, and the focus with it.
  useLayoutEffect(() => {
    const dialog = ref.current;
    const opener = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // A dialog that has left the page does not return the focus by itself.
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, as `cancel`.
    <dialog
      ref={ref}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        isPressedBeside.current = event.target === ref.current;
      }}
      // A text selection that ends beside the dialog is a click on it too, so only a press that also began there
      // counts.
      onClick={(event) => event.target === ref.current && isPressedBeside.current && onClose()}
    >
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
