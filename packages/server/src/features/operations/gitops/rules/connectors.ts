import { secretMask } from '../../../identity/audit/index.ts';
import type { KindRules } from './kind-rules.ts';

export const connectorRules: KindRules = {
  /** Files refer to credentials, which answers only name. */
  toFile(body, record) {
    const names = Array.isArray(record.authFields) ? record.authFields.map(String) : [];
    if (names.length === 0) return body;
    return { ...body, authConfig: Object.fromEntries(names.map((name) => [name, secretMask])) };
  },
  /** A file may leave them to whoever runs the installation. */
  keeps: ['authConfig'],
  /** A change of the server deletes credentials that don't come with it, which a file that has them doesn't mean. */
  async update(_current, { body }, names, _context, update) {
    await update(body.authConfig === undefined ? names : [...new Set([...names, 'authConfig'])]);
    return 'update';
  },
};
