import { useState } from 'preact/hooks';
import { useQuestion } from '../../ui/action-dialog.tsx';
import { ApiError } from '../../ui/api-error.ts';
import { Button } from '../../ui/button.tsx';
import { messageOf } from '../../ui/message-of.ts';
import { StatusRegion, toast } from '../../ui/notice.tsx';
import { type Naming, useNameOf } from '../shared/columns.tsx';

/** An action on many rows of a list, one after the other. */
export interface BulkAction<Row> {
  /** On the button: `Cancel now`. */
  readonly verb: string;
  /** What it did: `canceled`. */
  readonly done: string;
  readonly isDanger?: boolean;
  /** What happens to each. */
  readonly text: string;
  /** Why it is left out; null: it is not. */
  readonly exceptFor: (row: Row) => string | null;
  readonly run: (row: Row) => Promise<unknown>;
  /** The row, beside the name of its customer. */
  readonly nameOf: (row: Row) => string;
}

/** Waits as long as a limit of the service says, then tries again. */
async function withinLimits(run: () => Promise<unknown>): Promise<unknown> {
  return run().catch(async (error) => {
    if (!(error instanceof ApiError) || error.status !== 429 || error.retryAfter === null) throw error;
    await new Promise((resolve) => setTimeout(resolve, 1_000 * (error.retryAfter ?? 0)));
    return withinLimits(run);
  });
}

export interface BulkBarProps<Row> {
  /** `subscriptions`. */
  readonly noun: string;
  readonly rows: readonly Row[];
  readonly actions: readonly BulkAction<Row>[];
  readonly onDone: () => void;
}

/** What can be done to the picked rows, after a question. */
export function BulkBar<Row extends Naming>({ noun, rows, actions, onDone }: BulkBarProps<Row>) {
  const { ask, dialog } = useQuestion();
  const customerOf = useNameOf();
  const [progress, setProgress] = useState<string | null>(null);
  const askTo = ({ verb, done, isDanger = false, text, exceptFor, run, nameOf }: BulkAction<Row>) => {
    const name = (row: Row) => [row.customerId ? customerOf(row.customerId) : [], nameOf(row)].flat().join(', ');
    const fitting = rows.filter((row) => exceptFor(row) === null);
    const others = rows.flatMap((row) => (exceptFor(row) === null ? [] : [`${name(row)}: ${exceptFor(row)}`]));
    /** Without those that have succeeded: another try leaves them alone. */
    const left = new Set(fitting);
    const runAll = async () => {
      const failed: string[] = [];
      for (const [at, row] of [...left].entries()) {
        setProgress(`${verb}: ${at + 1} of ${fitting.length}…`);
        await withinLimits(() => run(row)).then(
          () => left.delete(row),
          (error) => failed.push(`${name(row)}: ${messageOf(error)}`),
        );
      }
      setProgress(null);
      onDone();
      const result = `${fitting.length - left.size} ${done}`;
      if (failed.length > 0) throw new Error([`${result}, ${failed.length} failed:`, ...failed].join('\n'));
      toast(`${result}.`, 'good');
    };
    const title = `${verb}: ${fitting.length} ${fitting.length === 1 ? noun.replace(/s$/, '') : noun}`;
    const lines = [text, ...(others.length === 0 ? [] : [`${others.length} left out:`, ...others])].join('\n');
    ask({ title: `${title}?`, action: title, isDanger, text: <span class="lines">{lines}</span>, run: runAll });
  };
  return (
    <div class="row bulk">
      <StatusRegion>
        <span class="small soft">
          {progress ?? (rows.length === 0 ? 'Pick some to change them together.' : `${rows.length} picked`)}
        </span>
      </StatusRegion>
      {rows.length > 0 &&
        actions.map((action) => (
          <Button
            key={action.verb}
            size="small"
            variant={action.isDanger ? 'danger' : 'plain'}
            onClick={() => askTo(action)}
          >
            {action.verb}
          </Button>
        ))}
      {dialog}
    </div>
  );
}
