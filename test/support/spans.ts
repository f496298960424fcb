import { context, propagation, trace } from '@opentelemetry/api';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';

/** An ended span, for tests. */
export interface Seen extends Pick<ReadableSpan, 'name' | 'kind' | 'attributes' | 'status'> {
  readonly id: string;
  readonly parent: string | null;
}

/** Registers an SDK during `work`. Returns every span that ended meanwhile. */
export async function spansOf(work: () => Promise<unknown>): Promise<Seen[]> {
  const exporter = new InMemorySpanExporter();
  new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).register();
  try {
    await work();
  } finally {
    for (const api of [trace, context, propagation]) api.disable();
  }
  return exporter.getFinishedSpans().map((span) => {
    const { name, kind, attributes, status } = span;
    const { spanId: id } = span.spanContext();
    return { id, parent: span.parentSpanContext?.spanId ?? null, name, kind, attributes, status };
  });
}
