import { readArguments, requireNothing } from '../lib/arguments.ts';
import { UsageError } from '../lib/script.ts';
import { STORIES, type Story, storyNames } from './stories.ts';

/** What `npm run demo` was asked for. */
export interface DemoOptions {
  readonly story: Story;
  /** Leaves everything up at the end, until Ctrl-C. */
  readonly keep: boolean;
  /** The outcome as JSON on stdout; what people read goes to stderr. */
  readonly json: boolean;
}

/** Throws a UsageError for what is not understood. */
export function readDemoOptions(argv: readonly string[]): DemoOptions {
  const { values, positionals } = readArguments(argv, {
    story: { type: 'string', default: 'subscription' },
    keep: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  requireNothing(positionals);
  const story = STORIES.find(({ name }) => name === values.story);
  if (!story) throw new UsageError(`There is no story ${values.story}: expected ${storyNames()}`);
  return { story, keep: values.keep, json: values.json };
}
