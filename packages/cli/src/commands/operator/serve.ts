import type { Call, Command } from '../../command.ts';
import { UsageError } from '../../exit-codes.ts';

/** Loads the server on demand: other commands start in a fraction of the time. */
export const loadServer = () => import('@arbiter/server');

export const serve: Command = {
  name: 'serve',
  summary: 'start the server',
  help: `Start the server: the API, background jobs and, unless DATABASE_URL is set, an embedded PostgreSQL in DATA_DIR.

Usage: arbiter serve [--empty] [--apply-only]

  --empty             on an empty database, create the first tenant without demo data (DEMO_DATA=off)
  --apply-only        migrate, apply BOOTSTRAP_FILE (or create the demo tenant), and exit

Configure everything else with environment variables; see docs/config.md. The first start on an empty database creates a
demo tenant, and prints a sign-in link, a password and an API key once. They are saved in DATA_DIR/first-run.json.
SIGTERM or Ctrl+C stops the server gracefully, a second one immediately. Exits 78 when the configuration is invalid.`,
  options: { 'apply-only': { type: 'boolean' }, empty: { type: 'boolean' } },
  async run(call) {
    if (call.positionals.length > 0) throw new UsageError(`unexpected argument: ${call.positionals[0]}`);
    // Loading takes a while on a slow machine, so show that something is happening.
    if (call.ask !== undefined) call.print('Starting Arbiter. The first start takes the longest.');
    const server = await loadServer();
    const environment = call.flags.flag('empty') ? { ...call.environment, DEMO_DATA: 'off' } : call.environment;
    const shell = { ...call, environment };
    return call.flags.flag('apply-only') ? server.applyOnly(shell) : server.serve(shell);
  },
};

/** A tenant of a bootstrap fragment, as the server found or created it. */
export interface AppliedTenant {
  readonly id: string;
  readonly name: string;
  readonly created: boolean;
  /** False if nothing had to change. */
  readonly changed: boolean;
}

/**
 * Applies a bootstrap fragment for one tenant to the database of the environment (docs/design/api-access.md, section 20).
 * Resolves with the tenant, or with the server's exit code if it couldn't apply the fragment.
 */
export async function applyFragment(call: Call, tenant: object): Promise<AppliedTenant | number> {
  const server = await loadServer();
  const applied: AppliedTenant[] = [];
  // The server logs to standard output too, which should contain only the result.
  const shell = { environment: { LOG_LEVEL: 'silent', ...call.environment }, print: call.warn, warn: call.warn };
  const code = await server.applyFragment(shell, { tenants: [tenant] }, (tenants) => applied.push(...tenants));
  return applied[0] ?? code;
}
