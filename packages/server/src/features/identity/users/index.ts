import { userOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import { userRoutes } from './users.routes.ts';

export {
  changePerson,
  createPerson,
  deactivatePerson,
  type NewPerson,
  unlockPerson,
} from './people.service.ts';
export { selectRecipients } from './recipients.store.ts';
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
export { readSessionHolder, roleOfUser } from './sign-in.service.ts';
export {
  deleteUnprovenPassword,
  lockSigningIn,
  type SigningIn,
  selectByLastLogin,
  selectMemberships,
  selectSigningIn,
  type TenantMembership as Membership,
  updateFailures,
  updateLastLogin,
  updateSecondFactor,
  updateVerified,
  updateVouched,
  upsertPassword,
} from './sign-in.store.ts';
export { ensureUser, getUser, isActiveAdmin, readUserAddresses } from './users.service.ts';
export {
  actingIsGone,
  emailKey,
  joinActingUser,
  lockAdmins,
  lockUser,
  lockUserByEmail,
  mailAddressOf,
  selectIdByEmail,
  type UserRole,
  type UserRow,
} from './users.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['users', 'user_passwords'];

export const usersFeature = feature({
  name: 'users',
  tables,
  resets: { keeps: { users: 'the account is kept', user_passwords: 'and how people sign in' } },
  operations: () => handlerEntries(userOperations, userRoutes()),
});
