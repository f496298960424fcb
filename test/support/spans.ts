import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type ContextManager,
  context,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';

/** An ended span, for tests. */
export interface Seen {
  readonly id: string;
  readonly parent: string | null;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Attributes;
  readonly status: SpanStatus;
}

/** Registers itself as the SDK during `work`. Returns every span that ended meanwhile. */
export async function spansOf(work: () => Promise<unknown>): Promise<Seen[]> {
  const seen: Seen[] = [];
  const provider: TracerProvider = { getTracer: () => new TestTracer(seen) };
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new Contexts());
  try {
    await work();
  } finally {
    trace.disable();
    context.disable();
  }
  return seen;
}

class Contexts implements ContextManager {
  readonly #stored = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#stored.getStore() ?? ROOT_CONTEXT;
  }

  with<A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    of: Context,
    run: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> {
    return this.#stored.run(of, () => run.apply(thisArg, args));
  }

  bind<T>(_context: Context, target: T): T {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    return this;
  }
}

let made = 0;

type Active = (span: Span) => unknown;

class TestTracer implements Tracer {
  readonly #seen: Seen[];

  constructor(seen: Seen[]) {
    this.#seen = seen;
  }

  startSpan(name: string, options: SpanOptions = {}, parentContext: Context = context.active()): Span {
    return new TestSpan(this.#seen, name, options, trace.getSpan(parentContext)?.spanContext().spanId ?? null);
  }

  startActiveSpan<F extends (span: Span) => unknown>(name: string, fn: F): ReturnType<F>;
  startActiveSpan<F extends (span: Span) => unknown>(name: string, options: SpanOptions, fn: F): ReturnType<F>;
  startActiveSpan<F extends (span: Span) => unknown>(
    name: string,
    options: SpanOptions,
    of: Context,
    fn: F,
  ): ReturnType<F>;
  startActiveSpan(name: string, second: Active | SpanOptions, third?: Active | Context, fourth?: Active): unknown {
    const fn = [second, third, fourth].find((each) => typeof each === 'function');
    if (fn === undefined) throw new Error('startActiveSpan: expected a function');
    const span = this.startSpan(name, typeof second === 'function' ? {} : second);
    return context.with(trace.setSpan(context.active(), span), fn, undefined, span);
  }
}

class TestSpan implements Span {
  readonly #seen: Seen[];
  readonly #id: string;
  readonly #reported: Pick<Seen, 'name' | 'kind' | 'parent'>;
  #attributes: Attributes;
  #status: SpanStatus = { code: SpanStatusCode.UNSET };

  constructor(seen: Seen[], name: string, { kind = 0, attributes = {} }: SpanOptions, parent: string | null) {
    made += 1;
    this.#seen = seen;
    this.#id = String(made).padStart(16, '0');
    this.#reported = { name, kind, parent };
    this.#attributes = { ...attributes };
  }

  spanContext() {
    return { traceId: '1'.repeat(32), spanId: this.#id, traceFlags: 1 };
  }

  setAttribute(key: string, value: Attributes[string]): this {
    this.#attributes = { ...this.#attributes, [key]: value };
    return this;
  }

  setAttributes(attributes: Attributes): this {
    this.#attributes = { ...this.#attributes, ...attributes };
    return this;
  }

  setStatus(status: SpanStatus): this {
    this.#status = status;
    return this;
  }

  addEvent(): this {
    return this;
  }

  addLink(): this {
    return this;
  }

  addLinks(): this {
    return this;
  }

  updateName(): this {
    return this;
  }

  isRecording(): boolean {
    return true;
  }

  recordException(): void {}

  end(): void {
    this.#seen.push({ ...this.#reported, id: this.#id, attributes: this.#attributes, status: this.#status });
  }
}
