import { hash } from 'node:crypto';
import { newId } from '../../../platform/ids.ts';

/** Seed of all chance in a decision (docs/design/api-decisioning.md 1 no. 5). */
export function seedOf(tenantId: string, requestId: string): string {
  return hash('sha256', `arbiter-seed-1\0${tenantId}\0${requestId}`, 'hex').slice(0, 32);
}

/** Decision ids end in a zero byte, so that the ids of the items follow from them: id with the rank as last byte. */
export function newDecisionId(): string {
  return `${newId().slice(0, 34)}00`;
}

export function itemId(decisionId: string, rank: number): string {
  return decisionId.slice(0, 34) + rank.toString(16).padStart(2, '0');
}

export const recordContext = (tenantId: string, decisionId: string): string => `${tenantId}:${decisionId}:decision`;
export const requestContext = (tenantId: string, requestId: string): string => `${tenantId}:${requestId}:request`;
