import { chainContract } from '../../../chains/contract/suite.ts';
import { simEvmPlayground } from './evm-playground.ts';

describe('a simulated EVM chain', () => chainContract(simEvmPlayground));
