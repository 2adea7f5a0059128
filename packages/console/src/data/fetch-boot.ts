import type { ConsoleBoot } from '@arbiter/contract/console-boot';
import { sessionOperations } from '@arbiter/contract/session';
import { tenantSettingsOperations } from '@arbiter/contract/tenant-settings';
import { tenantOperations } from '@arbiter/contract/tenants';
import { boot } from './boot.ts';
import { call } from './call.ts';

/** The boot block put together from the operations it consists of: after a sign-in, and where the page brings none. */
export async function fetchBoot(): Promise<ConsoleBoot> {
  const before = boot();
  const session = await call(sessionOperations.session, {});
  if (!session.authenticated) return { authenticated: false, signIn: before.signIn };
  const [tenantStatus, settings] = await Promise.all([
    call(tenantOperations.status, {}),
    call(tenantSettingsOperations.get, {}),
  ]);
  const version = before.authenticated ? before.version : '';
  return { authenticated: true, session, tenantStatus, settings, version, signIn: before.signIn };
}
