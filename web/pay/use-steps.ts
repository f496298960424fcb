import { useEffect, useRef, useState } from 'preact/hooks';
import { type Comfort, type Problem, problemOf } from './problem.ts';

/** One piece of work at a time, with its steps and its problem. The end of an abandoned one changes nothing. */
export function useSteps<Step extends string>(comfort: Comfort) {
  const [step, setStep] = useState<Step | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const turn = useRef(0);
  const abandon = () => {
    turn.current += 1;
    setStep(null);
  };
  useEffect(() => abandon, []);
  const act = async (first: Step, work: (isWanted: () => boolean) => Promise<void>) => {
    turn.current += 1;
    const mine = turn.current;
    const isWanted = () => mine === turn.current;
    setStep(first);
    setProblem(null);
    try {
      await work(isWanted);
    } catch (error) {
      if (isWanted()) setProblem(problemOf(error, comfort));
    } finally {
      if (isWanted()) setStep(null);
    }
  };
  return { step, setStep, problem, setProblem, act, abandon };
}
