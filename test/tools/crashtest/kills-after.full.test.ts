import { KILL_CHAINS } from '../../../tools/crashtest/plans.ts';
import { describeKills } from './kills.ts';

describeKills(KILL_CHAINS[1]);
