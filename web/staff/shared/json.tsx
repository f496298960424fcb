/** Data as the service has it, folded. */
export function Json(props: { readonly title: string; readonly value: unknown; readonly testId?: string }) {
  const { title, value, testId } = props;
  return (
    <details class="small">
      <summary>{title}</summary>
      <pre class="exact json" data-testid={testId}>
        {JSON.stringify(value, null, 2)}
      </pre>
    </details>
  );
}
