import type { Role } from '@arbiter/contract';
import type { Actor } from '../../db/tx.ts';

/** The proven caller, once steps 3 to 6 of the order of checks have passed. */
export interface Caller {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly role: Role;
  readonly credentialId: string;
  /** `Set-Cookie` for every answer to this call. */
  readonly setCookie?: string;
}

/** The caller of an operation that is open, or whose secret or signature doesn't name a person. */
export const anonymous: Caller = {
  tenantId: '',
  actor: { id: 'anonymous', name: 'anonymous', role: 'viewer' },
  role: 'viewer',
  credentialId: '',
};
