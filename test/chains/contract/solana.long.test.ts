import { useSolana } from '../solana/bench.ts';
import { chainContract } from './suite.ts';

describe('Solana, a mint of Token', () => chainContract(useSolana({ ticker: 'USDC' }).bench));
