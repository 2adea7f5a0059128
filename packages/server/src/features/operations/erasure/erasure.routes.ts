import type { customerErasureOperations, ErasureScope } from '@arbiter/contract';
import type { Database, Tx } from '../../../db/index.ts';
import { type Handlers, type RequestFacts, reply } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import { type Erased, type ErasurePorts, eraseCustomer, prepareErasure } from './erasure.service.ts';

export interface ErasureRoutePorts extends ErasurePorts {
  readonly database: Database;
  /** Called when an audit row can't be written: the deletion is final. */
  readonly onError: (error: unknown) => void;
}

export function erasureRoutes(ports: ErasureRoutePorts): Handlers<typeof customerErasureOperations> {
  return {
    async erase(request) {
      const { counts, ...receipt } = await run(ports, request, request.params.customerId, null);
      const { interactionHistory, interactionSummaries, experimentAssignments, impressions } = counts;
      return reply(200, {
        success: true,
        ...receipt,
        counts: { interactionHistory, interactionSummaries, experimentAssignments, impressions },
      });
    },
    async eraseData(request) {
      const { customerId } = request.params;
      if (request.headers['X-Confirm-Delete'] !== customerId) {
        throw new AppError('confirmation_mismatch', {
          detail: 'X-Confirm-Delete must be the customer ID, byte for byte.',
          errors: [{ path: 'header.X-Confirm-Delete', message: 'must be the customer ID in the path' }],
        });
      }
      const scope = request.query.scope ?? 'all';
      const erased = await run(ports, request, customerId, scope);
      return reply(200, { success: true, ...erased, scope });
    },
  };
}

/** `scope` null: the erasure of the contract's plain DELETE. */
async function run(ports: ErasureRoutePorts, request: RequestFacts, customerId: string, scope: ErasureScope | null) {
  const { tenantId, actor, requestId, until } = request;
  const options = { requestId, until };
  let erased: Erased | null = null;
  while (erased === null) {
    const prepare = (tx: Tx) => prepareErasure(tx, ports, customerId);
    const preparation = await ports.database.withTenant(tenantId, actor, prepare, options);
    const erase = (tx: Tx) => eraseCustomer(tx, ports, customerId, scope, preparation);
    erased = await ports.database.withTenant(tenantId, actor, erase, options);
  }
  const { counts, total, legalHoldOverridden } = erased;
  // In a transaction of its own: a row that cannot be written must not bring the customer back.
  await ports.database
    .withTenant(
      tenantId,
      actor,
      (tx) =>
        recordAudit(tx, {
          action: 'erase',
          entityType: 'customer_data',
          entityId: ports.customerHash.of(tenantId, customerId).toString('hex'),
          entityName: null,
          after: { scope: scope ?? 'customer', ...counts, total, legalHoldOverridden },
        }),
      options,
    )
    .catch(ports.onError);
  return erased;
}
