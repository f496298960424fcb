import { KILL_CHAINS } from '../../scripts/crashtest/plans.ts';
import { describeKills } from './kills.ts';

describeKills(KILL_CHAINS[0]);
