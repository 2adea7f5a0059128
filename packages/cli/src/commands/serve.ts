import type { Call, Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

/** The server is loaded when it is needed only: the other commands start in a fraction of the time. */
export const loadServer = () => import('@arbiter/server');

export const serve: Command = {
  name: 'serve',
  summary: 'start the server',
  help: `Start the server: API, background work and, when DATABASE_URL is unset, an embedded PostgreSQL in DATA_DIR.

Usage: arbiter serve [--apply-only]

  --apply-only        migrate, apply BOOTSTRAP_FILE (or make the demo tenant), and end

Everything else is set in the environment; see docs/config.md. The first start on an empty database makes a demo
tenant and prints a link to sign in, a password and an API key once; they are kept in DATA_DIR/first-run.json. SIGTERM or Ctrl+C ends the server
gracefully, a second one at once. Exits 78 when the configuration cannot be used.`,
  options: { 'apply-only': { type: 'boolean' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`does not know ${call.positionals[0]}`);
    const server = await loadServer();
    return call.flags.flag('apply-only') ? server.applyOnly(call) : server.serve(call);
  },
};

/** A tenant of an operator's fragment, as the server found or made it. */
export interface AppliedTenant {
  readonly id: string;
  readonly name: string;
  readonly created: boolean;
  /** False when everything was so before. */
  readonly changed: boolean;
}

/**
 * Hands a bootstrap fragment for one tenant to the server's start-up (docs/design/api-access.md 20), on the database that the
 * environment names. Resolves with the tenant, or with the exit code of a server that could not apply it.
 */
export async function applyFragment(call: Call, tenant: object): Promise<AppliedTenant | number> {
  const server = await loadServer();
  const applied: AppliedTenant[] = [];
  // Only the result belongs on the standard output of an operator's command; the server's log goes there too.
  const shell = { environment: { LOG_LEVEL: 'silent', ...call.environment }, print: call.warn, warn: call.warn };
  const code = await server.applyFragment(shell, { tenants: [tenant] }, (tenants) => applied.push(...tenants));
  return applied[0] ?? code;
}
