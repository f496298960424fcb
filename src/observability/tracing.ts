import {
  type Attributes,
  context,
  ProxyTracerProvider,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { packageVersion } from '../package/root.ts';

export type { Attributes } from '@opentelemetry/api';

/**
 * One traced operation. Attributes are ids and counts, never a secret, an address of a node, a body or the text of an
 * error.
 */
export interface Traced<T> {
  readonly name: string;
  readonly kind?: 'server' | 'client' | 'internal';
  /** Computed only while tracing is on. */
  readonly attributes: () => Attributes;
  /** Further attributes after success. */
  readonly outcome?: (result: T) => Attributes;
  /** Further attributes after an error, and whether it is a failure of this service. */
  readonly thrown?: (error: unknown) => { readonly attributes: Attributes; readonly isFailure: boolean };
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

/** The delegate while no SDK is registered. */
const NOBODY = new ProxyTracerProvider().getDelegate();

/**
 * Runs `work` within a span, and returns or throws the same as `work`. Without an SDK that has registered a provider
 * (`@opentelemetry/api`: `trace.setGlobalTracerProvider`) it only calls `work`.
 */
export function traced<T>(what: Traced<T>, work: () => Promise<T>): Promise<T> {
  if (!isTraced()) return work();
  const tracer = trace.getTracer('tideline', packageVersion());
  const options = { kind: KINDS[what.kind ?? 'internal'], attributes: what.attributes() };
  return tracer.startActiveSpan(what.name, options, (span) => within(span, what, work));
}

/**
 * Runs `work` as part of the trace that the headers of a request name (`traceparent`, W3C Trace Context). Without an
 * SDK it only calls `work`.
 */
export function withinTraceOf<T>(headers: object, work: () => T): T {
  if (!isTraced()) return work();
  return context.with(propagation.extract(context.active(), headers), work);
}

/** The headers that let a receiver continue the present trace; none without a span. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  if (isTraced()) propagation.inject(context.active(), headers);
  return headers;
}

/** The ids of the present span, for a log line; none without a span. */
export function traceIds(): { readonly trace_id?: string; readonly span_id?: string } {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

function isTraced(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== NOBODY;
}

async function within<T>(span: Span, { outcome, thrown }: Traced<T>, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    if (outcome) span.setAttributes(outcome(result));
    return result;
  } catch (error) {
    const reported = thrown?.(error) ?? { attributes: {}, isFailure: true };
    const name = error instanceof Error ? error.name : typeof error;
    span.setAttributes({ ...reported.attributes, 'error.type': name });
    if (reported.isFailure) span.setStatus({ code: SpanStatusCode.ERROR, message: name });
    throw error;
  } finally {
    span.end();
  }
}
