import type { Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { loadServer } from './serve.ts';

export const userSignInLink: Command = {
  name: 'user sign-in-link',
  summary: 'make a link that signs a user in (operator)',
  help: `Make an address that signs a user in, once, within ten minutes: for the first start, or for somebody who has no password
and gets no mail. A command for operators: it works on the database itself, so it needs the server's environment
(DATABASE_URL and the secrets), or DATA_DIR of an embedded database.

Usage: arbiter user sign-in-link <email> [--tenant <name or id>]

  --tenant <name or id>   tenant of the user; when left out, the one in which the address was last used

Prints the address. Exits 1 when there is no such user, or a deactivated one. An earlier link of the user opens nothing
any more.`,
  options: { tenant: { type: 'string' } },
  async run(call) {
    const [email, ...more] = call.positionals;
    if (email === undefined || more.length > 0) throw new UsageError('takes one address');
    const server = await loadServer();
    // Only the address belongs on the standard output; the server's log goes there too.
    const shell = { ...call, environment: { LOG_LEVEL: 'silent', ...call.environment } };
    return server.printSignInLink(shell, { email, tenant: call.flags.text('tenant') ?? null });
  },
};
