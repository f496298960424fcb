import { evmPlayground } from './evm-playground.ts';
import { chainContract } from './suite.ts';

describe('an EVM chain', () => chainContract(evmPlayground));
