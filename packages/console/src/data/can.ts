import { type Operation, type Role, roles } from '@arbiter/contract/operation';
import { boot, roleOf } from './boot.ts';

/** Whether a call would be let through, and who may if not. */
export type Permission = { readonly allowed: true } | { readonly allowed: false; readonly needs: Role };

/** Asks for the role only; what a feature switch or an approval forbids is told by the answer of the call. */
export function can(operation: Pick<Operation, 'role' | 'auth'>, role: Role | null = roleOf(boot())): Permission {
  const needs = operation.role;
  if (needs === null || operation.auth === 'none') return { allowed: true };
  return role !== null && roles.indexOf(role) >= roles.indexOf(needs) ? { allowed: true } : { allowed: false, needs };
}
