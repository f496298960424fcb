import { useEvm } from '../evm/bench.ts';
import { chainContract } from './suite.ts';

describe('an EVM chain', () => chainContract(useEvm({ pumps: true }).bench));
