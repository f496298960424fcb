import pino from 'pino';
import { ConfigError, readConfig } from './config/config.ts';
import { messageOf } from './errors/message-of.ts';
import { traceIds } from './observability/tracing.ts';
import { endOfLifeNotice } from './package/node-release.ts';
import { packageVersion } from './package/version.ts';
import { greeting } from './service/greeting.ts';
import { joinLocalParts } from './service/local-parts.ts';

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
    },
    pino.destination(2),
  );
  const joining = joinLocalParts(config, log);
  joining.catch(() => undefined);
  const { startService } = await import('./service/service.ts');
  const service = await startService(config, log, joining);
  let stopping = false;
  const stop = async (exitCode: number): Promise<void> => {
    if (stopping) return;
    stopping = true;
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
  log.info({ url: service.url, role: config.role, version: packageVersion() }, 'serving');
  const notice = endOfLifeNotice(process.version, new Date());
  if (notice !== null) log.warn({ node: process.version }, notice);
  process.stdout.write(greeting(service, config));
}

main().catch((error: unknown) => {
  const message = messageOf(error);
  process.stderr.write(`${error instanceof ConfigError ? message : `Tideline cannot start: ${message}`}\n`);
  process.exit(1);
});
