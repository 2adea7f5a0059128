import type { Command } from '../../command.ts';
import { UsageError } from '../../exit-codes.ts';
import { loadServer } from './serve.ts';

export const userSignInLink: Command = {
  name: 'user sign-in-link',
  summary: 'create a sign-in link for a user (operator)',
  help: `Create a link that signs a user in once, within ten minutes: for the first start, or for a user without a password who
doesn't receive email. For operators: the command works directly on the database, so it requires the server's environment
(DATABASE_URL and the secrets), or DATA_DIR of an embedded database.

Usage: arbiter user sign-in-link <email> [--tenant <name or id>]

  --tenant <name or id>   tenant of the user; default: the one they last signed in to

Prints the link. Exits 1 if the user doesn't exist or is deactivated. Invalidates earlier links of the user.`,
  options: { tenant: { type: 'string' } },
  async run(call) {
    const [email, ...more] = call.positionals;
    if (email === undefined || more.length > 0) throw new UsageError('expects one email');
    const server = await loadServer();
    // The server logs to standard output too, which should contain only the link.
    const shell = { ...call, environment: { LOG_LEVEL: 'silent', ...call.environment } };
    return server.printSignInLink(shell, { email, tenant: call.flags.text('tenant') ?? null });
  },
};
