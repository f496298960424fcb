import { solanaPlayground } from './solana-playground.ts';
import { chainContract } from './suite.ts';

describe('Solana, under mandates', () => chainContract(() => solanaPlayground('USDC', undefined, true)));
