import { auditLogOperations } from '@arbiter/contract/identity/audit-logs';
import Type, { type Static } from 'typebox';
import type { SearchChange } from '../../route/use-address.ts';

const { cursor: _cursor, limit: _limit, ...filters } = auditLogOperations.list.query.properties;
/** Filters and the open row of the audit log, in its address. */
export const AuditSearch = Type.Object({ ...filters, row: Type.Optional(Type.String()) });
export const filterNames = ['action', 'entityType', 'entityId', 'userId', 'from', 'to'] as const;

export type AuditFilters = SearchChange<Static<typeof AuditSearch>>;
