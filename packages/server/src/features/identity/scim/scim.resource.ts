import { type ScimUser, scimBase, scimEnterpriseSchema, scimUserAttributes, scimUserSchema } from '@arbiter/contract';
import { isObject } from '../../../platform/json.ts';
import type { ScimUserRow } from '../users/index.ts';
import { shownEmails, splitName } from './scim.person.ts';
import { scimProblem } from './scim-error.ts';

export type ScimUserView = Partial<ScimUser> & Pick<ScimUser, 'schemas' | 'id'>;

const userLocation = (publicUrl: string, id: string): string =>
  `${publicUrl.replace(/\/+$/, '')}${scimBase}/Users/${id}`;

/**
 * A user as answers show it. In lists the name is the stored full name, cut in two; else it is shown as it was sent
 * (docs/design/api-access.md 22).
 */
export function showUser(row: ScimUserRow, publicUrl: string, isListed: boolean): ScimUser {
  const { attributes } = row;
  const sentName = isListed ? undefined : attributes.name;
  const values: Record<string, unknown> = {
    ...attributes,
    userName: row.email,
    name: sentName ?? splitName(row.name),
    displayName: row.name,
    active: row.deactivatedAt === null,
    emails: shownEmails(row),
  };
  const core = scimUserAttributes.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]]));
  const extension = attributes[scimEnterpriseSchema];
  return {
    schemas: [scimUserSchema, ...(extension === undefined ? [] : [scimEnterpriseSchema])],
    id: row.id,
    ...(row.externalId === null ? {} : { externalId: row.externalId }),
    userName: row.email,
    active: row.deactivatedAt === null,
    ...Object.fromEntries(core),
    ...(extension === undefined ? {} : { [scimEnterpriseSchema]: extension }),
    meta: {
      resourceType: 'User',
      created: row.createdAt.toISOString(),
      lastModified: row.updatedAt.toISOString(),
      location: userLocation(publicUrl, row.id),
    },
  };
}

/** Which attributes an answer shows: lowercase paths in pairs of attribute and, maybe, sub-attribute. */
export type Projection = (user: ScimUser) => ScimUserView;

interface AttributeChoice {
  readonly name: string;
  readonly sub: string | null;
}

const cores = `${scimUserSchema.toLowerCase()}:`;
const extensions = scimEnterpriseSchema.toLowerCase();

function chosenOf(text: string): AttributeChoice[] {
  return text.split(',').flatMap((each) => {
    const path = each.trim().toLowerCase();
    if (path === '') return [];
    if (path === extensions) return [{ name: extensions, sub: null }];
    if (path.startsWith(`${extensions}:`))
      return [{ name: extensions, sub: path.slice(extensions.length + 1).split('.', 1)[0] ?? null }];
    const [name = '', sub] = (path.startsWith(cores) ? path.slice(cores.length) : path).split('.');
    return [{ name, sub: sub ?? null }];
  });
}

/** Always returned, whatever is requested (RFC 7643 section 3.1). */
const always = new Set(['schemas', 'id']);

/**
 * What `attributes` and `excludedAttributes` of a query leave of a user (RFC 7644 section 3.9); names that are not known
 * change nothing. Throws 400 when both are sent: they contradict each other.
 */
export function projectionOf(query: {
  readonly attributes?: string;
  readonly excludedAttributes?: string;
}): Projection {
  const { attributes, excludedAttributes } = query;
  if (attributes !== undefined && excludedAttributes !== undefined) {
    throw scimProblem('invalidValue', "attributes and excludedAttributes can't be combined.");
  }
  const shown = chosenOf(attributes ?? '');
  const hidden = chosenOf(excludedAttributes ?? '');
  if (shown.length === 0 && hidden.length === 0) return (user) => user;
  return (user) => {
    const shownAttributes = Object.entries(user).flatMap(([name, value]) => {
      if (always.has(name)) return [[name, value]];
      const key = name.toLowerCase();
      const own = (shown.length > 0 ? shown : hidden).filter((each) => each.name === key);
      const isWhole = own.some(({ sub }) => sub === null);
      const subs = new Set(own.flatMap(({ sub }) => (sub === null ? [] : [sub])));
      if (shown.length > 0) return isWhole ? [[name, value]] : pruned(name, value, (sub) => subs.has(sub));
      return isWhole ? [] : pruned(name, value, (sub) => !subs.has(sub));
    });
    return { schemas: user.schemas, id: user.id, ...Object.fromEntries(shownAttributes) };
  };
}

/** The entry with only those of its parts; none when nothing is left of it. */
function pruned(name: string, value: unknown, keeps: (sub: string) => boolean): [string, unknown][] {
  const prune = (one: unknown): unknown => {
    if (!isObject(one)) return keeps('') ? one : undefined;
    const parts = Object.entries(one).filter(([part]) => keeps(part.toLowerCase()));
    return parts.length === 0 ? undefined : Object.fromEntries(parts);
  };
  const left = Array.isArray(value) ? value.map(prune).filter((one) => one !== undefined) : prune(value);
  return left === undefined || (Array.isArray(left) && left.length === 0) ? [] : [[name, left]];
}
