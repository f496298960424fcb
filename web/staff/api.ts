import { ownApi } from '../ui/own-api.ts';
import { session } from './access/session.ts';

export const { call, get, post, remove, useLoad } = ownApi('staff', () => session.trigger.ended());
