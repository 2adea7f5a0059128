import { feature } from '../../feature.ts';

export { ensureUser, isActiveAdmin, type NamedUser } from './users.service.ts';
export type { UserRole } from './users.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['users'];

export const usersFeature = feature({
  name: 'users',
  tables,
});
