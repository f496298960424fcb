import { STORIES, storyNames } from '../../stage/stories.ts';
import type { Story } from '../../stage/story.ts';
import { readArguments, requireNothing } from '../lib/arguments.ts';
import { UsageError } from '../lib/script.ts';

/** The arguments of `npm run demo`. */
export interface DemoOptions {
  readonly story: Story;
  /** Leave everything running at the end, until Ctrl-C. */
  readonly keep: boolean;
  /** Print the outcome as JSON on stdout; text for people goes to stderr. */
  readonly json: boolean;
}

/** Throws a UsageError for wrong arguments. */
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
