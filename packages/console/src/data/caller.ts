import type { ConsoleBoot } from '@arbiter/contract/console-boot';
import { sessionOperations } from '@arbiter/contract/session';
import { tenantSettingsOperations } from '@arbiter/contract/tenant-settings';
import { tenantOperations } from '@arbiter/contract/tenants';
import { type Caller, createCaller } from '@arbiter/sdk/caller';
import { boot } from './boot.ts';

let current: Caller | null = null;

/** Says where the server is, once, before anything is called. The session's cookie goes along by itself. */
export function connect(baseUrl: string): void {
  current = createCaller({ baseUrl });
}

/** The caller of this page. */
export function caller(): Caller {
  if (current === null) throw new Error('connect() comes before the first call');
  return current;
}

/** The boot block put together from the operations it consists of: after a sign-in, and where the page brings none. */
export async function fetchBoot(): Promise<ConsoleBoot> {
  const { call } = caller();
  const session = await call(sessionOperations.session);
  const { signIn } = boot();
  if (!session.authenticated) return { authenticated: false, signIn };
  const [tenantStatus, settings] = await Promise.all([call(tenantOperations.status), call(tenantSettingsOperations.get)]);
  return { authenticated: true, session, tenantStatus, settings, version: versionOf(boot()), signIn };
}

const versionOf = (block: ConsoleBoot): string => (block.authenticated ? block.version : '');
