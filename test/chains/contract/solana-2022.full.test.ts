import { solanaPlayground } from './solana-playground.ts';
import { chainContract } from './suite.ts';

describe('Solana, a mint of Token-2022', () => chainContract(() => solanaPlayground('USDT')));
