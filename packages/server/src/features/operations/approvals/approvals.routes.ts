import type { approvalOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import type { ApprovalPorts } from './approvals.ports.ts';
import { fileApproval, listApprovals, readApproval } from './approvals.service.ts';
import { decide } from './decide.service.ts';

/** Most requests that one answer lists (docs/design/api-access.md 8). */
const maxListed = 200;

/** Handlers of the approvals. */
export function approvalRoutes(ports: ApprovalPorts): Handlers<typeof approvalOperations> {
  return {
    list: async (tx, { query: { status = 'pending', limit = 100 } }) =>
      reply(200, await listApprovals(tx, ports, status, Math.min(limit, maxListed))),
    create: async (tx, request) => reply(201, await fileApproval(tx, request, ports, request.body)),
    get: async (tx, request) => reply(200, await readApproval(tx, request, ports, request.params.id)),
    decide: async (tx, request) => reply(200, await decide(tx, request, ports, request.params.id, request.body)),
  };
}
