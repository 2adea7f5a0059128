import { preferenceOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { preferenceRoutes } from './preferences.routes.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['user_preferences'];

export const preferencesFeature = feature({
  name: 'preferences',
  tables,
  resets: { keeps: { user_preferences: 'the account and its appearance settings are kept' } },
  operations: () => handlerEntries(preferenceOperations, preferenceRoutes()),
});
