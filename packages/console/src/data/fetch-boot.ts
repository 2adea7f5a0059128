import type { ConsoleBoot } from '@arbiter/contract/console-boot';
import { sessionOperations } from '@arbiter/contract/identity/session';
import { tenantSettingsOperations } from '@arbiter/contract/identity/tenant-settings';
import { tenantOperations } from '@arbiter/contract/identity/tenants';
import { boot } from './boot.ts';
import { call } from './call.ts';

/** Builds the boot block from its operations: after a sign-in, or if the page has none. */
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
