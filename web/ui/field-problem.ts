import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FieldFault } from './field-fault.ts';

/** What the service has reported about one field of the form around it. */
export interface FieldProblem extends FieldFault {
  /** The field has another text now. */
  readonly clear: () => void;
}

export const FieldProblems = createContext<FieldProblem | null>(null);

/** null: nothing about this field. */
export function useFieldProblem(name: string | undefined): FieldProblem | null {
  const problem = useContext(FieldProblems);
  return problem !== null && problem.name === name ? problem : null;
}
