import { ownApi } from '../ui/own-api.ts';
import { session } from './access/session.ts';

/** Paths: `/keys`, or one of the merchant API below the environment, `/test/offers`. */
export const { fetchOwn, get, post, patch, remove, useLoad } = ownApi('dashboard', () => session.trigger.ended());
