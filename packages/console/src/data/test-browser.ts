import { defaultTenantSettings } from '@arbiter/contract/identity/tenant-settings';
import { setBoot } from './boot.ts';

/** Browser features for the tests of this folder: storage and a signed-in user. */

/** In-memory storage; `full` makes writes fail. */
export class MemoryStorage {
  readonly kept = new Map<string, string>();
  full = false;
  get length() {
    return this.kept.size;
  }
  key = (index: number) => [...this.kept.keys()][index] ?? null;
  getItem = (name: string) => this.kept.get(name) ?? null;
  removeItem = (name: string) => void this.kept.delete(name);
  setItem = (name: string, text: string) => {
    if (this.full) throw new DOMException('full', 'QuotaExceededError');
    this.kept.set(name, text);
  };
}

/** Defines globals of a browser. Returns what takes them back: other files may share the process. */
export function setGlobals(values: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(values).map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  return () => {
    for (const [name, descriptor] of before) {
      if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, descriptor);
    }
  };
}

const signInWays = { google: false, registration: false, sso: false };

export function signOut(): void {
  setBoot({ authenticated: false, signIn: signInWays });
}

/** Signs an editor in. */
export function signIn(user: string, tenant: string): void {
  setBoot({
    authenticated: true,
    session: {
      authenticated: true,
      principal: { kind: 'user', id: user, name: user, userId: user, role: 'editor' },
      tenant: { id: tenant, name: tenant, isPlayground: false },
    },
    tenantStatus: {
      tenantId: tenant,
      isPlayground: false,
      isDemoMode: false,
      hasData: true,
      quotaUsed: null,
      quotaLimit: null,
      quotaRemaining: null,
      quotaExceeded: null,
    },
    settings: { ...defaultTenantSettings, settingsVersion: 1 },
    version: '1',
    signIn: signInWays,
  });
}
