export { ensureUser, isActiveAdmin, type NamedUser } from './users.service.ts';
export type { UserRole } from './users.store.ts';
