import { chainContract } from '../../../chains/contract/suite.ts';
import { useBench } from '../../../chains/support/bench.ts';
import { SimEvmBench } from './evm-world.ts';

describe('a simulated EVM chain', () => chainContract(useBench(new SimEvmBench(), { pumps: true })));
