import type { TestDatabase } from '../../../db/test-database.ts';

/** For tests: makes a person of the tenant, created if missing, own a key. */
export async function giveKeyTo(
  { ownerQuery }: Pick<TestDatabase, 'ownerQuery'>,
  { tenantId, keyId, person }: { readonly tenantId: string; readonly keyId: string; readonly person: string },
): Promise<void> {
  await ownerQuery(
    `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, created_at, updated_at)
     values ($1, $2::uuid, $2, $2, $2, 'admin', 'bootstrap', now(), now()) on conflict do nothing`,
    [tenantId, person],
  );
  await ownerQuery('update arbiter.api_keys set person = $2 where id = $1 and tenant_id = $3', [
    keyId,
    person,
    tenantId,
  ]);
}
