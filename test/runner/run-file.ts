import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** The objects that Jest makes for the tests of one file. */
interface Environment {
  /** Contains `it`, `expect` and the others. */
  readonly global: { readonly [name: string]: unknown };
}

type TestRunner = (
  globalConfig: object,
  projectConfig: object,
  environment: Environment,
  runtime: object,
  testPath: string,
  sendMessageToJest?: unknown,
) => Promise<unknown>;

const require = createRequire(import.meta.url);

const { default: runWithJest }: { default: TestRunner } = require('jest-circus/runner');

const JEST_GLOBALS = ['afterAll', 'afterEach', 'beforeAll', 'beforeEach', 'describe', 'expect', 'it'];

/** jest-circus keeps its handlers of test events here. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/**
 * Jest's own test runner, with one difference: Node, not Jest's module registry, loads the framework and the test
 * files. So a worker loads packages and sources once for all its files, as native ES modules in one realm, and a file
 * must not change shared state.
 */
const runFile: TestRunner = (globalConfig, projectConfig, environment, runtime, testPath, sendMessageToJest) => {
  const nativeRuntime = new Proxy(runtime, {
    get(target, name) {
      if (name === 'requireInternalModule') return requireAnew;
      if (name === 'unstable_shouldLoadAsEsm') return () => true;
      if (name === 'unstable_importModule') return (path: string) => importTests(path, environment);
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return runWithJest(globalConfig, projectConfig, environment, nativeRuntime, testPath, sendMessageToJest);
};

/** The framework keeps the tests of a file, so each file needs a new one. */
function requireAnew(path: string): unknown {
  Reflect.deleteProperty(globalThis, EVENT_HANDLERS);
  Reflect.deleteProperty(require.cache, path);
  return require(path);
}

async function importTests(path: string, environment: Environment): Promise<void> {
  for (const name of JEST_GLOBALS) Reflect.set(globalThis, name, environment.global[name]);
  // Jest formats stacks with its own source maps, and has none here. Node has those that tsx made.
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  process.setSourceMapsEnabled(true);
  // Jest has required this file: an `import` above would load `after.ts` a second time, apart from the tests' own.
  const { endFile, endTest } = await import('./after.ts');
  afterEach(endTest);
  afterAll(endFile);
  await import(pathToFileURL(path).href);
}

// Without this, Node frees the heap of all loaded modules before it ends: on a busy machine that takes over half a
// second, and Jest kills the worker as one that hangs. A handle that a test leaves open still keeps it alive until
// then.
if (process.send !== undefined) process.once('beforeExit', () => process.exit());

// biome-ignore lint/style/noDefaultExport: Jest asks for one.
export default runFile;
