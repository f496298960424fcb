import { verifyProofCommand } from '../packages/cli/src/commands/verify-proof.ts';
import { runScript } from './lib/script.ts';

await runScript(verifyProofCommand('npm run verify-proof --'), process.argv.slice(2));
