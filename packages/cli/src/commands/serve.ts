import type { Call, Command } from '../command.ts';
import { UsageError } from '../exit-codes.ts';

/** The server is loaded when it is needed only: the other commands start in a fraction of the time. */
export const loadServer = () => import('@arbiter/server');

export const serve: Command = {
  name: 'serve',
  summary: 'start the server',
  help: `Start the server: API, background work and, when DATABASE_URL is unset, an embedded PostgreSQL in DATA_DIR.

Usage: arbiter serve [--empty] [--apply-only]

  --empty             on an empty database, makes the first tenant without demo data (DEMO_DATA=off)
  --apply-only        migrate, apply BOOTSTRAP_FILE (or make the demo tenant), and end

Everything else is set in the environment; see docs/config.md. The first start on an empty database makes a demo
tenant and prints a link to sign in, a password and an API key once; they are kept in DATA_DIR/first-run.json. SIGTERM or Ctrl+C ends the server
gracefully, a second one at once. Exits 78 when the configuration cannot be used.`,
  options: { 'apply-only': { type: 'boolean' }, empty: { type: 'boolean' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`does not know ${call.positionals[0]}`);
    // Loading takes a while on a slow machine, and a person at the terminal should see that something happens.
    if (call.ask !== undefined) call.print('Starting Arbiter; the first start takes longest');
    const server = await loadServer();
    const environment = call.flags.flag('empty') ? { ...call.environment, DEMO_DATA: 'off' } : call.environment;
    const shell = { ...call, environment };
    return call.flags.flag('apply-only') ? server.applyOnly(shell) : server.serve(shell);
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
