import { feature } from '../../feature.ts';

export { ensureUser, isActiveAdmin, type NamedUser, readUserAddresses } from './users.service.ts';
export type { UserRole } from './users.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['users'];

export const usersFeature = feature({
  name: 'users',
  tables,
});
