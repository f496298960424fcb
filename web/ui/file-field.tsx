import { useId } from 'preact/hooks';

export interface FileFieldProps {
  readonly label: string;
  /** Media types, separated by commas. */
  readonly accept: string;
  readonly hint: string;
  /** Why the last choice is not taken; null: it is, or there was none. */
  readonly error: string | null;
  readonly onFile: (file: File) => void;
}

/** A labelled chooser of one file; screen readers read its error. */
export function FileField({ label, accept, hint, error, onFile }: FileFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept={accept}
        aria-invalid={error !== null}
        aria-describedby={error === null ? `${id}-hint` : `${id}-hint ${id}-error`}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file !== undefined) onFile(file);
          // So that the same file can be chosen again after it was fixed.
          currentTarget.value = '';
        }}
      />
      <span id={`${id}-hint`} class="small soft">
        {hint}
      </span>
      {error !== null && (
        <span id={`${id}-error`} class="field-error" role="alert">
          {error}
        </span>
      )}
    </div>
  );
}
