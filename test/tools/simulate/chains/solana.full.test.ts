import { chainContract } from '../../../chains/contract/suite.ts';
import { simSolanaPlayground } from './solana-playground.ts';

describe('a simulated Solana chain', () => chainContract(simSolanaPlayground));
