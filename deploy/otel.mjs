// Sends the spans of the service to a collector: node --import ./deploy/otel.mjs dist/src/main.js
// The address of the collector is in OTEL_EXPORTER_OTLP_ENDPOINT (docs/operating.md, "Traces").

import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'tideline' }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
process.once('SIGTERM', () => void provider.shutdown());
