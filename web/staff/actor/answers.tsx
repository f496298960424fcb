import type { Inspection } from '../../../src/staff/wire.ts';

/** The questions of callers, and the answers. */
export function Answers({ seen }: { readonly seen: Inspection }) {
  if (seen.answers.length === 0) return null;
  return (
    <section class="card stack" aria-labelledby="answers">
      <h2 id="answers">Answers</h2>
      <dl class="answers">
        {seen.answers.map(({ name, question, answer }) => (
          <div key={name} class="answer">
            <dt>{question}</dt>
            <dd data-answer={name}>{answer}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
