import { schemaOperations } from '@arbiter/contract/catalogue/schemas';
import { useOperation } from '../../data/use-operation.ts';

/** Any customer whom the tenant has, to begin with; empty while none is known. */
export function useFirstCustomer(): {
  readonly customerId: string;
  readonly isSample: boolean;
  readonly loading: boolean;
} {
  const schemas = useOperation(schemaOperations.list, { query: { limit: 100 } });
  const schema = schemas.data?.data.find(({ schemaType }) => schemaType === 'customer');
  const rows = useOperation(
    schemaOperations.listRows,
    { params: { id: schema?.id ?? '' }, query: { limit: 1 } },
    { enabled: schema !== undefined, keepPrevious: false },
  );
  const value = schema === undefined ? undefined : rows.data?.rows[0]?.[schema.rowKey];
  return {
    customerId: value === undefined || value === null ? '' : String(value),
    isSample: schema?.name === 'coffee_members',
    loading: schemas.loading || (schema !== undefined && rows.loading),
  };
}
