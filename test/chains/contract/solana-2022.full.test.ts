import { useSolana } from '../solana/bench.ts';
import { chainContract } from './suite.ts';

describe('Solana, a mint of Token-2022', () => chainContract(useSolana({ ticker: 'USDT' }).bench));
