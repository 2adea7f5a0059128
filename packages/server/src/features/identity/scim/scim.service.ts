import { isDeepStrictEqual } from 'node:util';
import { DatabaseError, type Tx } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { isObject } from '../../../platform/json.ts';
import { recordAudit } from '../audit/index.ts';
import { endSessions, voidLinks } from '../sessions/index.ts';
import {
  countScimUsers,
  insertScimUser,
  isNameTaken,
  mailAddressOf,
  type ScimUserRow,
  selectScimUser,
  selectScimUsers,
  type UserTest,
  updateScimUser,
} from '../users/index.ts';
import { type Attributes, placeOf, readSentUser, readTruth } from './scim.attributes.ts';
import { type FilterComparison, parseFilter } from './scim.filter.ts';
import { applyPatch } from './scim.patch.ts';
import { attributesOf, renamed, storedOf } from './scim.person.ts';
import { nameTaken, scimProblem } from './scim-error.ts';

type Body = Readonly<Record<string, unknown>>;

/** Every call leaves an audit row, reading too. */
async function noteReading(tx: Tx, entityId: string, entityName: string | null): Promise<void> {
  await recordAudit(tx, { action: 'read', entityType: 'user', entityId, entityName });
}

function remarkOn(tx: Tx, unknown: readonly string[]): void {
  for (const path of unknown) tx.remarks.push({ path, nearest: null, reason: null });
}

function testOf({ attribute: name, operator, value }: FilterComparison): UserTest {
  const refused = (detail: string) => scimProblem('invalidFilter', detail);
  const place = placeOf(name);
  // `id` is no attribute that a body may hold.
  const attribute = name.toLowerCase() === 'id' ? 'id' : place?.attribute.name;
  if (attribute === 'active' && place?.sub === null) {
    const truth = readTruth(value);
    if (truth === null || operator !== 'eq') throw refused('active must be compared with true or false, using eq.');
    return { attribute, value: truth };
  }
  const isPart = place?.sub !== null && place?.sub !== undefined;
  const isKnown = isPart ? attribute === 'emails' && place.sub.name === 'value' : true;
  const isText =
    attribute === 'userName' ||
    attribute === 'displayName' ||
    attribute === 'externalId' ||
    attribute === 'id' ||
    attribute === 'emails';
  if (!isText || !isKnown) throw refused('Filters support userName, displayName, externalId, id, emails and active.');
  if (typeof value === 'boolean') throw refused(`${attribute} must be compared with a quoted string.`);
  return { attribute, operator, value };
}

export interface ScimPage {
  readonly rows: readonly ScimUserRow[];
  readonly total: number;
  readonly startIndex: number;
}

/** One page of the users that a filter names, oldest first; all without one. Throws 400 `invalidFilter`. */
export async function listScimUsers(
  tx: Tx,
  asked: { readonly startIndex: number; readonly count: number; readonly filter: string | null },
): Promise<ScimPage> {
  const tests = asked.filter === null ? [] : parseFilter(asked.filter).map(testOf);
  const startIndex = Math.max(1, asked.startIndex);
  const limit = Math.min(200, Math.max(1, asked.count));
  const rows = await selectScimUsers(tx, tests, { offset: startIndex - 1, limit });
  const total = await countScimUsers(tx, tests);
  await noteReading(tx, 'list', null);
  return { rows, total, startIndex };
}

async function find(tx: Tx, id: string, hold: boolean): Promise<ScimUserRow> {
  const row = isUuid(id) ? await selectScimUser(tx, id.toLowerCase(), hold) : undefined;
  if (row === undefined) throw new AppError('not_found', { detail: 'This user does not exist.' });
  return row;
}

export async function readScimUser(tx: Tx, id: string): Promise<ScimUserRow> {
  const row = await find(tx, id, false);
  await noteReading(tx, row.id, row.name);
  return row;
}

