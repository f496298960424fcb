import { webhooksCommand } from '../packages/cli/src/commands/webhooks.ts';
import { runScript } from './lib/script.ts';

await runScript(webhooksCommand('npm run webhooks --'), process.argv.slice(2));
