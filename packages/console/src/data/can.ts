import { type Operation, type Role, roles } from '@arbiter/contract/core/operation';
import { boot, roleOf } from './boot.ts';

/** Whether the user may make a call, and which role it needs. */
export type Permission = { readonly allowed: true } | { readonly allowed: false; readonly needs: Role };

/** Checks only the role. Feature switches and approvals show in the response. */
export function can(operation: Pick<Operation, 'role' | 'auth'>, role: Role | null = roleOf(boot())): Permission {
  const needs = operation.role;
  if (needs === null || operation.auth === 'none') return { allowed: true };
  return role !== null && roles.indexOf(role) >= roles.indexOf(needs) ? { allowed: true } : { allowed: false, needs };
}
