import { type News, tell as tellPayments } from '../../tell.ts';
import type { SolanaContext } from '../context.ts';

/** `tell`, between the points at which a test may break in. */
export async function tell(ctx: SolanaContext, news: readonly News[]): Promise<boolean> {
  const kinds = [...new Set(news.flatMap(({ facts }) => facts.map(({ kind }) => kind)))];
  for (const kind of kinds) await ctx.fault('reconciler.told.before', kind);
  if (!(await tellPayments(ctx, news))) return false;
  for (const kind of kinds) await ctx.fault('reconciler.told.after', kind);
  return true;
}
