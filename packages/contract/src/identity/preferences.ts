import Type, { type Static } from 'typebox';
import { operation } from '../core/operation.ts';

/** Maximum bytes of a person's preferences (docs/design/api-settled.md "Access and console"). */
export const maxPreferenceBytes = 8_192;

/** What the console stores for a person: theme, columns, saved views. The server doesn't read it. */
export const Preferences = Type.Unsafe<Record<string, unknown>>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      description: 'Any properties. The server stores them without interpreting them.',
      examples: [{ theme: 'dark', tables: { offers: { columns: ['name', 'status'] } } }],
    },
  ),
);
export type Preferences = Static<typeof Preferences>;

const shared = {
  path: '/api/v1/users/me/preferences',
  tag: 'Users',
  auth: 'session',
  role: 'viewer',
  loadClass: 'crud',
  errors: [],
  audit: [],
  transaction: 'tenant',
} as const;

export const preferenceOperations = {
  get: operation({
    ...shared,
    id: 'preferences.get',
    method: 'GET',
    summary: 'Get your preferences',
    description: "Returns an empty object if you haven't set any. Users only: API keys and tokens have no preferences.",
    responses: { 200: { description: 'Your preferences.', schema: Preferences } },
  }),
  set: operation({
    ...shared,
    id: 'preferences.set',
    method: 'PUT',
    summary: 'Replace your preferences',
    description: `Replaces all stored preferences; the last write wins. At most ${maxPreferenceBytes.toLocaleString('en')} bytes.`,
    body: Preferences,
    bodyLimit: maxPreferenceBytes,
    responses: { 200: { description: 'Your preferences.', schema: Preferences } },
  }),
} as const;
