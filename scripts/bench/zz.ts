import { withWorld } from './world.ts';
import { agendaArena, workersArena, openedTwice } from './claim/arena.ts';
await withWorld(async (w) => {
  const one = await workersArena(w, 'one', 1);
  const four = await workersArena(w, 'four', 4);
  const agenda = await agendaArena(w, 'agenda');
  console.log('one', await one.open(300));
  console.log('agenda', await agenda.open(100));
  for (let i = 0; i < 3; i++) {
  console.log('one', await one.open(1500));
  console.log('four', await four.open(1500));
  console.log('agenda', await agenda.open(300));
  }
  console.log(await openedTwice(one), await openedTwice(agenda));
});
