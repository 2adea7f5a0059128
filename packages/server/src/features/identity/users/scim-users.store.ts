import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';
import { emailKey } from './users.store.ts';

/** Users as a directory sees them (docs/design/api-access.md 4.4 and 22). */

/** Attributes of SCIM by their canonical names. */
export type ScimAttributes = Readonly<Record<string, unknown>>;

const scimColumns = columns(table<'users', { attributes: ScimAttributes }>('users'), [
  'id',
  'email',
  'name',
  'externalId',
  'attributes',
  'mailAddress',
  'deactivatedAt',
  'createdAt',
  'updatedAt',
]);

/** Instants are Dates; `email` is the userName. */
export type ScimUserRow = RowOf<typeof scimColumns>;

/** One comparison of a filter. */
export type UserTest =
  | { readonly attribute: 'active'; readonly value: boolean }
  | {
      readonly attribute: 'userName' | 'displayName' | 'externalId' | 'id' | 'emails';
      readonly operator: 'eq' | 'sw' | 'co';
      readonly value: string;
    };

const compared = {
  eq: (left: string, right: string) => `${left} = ${right}`,
  sw: (left: string, right: string) => `starts_with(${left}, ${right})`,
  co: (left: string, right: string) => `strpos(${left}, ${right}) > 0`,
};

const texts = { displayName: 'lower(name)', externalId: 'lower(external_id)', id: 'id::text' };

/** The addresses of a user: those that the directory sent, else the name of the account. */
const addresses = `jsonb_array_elements(coalesce(attributes -> 'emails', jsonb_build_array(jsonb_build_object('value', email))))`;

/** Returns a condition on the tenant's users ($1). Adds the compared values to `values`. */
function conditionOf(test: UserTest, values: unknown[]): string {
  if (test.attribute === 'active') return `(deactivated_at is null) = ${test.value}`;
  const compare = compared[test.operator];
  // The key is computed in this process, because lower() in the database would fold other letters.
  values.push(test.attribute === 'userName' ? emailKey(test.value) : test.value);
  const place = `$${values.length}::text`;
  if (test.attribute === 'userName') return compare('email_key', place);
  if (test.attribute === 'emails') {
    return `exists (select from ${addresses} as address where ${compare("lower(address ->> 'value')", `lower(${place})`)})`;
  }
  return compare(texts[test.attribute], `lower(${place})`);
}

function whereOf(tx: Tx, tests: readonly UserTest[]): { readonly where: string; readonly values: unknown[] } {
  const values: unknown[] = [tx.tenantId];
  const conditions = ['tenant_id = $1', ...tests.map((test) => conditionOf(test, values))];
  return { where: conditions.join(' and '), values };
}

/** Users that pass all tests, oldest first, so that a page stays where it is while users are added (docs/design/quality.md E6). */
export async function selectScimUsers(
  tx: Tx,
  tests: readonly UserTest[],
  page: { readonly offset: number; readonly limit: number },
): Promise<ScimUserRow[]> {
  const { where, values } = whereOf(tx, tests);
  return select(
    tx,
    scimColumns,
    `from arbiter.users where ${where} order by id offset $${values.length + 1} limit $${values.length + 2}`,
    [...values, page.offset, page.limit],
  );
}

export async function countScimUsers(tx: Tx, tests: readonly UserTest[]): Promise<number> {
  const { where, values } = whereOf(tx, tests);
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::int as total from arbiter.users where ${where}`,
    values,
  );
  return row?.total ?? 0;
}

/** Returns one user; `hold` locks the row until the transaction ends. `id` is a UUID. */
export async function selectScimUser(tx: Tx, id: string, hold: boolean): Promise<ScimUserRow | undefined> {
  const [row] = await select(
    tx,
    scimColumns,
    `from arbiter.users where tenant_id = $1 and id = $2 ${hold ? 'for update' : ''}`,
    [tx.tenantId, id],
  );
  return row;
}

/** Creates a user with the role member and a verified address. Returns false when the tenant has one with this name. */
export async function insertScimUser(tx: Tx, row: ScimUserRow): Promise<boolean> {
  const insertedRows = await tx.query(
    `insert into arbiter.users (tenant_id, id, email, email_key, name, role, source, external_id, attributes, mail_address,
       email_verified_at, deactivated_at, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'member', 'scim', $6, $7, $8, $9, $10, $9, $9)
     on conflict on constraint users_email_key do nothing returning id`,
    [
      tx.tenantId,
      row.id,
      row.email,
      emailKey(row.email),
      row.name,
      row.externalId,
      JSON.stringify(row.attributes),
      row.mailAddress,
      row.createdAt,
      row.deactivatedAt,
    ],
  );
  return insertedRows.length > 0;
}

/** True when another user of the tenant has this name, deactivated ones too. */
export async function isNameTaken(tx: Tx, userName: string, exceptId: string): Promise<boolean> {
  const rows = await tx.query('select from arbiter.users where tenant_id = $1 and email_key = $2 and id <> $3', [
    tx.tenantId,
    emailKey(userName),
    exceptId,
  ]);
  return rows.length > 0;
}

/**
 * Writes what a directory may set. Reactivating also ends a login lock; otherwise a lock stays (docs/design/quality.md
 * T11).
 */
export async function updateScimUser(tx: Tx, row: ScimUserRow): Promise<void> {
  await tx.query(
    `update arbiter.users
        set email = $3, email_key = $4, name = $5, external_id = $6, attributes = $7, mail_address = $8,
            locked_until = case when deactivated_at is not null and $9::timestamptz is null then null else locked_until end,
            failed_logins = case when deactivated_at is not null and $9::timestamptz is null then 0 else failed_logins end,
            -- What was proven of one address says nothing of another one; and whoever gets the mail for an account can set its
            -- password, and need not be the owner of the address.
            address_proven = address_proven and email_key = $4 and ($8::text is null or lower($8::text) = lower($3)),
            -- The operator has vouched for the address before, and not for this one.
            source = case when source = 'bootstrap' and email_key <> $4 then 'scim' else source end,
            deactivated_at = $9, updated_at = $10
      where tenant_id = $1 and id = $2`,
    [
      tx.tenantId,
      row.id,
      row.email,
      emailKey(row.email),
      row.name,
      row.externalId,
      JSON.stringify(row.attributes),
      row.mailAddress,
      row.deactivatedAt,
      row.updatedAt,
    ],
  );
  tx.touchCredentials();
}
