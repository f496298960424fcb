import { Button, type ButtonProps } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useAction } from '../../ui/use-action.ts';

/** Without it Excel does not read a file as UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

export interface CsvButtonProps extends Pick<ButtonProps, 'variant' | 'size'> {
  /** The name of the file, without its ending. */
  readonly name: string;
  readonly read: () => Promise<BlobPart>;
}

/** Saves a whole list, not only the shown page. */
export function CsvButton({ name, read, ...look }: CsvButtonProps) {
  const { isBusy, problem, act } = useAction();
  const save = async () => saveFile(`${name}.csv`, new Blob([BYTE_ORDER_MARK, await read()], { type: 'text/csv' }));
  return (
    <>
      <Button {...look} busy={isBusy} onClick={() => void act(save)}>
        Download CSV
      </Button>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
    </>
  );
}