/** The name of the account: userName, else the first address. */
function userNameOf({ userName, emails }: Attributes): unknown {
  if (userName !== undefined && userName !== null) return userName;
  const [first] = Array.isArray(emails) ? emails : [];
  const address = isObject(first) ? first.value : undefined;
  if (typeof address !== 'string' || address === '') {
    throw scimProblem('invalidValue', 'userName, or an address in emails, is required.');
  }
  if ([...address].length > 255) throw scimProblem('invalidValue', 'userName must be at most 255 characters.');
  return address;
}

/** Makes a user, verified and with the role member. Throws 400 `invalidValue`, 409 `uniqueness`. */
export async function createScimUser(tx: Tx, body: Body): Promise<ScimUserRow> {
  const { attributes: sent, unknown } = readSentUser(body);
  remarkOn(tx, unknown);
  const named: Attributes = { ...sent, active: sent.active ?? true, userName: userNameOf(sent) };
  const all = renamed({}, { ...named, displayName: sent.displayName ?? '' });
  const row: ScimUserRow = {
    id: newId(),
    ...storedOf(all, { deactivatedAt: null, now: tx.now }),
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  if (!(await insertScimUser(tx, row))) throw nameTaken();
  await recordAudit(tx, {
    action: 'create',
    entityType: 'user',
    entityId: row.id,
    entityName: row.name,
    after: { ...attributesOf(row), role: 'member', source: 'scim' },
  });
  return row;
}

/** Replaces what's sent. What isn't sent stays, except `active`, which then counts as true. */
export async function replaceScimUser(tx: Tx, id: string, body: Body): Promise<ScimUserRow> {
  const { attributes: sent, unknown } = readSentUser(body);
  remarkOn(tx, unknown);
  return change(tx, id, (before) => ({ ...before, ...sent, active: sent.active ?? true }));
}

/** Applies the operations of a PATCH, all or nothing. */
export async function patchScimUser(tx: Tx, id: string, body: Body): Promise<ScimUserRow> {
  const unknown: string[] = [];
  const row = await change(tx, id, (before) => applyPatch(before, body, unknown));
  remarkOn(tx, unknown);
  return row;
}

/** Deactivates a user, who stays readable. Repeatable (docs/design/quality.md E7). */
export async function deactivateScimUser(tx: Tx, id: string): Promise<void> {
  await change(tx, id, (before) => ({ ...before, active: false }));
}

async function change(tx: Tx, id: string, changed: (before: Attributes) => Attributes): Promise<ScimUserRow> {
  const before = await find(tx, id, true);
  const was = attributesOf(before);
  const stored = storedOf(renamed(was, changed(was)), { deactivatedAt: before.deactivatedAt, now: tx.now });
  const after: ScimUserRow = { ...before, ...stored };
  const is = attributesOf(after);
  // It also decides where the person's email goes.
  if (!isDeepStrictEqual(was, is)) {
    if (await isNameTaken(tx, after.email, before.id)) throw nameTaken();
    await write(tx, { ...after, updatedAt: tx.now });
    const isGone = before.deactivatedAt === null && after.deactivatedAt !== null;
    if (isGone) await endSessions(tx, before.id);
    // A link opens the account to whoever has the mailbox, and the mailbox has changed.
    const isMoved = after.email !== before.email || mailAddressOf(after) !== mailAddressOf(before);
    if (isGone || isMoved) await voidLinks(tx, before.id);
  }
  await recordAudit(tx, {
    action: 'update',
    entityType: 'user',
    entityId: before.id,
    entityName: after.name,
    before: was,
    after: is,
  });
  return isDeepStrictEqual(was, is) ? before : { ...after, updatedAt: tx.now };
}

/** When two take one name at the same time, the second gets the error as if it had come later. */
async function write(tx: Tx, row: ScimUserRow): Promise<void> {
  try {
    await updateScimUser(tx, row);
  } catch (error) {
    if (error instanceof DatabaseError && error.constraint === 'users_email_key') throw nameTaken();
    throw error;
  }
}
