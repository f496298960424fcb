import { withWorld } from './world.ts';
import { openScene } from './recovery/scene.ts';
const run = { size: 'quick', progress: { step: (t: string) => console.log(t), found: () => {} }, signal: new AbortController().signal } as const;
await withWorld(async (w) => {
  const s = await openScene(w, run, 200);
  console.log(await s.restart(100));
  console.log(await s.restart(200));
}, { evm: true });
