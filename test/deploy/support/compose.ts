import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { read } from '../../support/repository.ts';

export const PUBLIC_URL = 'https://pay.example.com';

export const strings = z.array(z.string());
const texts = z.record(z.string(), z.string());
const service = z.looseObject({
  image: z.string(),
  build: z.looseObject({ context: z.string(), args: texts }).optional(),
  command: strings.optional(),
  env_file: strings.optional(),
  environment: texts.optional(),
  volumes: strings.optional(),
  secrets: strings.optional(),
  ports: strings.optional(),
  networks: strings.optional(),
  network_mode: z.string().optional(),
  healthcheck: z.looseObject({ test: strings }).optional(),
  depends_on: z.record(z.string(), z.strictObject({ condition: z.string() })).optional(),
  restart: z.string(),
});
const compose = z.looseObject({
  services: z.record(z.string(), service),
  networks: z.record(z.string(), z.strictObject({ internal: z.boolean().optional() })),
  volumes: z.record(z.string(), z.strictObject({})),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

/** `${NAME:-default}` and `${NAME:?message}` as Compose replaces them, with only PUBLIC_URL in the environment. */
const interpolated = read('compose.yaml').replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (_, name, kind, text) => {
  if (kind === '-') return text;
  if (name !== 'PUBLIC_URL') throw new Error(`compose.yaml asks for ${name}`);
  return PUBLIC_URL;
});
/** `compose.yaml` with its anchors resolved. */
export const document: unknown = parseYaml(interpolated, { merge: true });
export const { services, networks, volumes, secrets } = compose.parse(document);
/** The services that run our image. */
export const ours = Object.entries(services).filter(([, { build }]) => build !== undefined);
