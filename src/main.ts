import pc from 'picocolors';
import pino from 'pino';
import { ConfigError, readConfig } from './config/config.ts';
import { messageOf } from './errors/message-of.ts';
import { compactLines } from './observability/compact-lines.ts';
import { nameSourcesOfUncaught, sourceStack } from './observability/source-stack.ts';
import { traceIds } from './observability/tracing.ts';
import { endOfLifeNotice } from './package/node-release.ts';
import { packageVersion } from './package/root.ts';
import { pagesPaths } from './pages/pages.ts';
import { chainTable } from './service/chain-table.ts';
import { greeting } from './service/greeting.ts';
import { joinLocalParts } from './service/local-parts.ts';
import { refusalOf } from './service/usage.ts';

/** Reads the environment, starts the service, prints the addresses, and ends on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  const config = readConfig(process.env);
  const log = pino(
    {
      level: config.logLevel,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (level) => ({ level }) },
      mixin: traceIds,
      serializers: { err: pino.stdSerializers.wrapErrorSerializer(withSources) },
    },
    process.stderr.isTTY
      ? compactLines(process.stderr, pc.createColors(!process.env['NO_COLOR']))
      : pino.destination(2),
  );
  // Processes that this one starts inherit its environment.
  for (const name of config.unneededSecrets) Reflect.deleteProperty(process.env, name);
  log.info({ version: packageVersion(), node: process.version }, 'starting');
  const joining = joinLocalParts(config, log);
  joining.catch(() => undefined);
  const { preparePages } = await import('./pages/pages.ts');
  const preparing = preparePages({ paths: pagesPaths(), log });
  const { startService } = await import('./service/service.ts');
  const service = await startService(config, log, joining);
  let stopping = false;
  const stop = async (exitCode: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({}, 'stopping');
    await service.stop();
    process.exit(exitCode);
  };
  process.on('SIGTERM', () => void stop(0));
  process.on('SIGINT', () => void stop(0));
  service.onLost((why) => {
    log.fatal({ why }, 'a required part of the service has ended; the service stops');
    process.stderr.write(`\nTideline stops: ${why}\n`);
    void stop(1);
  });
  await preparing;
  log.info({ url: service.url, role: config.role, version: packageVersion() }, 'serving');
  const notice = endOfLifeNotice(process.version, new Date());
  if (notice !== null) log.warn({ node: process.version }, notice);
  process.stdout.write(greeting(service, config));
  const healths = await Promise.all(service.chains.all().map((chain) => chain.health()));
  process.stdout.write(chainTable(healths, config));
}

function withSources(error: pino.SerializedError): pino.SerializedError {
  error.stack = sourceStack(error.stack);
  return error;
}

nameSourcesOfUncaught();
const refusal = refusalOf(process.argv.slice(2));
if (refusal === null) {
  main().catch((error: unknown) => {
    const message = messageOf(error);
    process.stderr.write(`${error instanceof ConfigError ? message : `Tideline cannot start: ${message}`}\n`);
    process.exit(1);
  });
} else {
  process[refusal.stream].write(refusal.text);
  process.exitCode = refusal.exitCode;
}
