import { afterAll } from 'vitest';
import { endFile } from './after-file.ts';

// Runs anew before each test file, and so belongs to it.
afterAll(endFile);
