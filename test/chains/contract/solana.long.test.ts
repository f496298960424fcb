import { solanaPlayground } from './solana-playground.ts';
import { chainContract } from './suite.ts';

describe('Solana, a mint of Token', () => chainContract(() => solanaPlayground('USDC')));
