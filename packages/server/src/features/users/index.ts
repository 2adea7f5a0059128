import { userOperations } from '@arbiter/contract';
import { feature } from '../../feature.ts';
import { handlerEntries } from '../../http/handler.ts';
import { userRoutes } from './users.routes.ts';

export {
  countScimUsers,
  insertScimUser,
  isNameTaken,
  type ScimAttributes,
  type ScimUserRow,
  selectScimUser,
  selectScimUsers,
  type UserTest,
  updateScimUser,
} from './scim-users.store.ts';
export { ensureUser, isActiveAdmin, type NamedUser, readUserAddresses } from './users.service.ts';
export { actingIsGone, emailKey, joinActingUser, selectIdByEmail, type UserRole } from './users.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['users'];

export const usersFeature = feature({
  name: 'users',
  tables,
  resets: { keeps: { users: 'the account remains' } },
  operations: () => handlerEntries(userOperations, userRoutes()),
});
